import { type AliasedSelectQueryBuilder, type Kysely, sql } from "kysely";
import type { LogFilter, TextSum } from "../../usage/store.ts";
import { isSqlite } from "../json-rows.ts";
import type { Tables } from "../tables.ts";
import { selectServed } from "./select-log.ts";

const ROWS_MAX = 1_000;

/** From the log itself, because callers can make up as many tags and end users as they like. */
export function sumTexts(db: Kysely<Tables>, filter: LogFilter, what: "tag" | "endUser"): Promise<readonly TextSum[]> {
  return selectTexts(db, filter, what)
    .select(({ fn }) => [
      fn.countAll<bigint>().as("requests"),
      fn.sum<bigint>("cost").as("cost"),
      fn.sum<bigint>("promptTokens").as("promptTokens"),
      fn.sum<bigint>("completionTokens").as("completionTokens"),
    ])
    .groupBy("text")
    .orderBy(({ fn }) => fn.sum("cost"), "desc")
    .orderBy("text")
    .limit(ROWS_MAX)
    .execute();
}

interface TextRow {
  readonly text: string;
  readonly cost: bigint;
  readonly promptTokens: number;
  readonly completionTokens: number;
}

const SUMMED = ["cost", "promptTokens", "completionTokens"] as const;

/** A row for each text that a call carries. */
function selectTexts(db: Kysely<Tables>, filter: LogFilter, what: "tag" | "endUser") {
  const calls = selectServed(db, filter).select(SUMMED);
  const users = calls.where("endUser", "is not", null).select("endUser as text");
  const list = isSqlite(db) ? sql`json_each(calls.tags)` : sql`jsonb_array_elements_text(calls.tags::jsonb)`;
  const tagged = db
    .with("calls", () => calls.select("tags"))
    .selectFrom(["calls", list.as("e")])
    .select(SUMMED)
    .select(sql<string>`e.value`.as("text"));
  const texts = what === "tag" ? tagged.$castTo<TextRow>().as("texts") : users.$castTo<TextRow>().as("texts");
  return db.selectFrom(texts as AliasedSelectQueryBuilder<TextRow, "texts">).select("text");
}
