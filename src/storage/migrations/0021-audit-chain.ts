import type { Kysely } from "kysely";
import { index, oneOf } from "./constraints.ts";
import type { Migration } from "./migration.ts";

/** Rows of the audit log get a number and a hash after they were written; both are null until then, also in rows of before. */
export const auditChain: Migration = {
  name: "0021-audit-chain",
  formerName: "0022-audit-chain",
  async up(db) {
    await db.schema.alterTable("audit_log").addColumn("seq", "bigint").execute();
    await db.schema.alterTable("audit_log").addColumn("hash", "text").execute();
    // What is not sealed yet is found by it in the order of its time, and what is, in the order of the chain.
    await index(db, "audit_log", "seq", "at", "id");
    await createEnds(db);
  },
};

/** Where the chain begins, which moves when old rows are removed, and where it ends. */
async function createEnds(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable("audit_chain")
    .addColumn("name", "text", (c) =>
      c
        .primaryKey()
        .notNull()
        .check(oneOf("name", ["start", "head"])),
    )
    .addColumn("seq", "bigint", (c) => c.notNull())
    .addColumn("hash", "text", (c) => c.notNull())
    .addColumn("at", "bigint", (c) => c.notNull())
    .addColumn("mark", "text", (c) => c.notNull())
    .execute();
  const nothing = { seq: 0, hash: "", at: 0, mark: "" };
  await (db as Kysely<{ audit_chain: { name: string } & typeof nothing }>)
    .insertInto("audit_chain")
    .values([
      { name: "start", ...nothing },
      { name: "head", ...nothing },
    ])
    .execute();
}
