import { type Kysely, sql } from "kysely";
import type { KeptResponse, KeptResponseStore } from "../../assistants/kept-response-store.ts";
import type { Tables } from "../tables.ts";
import { equalsOrNull } from "./owned.ts";

const COLUMNS = ["id", "teamId", "previousId", "createdAt", "expiresAt", "input", "answer"] as const;
const CHARS = sql<number>`length(${sql.ref("responses.input")}) + length(${sql.ref("responses.answer")})`;
const NEXT = sql<number>`${sql.ref("chain.depth")} + 1`;

export function keptResponseStore(db: Kysely<Tables>): KeptResponseStore {
  return {
    async find({ teamId }, id, nowMs) {
      const row = await db
        .selectFrom("responses")
        .select(COLUMNS)
        .where("id", "=", id)
        .where("teamId", equalsOrNull(teamId), teamId)
        .where("expiresAt", ">", nowMs)
        .executeTakeFirst();
      return row ? decode(row) : null;
    },
    async chain({ teamId }, id, nowMs, max) {
      return db
        .withRecursive("chain", (query) =>
          query
            .selectFrom("responses")
            .select(["id", "previousId", CHARS.as("chars"), sql<number>`1`.as("depth")])
            .where("id", "=", id)
            .where("teamId", equalsOrNull(teamId), teamId)
            .where("expiresAt", ">", nowMs)
            .unionAll(
              query
                .selectFrom("responses")
                .innerJoin("chain", "chain.previousId", "responses.id")
                .select(["responses.id", "responses.previousId", CHARS.as("chars"), NEXT.as("depth")])
                .where("responses.teamId", equalsOrNull(teamId), teamId)
                .where("responses.expiresAt", ">", nowMs)
                .where("chain.depth", "<", max),
            ),
        )
        .selectFrom("chain")
        .select(["id", "previousId", "chars"])
        .orderBy("depth", "desc")
        .execute();
    },
    async findAll(ids) {
      const rows = await db.selectFrom("responses").select(COLUMNS).where("id", "in", ids).execute();
      return rows.map(decode);
    },
    async insert({ input, answer, ...row }) {
      await db
        .insertInto("responses")
        .values({ ...row, input: JSON.stringify(input), answer: JSON.stringify(answer) })
        .execute();
    },
    async remove({ teamId }, id) {
      const { numDeletedRows } = await db
        .deleteFrom("responses")
        .where("id", "=", id)
        .where("teamId", equalsOrNull(teamId), teamId)
        .executeTakeFirst();
      return numDeletedRows > 0n;
    },
    async removeExpired(nowMs) {
      await db.deleteFrom("responses").where("expiresAt", "<=", nowMs).execute();
    },
  };
}

type Row = Tables["responses"];

const decode = ({ input, answer, ...row }: Row): KeptResponse => ({
  ...row,
  input: JSON.parse(input) as KeptResponse["input"],
  answer: JSON.parse(answer) as KeptResponse["answer"],
});
