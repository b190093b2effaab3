import type { Kysely, Selectable } from "kysely";
import type { OperatorRule, OperatorRuleStore } from "../../accounts/operator-rule.ts";
import type { Tables } from "../tables.ts";
import { decodeObject, encodeJson } from "./json-columns.ts";

export function operatorRuleStore(db: Kysely<Tables>): OperatorRuleStore {
  return {
    async find(kind, name) {
      const row = await db
        .selectFrom("operatorRules")
        .selectAll()
        .where("kind", "=", kind)
        .where("name", "=", name)
        .executeTakeFirst();
      return row === undefined ? null : toRule(row);
    },
    async put(rule) {
      const row = { ...rule, value: encodeJson(rule.value) };
      await db
        .insertInto("operatorRules")
        .values(row)
        .onConflict((conflict) =>
          conflict.columns(["kind", "name"]).doUpdateSet({ value: row.value, updatedAt: row.updatedAt }),
        )
        .execute();
    },
    async remove(kind, name) {
      await db.deleteFrom("operatorRules").where("kind", "=", kind).where("name", "=", name).execute();
    },
    async list() {
      const rows = await db
        .selectFrom("operatorRules")
        .selectAll()
        .orderBy("createdAt")
        .orderBy("kind")
        .orderBy("name")
        .execute();
      return rows.map(toRule);
    },
  };
}

const toRule = (row: Selectable<Tables["operatorRules"]>): OperatorRule => ({ ...row, value: decodeObject(row.value) });
