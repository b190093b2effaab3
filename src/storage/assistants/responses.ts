import { type Kysely, sql } from "kysely";
import type { KeptResponse, KeptResponseStore } from "../../assistants/kept-responses.ts";
import type { Tables } from "../tables.ts";
import { sameAs } from "./owned.ts";

const COLUMNS = ["id", "teamId", "previousId", "createdAt", "expiresAt", "input", "answer"] as const;
const OF_RESPONSES = COLUMNS.map((name) => `responses.${name}` as const);

export function keptResponseStore(db: Kysely<Tables>): KeptResponseStore {
  return {
    async find({ teamId }, id, nowMs) {
      const row = await db
        .selectFrom("responses")
        .select(COLUMNS)
        .where("id", "=", id)
        .where("teamId", sameAs(teamId), teamId)
        .where("expiresAt", ">", nowMs)
        .executeTakeFirst();
      return row ? decode(row) : null;
    },
    async chain({ teamId }, id, nowMs, max) {
      const rows = await db
        .withRecursive("chain", (query) =>
          query
            .selectFrom("responses")
            .select([...COLUMNS, sql<number>`1`.as("depth")])
            .where("id", "=", id)
            .where("teamId", sameAs(teamId), teamId)
            .where("expiresAt", ">", nowMs)
            .unionAll(
              query
                .selectFrom("responses")
                .innerJoin("chain", "chain.previousId", "responses.id")
                .select([...OF_RESPONSES, sql<number>`${sql.ref("chain.depth")} + 1`.as("depth")])
                .where("responses.teamId", sameAs(teamId), teamId)
                .where("responses.expiresAt", ">", nowMs)
                .where("chain.depth", "<", max),
            ),
        )
        .selectFrom("chain")
        .select(COLUMNS)
        .orderBy("depth", "desc")
        .execute();
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
        .where("teamId", sameAs(teamId), teamId)
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
