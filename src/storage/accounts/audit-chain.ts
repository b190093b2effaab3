import type { Kysely } from "kysely";
import type {
  AuditChainStore,
  ChainEnd,
  ChainReader,
  ChainRow,
  ChainWriter,
  EndName,
  SealedRow,
} from "../../accounts/audit-chain.ts";
import type { Backend } from "../backend.ts";
import { type JsonColumns, jsonRows } from "../json-rows.ts";
import { statement } from "../statement.ts";
import type { Tables } from "../tables.ts";
import { inTransaction } from "../transaction.ts";

export const auditChainStore = (backend: Pick<Backend, "db" | "snapshot">): AuditChainStore => ({
  async hasUnsealed() {
    const found = await backend.db.selectFrom("auditLog").select("id").where("seq", "is", null).limit(1).execute();
    return found.length > 0;
  },
  alone: (work) =>
    inTransaction(backend.db, async (tx) => {
      // A write takes the row until the end of the transaction, in both databases.
      await tx
        .updateTable("auditChain")
        .set(({ ref }) => ({ at: ref("at") }))
        .where("name", "=", "head")
        .execute();
      return work(writer(tx));
    }),
  snapshot: (work) => backend.snapshot((db) => work(reader(db))),
});

const NOTHING: ChainEnd = { seq: 0, hash: "", at: 0, mark: "" };

function reader(db: Kysely<Tables>): ChainReader {
  return {
    async ends() {
      const rows = await db.selectFrom("auditChain").selectAll().execute();
      const end = (wanted: EndName): ChainEnd => {
        const found = rows.find(({ name }) => name === wanted);
        return found ? { seq: Number(found.seq), hash: found.hash, at: found.at, mark: found.mark } : NOTHING;
      };
      return { start: end("start"), head: end("head") };
    },
    async sealed(after, limit) {
      let query = db.selectFrom("auditLog").selectAll().where("seq", "is not", null);
      if (after) {
        const seq = BigInt(after.seq);
        query = query.where("seq", ">=", seq).where(({ or, eb }) => or([eb("seq", ">", seq), eb("id", ">", after.id)]));
      }
      const rows = await query.orderBy("seq").orderBy("id").limit(limit).execute();
      return rows.map(toSealed);
    },
    async countUnsealed() {
      const { count } = await db
        .selectFrom("auditLog")
        .select(({ fn }) => fn.countAll<bigint>().as("count"))
        .where("seq", "is", null)
        .executeTakeFirstOrThrow();
      return Number(count);
    },
  };
}

const toSealed = (row: Tables["auditLog"]): SealedRow => ({ ...row, seq: Number(row.seq), hash: row.hash ?? "" });

const SEALS: JsonColumns = { id: "text", seq: "bigint", hash: "text" };

function writer(db: Kysely<Tables>): ChainWriter {
  return {
    ...reader(db),
    unsealed: (limit): Promise<ChainRow[]> =>
      db.selectFrom("auditLog").selectAll().where("seq", "is", null).orderBy("at").orderBy("id").limit(limit).execute(),
    async seal(rows) {
      const seals = rows.map(({ id, seq, hash }) => ({ id, seq: BigInt(seq), hash }));
      await statement`update audit_log set seq = r.seq, hash = r.hash from ${jsonRows(SEALS, seals)}
        where audit_log.id = r.id`.execute(db);
    },
    async removeUpTo(seq) {
      await db.deleteFrom("auditLog").where("seq", "<=", BigInt(seq)).execute();
    },
    async setEnd(name, { seq, ...rest }) {
      await db
        .updateTable("auditChain")
        .set({ ...rest, seq: BigInt(seq) })
        .where("name", "=", name)
        .execute();
    },
  };
}
