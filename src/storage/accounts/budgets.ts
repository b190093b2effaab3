import type { Kysely, Selectable } from "kysely";
import type { Budget } from "../../accounts/records.ts";
import type { BudgetStore } from "../../accounts/store.ts";
import { isSqlite } from "../json-rows.ts";
import type { Tables } from "../tables.ts";
import { isEmpty } from "./is-empty.ts";
import { decodeFurtherBudgets, decodeModelLimits, encodeJson } from "./json-columns.ts";
import { paged } from "./paged.ts";

const USERS_OF_BUDGETS = ["organizations", "teams", "users", "endUsers", "apiKeys"] as const;

export function budgetStore(db: Kysely<Tables>): BudgetStore {
  const named = (id: string) => db.selectFrom("budgets").selectAll().where("id", "=", id);
  const first = async (found: ReturnType<typeof named>): Promise<Budget | null> => {
    const row = await found.executeTakeFirst();
    return row === undefined ? null : toBudget(row);
  };
  return {
    find: (id) => first(named(id)),
    // SQLite has one writer at a time anyway.
    findSettled: (id) => first(isSqlite(db) ? named(id) : named(id).forShare()),
    async lock(id) {
      if (isSqlite(db)) return first(named(id));
      for (const table of ["users", "organizations"] as const)
        await db.selectFrom(table).select("id").where("budgetId", "=", id).orderBy("id").forUpdate().execute();
      return first(named(id).forUpdate());
    },
    async insert(budget) {
      const { modelLimits, furtherBudgets } = budget;
      const texts = { modelLimits: encodeJson(modelLimits), furtherBudgets: encodeJson(furtherBudgets) };
      const row = { ...budget, ...texts };
      await db.insertInto("budgets").values(row).execute();
    },
    async update(id, changes) {
      const { id: _id, organizationId: _of, createdAt: _createdAt, ...rest } = changes as Partial<Budget>;
      const { modelLimits, furtherBudgets, ...plain } = rest;
      const row = {
        ...plain,
        modelLimits: modelLimits && encodeJson(modelLimits),
        furtherBudgets: furtherBudgets && encodeJson(furtherBudgets),
      };
      if (isEmpty(row)) return;
      await db.updateTable("budgets").set(row).where("id", "=", id).execute();
    },
    async remove(id) {
      await db.deleteFrom("budgets").where("id", "=", id).execute();
    },
    async list(page) {
      const { rows, total } = await paged(db.selectFrom("budgets").selectAll().orderBy("id"), page);
      return { rows: rows.map(toBudget), total };
    },
    async countUses(id, among = USERS_OF_BUDGETS) {
      let uses = 0;
      for (const table of among) {
        const row = await db
          .selectFrom(table)
          .select(({ fn }) => fn.countAll<bigint>().as("uses"))
          .where("budgetId", "=", id)
          .executeTakeFirstOrThrow();
        uses += Number(row.uses);
      }
      return uses;
    },
    async spread({ id, softBudget, ...limits }) {
      const { budget, budgetWindow, rpmLimit, tpmLimit, parallelLimit, updatedAt } = limits;
      const both = { budget, budgetWindow, rpmLimit, tpmLimit, parallelLimit, updatedAt };
      const all = { ...both, softBudget };
      const furtherBudgets = encodeJson(limits.furtherBudgets);
      const whole = { ...all, furtherBudgets, modelLimits: encodeJson(limits.modelLimits) };
      await db
        .updateTable("users")
        .set({ ...both, furtherBudgets })
        .where("budgetId", "=", id)
        .execute();
      await db.updateTable("organizations").set(all).where("budgetId", "=", id).execute();
      await db.updateTable("teams").set(whole).where("budgetId", "=", id).execute();
      await db.updateTable("endUsers").set(all).where("budgetId", "=", id).execute();
      await db.updateTable("apiKeys").set(whole).where("budgetId", "=", id).execute();
    },
  };
}

function toBudget(row: Selectable<Tables["budgets"]>): Budget {
  const modelLimits = decodeModelLimits(row.modelLimits);
  return { ...row, modelLimits, furtherBudgets: decodeFurtherBudgets(row.furtherBudgets) };
}
