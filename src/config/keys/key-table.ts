/**
 * `served`: has an effect. `checked`: is read and checked, and warned about until it has an effect. `known`: belongs to the
 * layout that people bring; only its name is known, and it is warned about. `protecting`: the same, and whoever wrote it counts on
 * being protected by it, so that it is warned about first and in words of its own.
 */
export type KeyStatus = "served" | "checked" | "known" | "protecting";

export interface KeyTable extends ReadonlyMap<string, KeyStatus> {
  /** What is to be said of a key without an effect, such as what does the same here. */
  readonly advice: ReadonlyMap<string, string>;
}

type Advice = Readonly<Record<string, string>>;

const LETS_THROUGH = "without it more is let through than this file says";
const SHOWS = "without it more is kept or shown than this file says";

/** Names are given as words, so that a table reads like the list it is; those with something to say, with what it is. */
export function keyTable(names: {
  readonly served: string;
  readonly checked?: string;
  readonly known?: string;
  /** Names that LiteLLM knows, from `npm run litellm:names`; those that are not named otherwise are `known`. */
  readonly litellm?: readonly string[];
  /** Known keys that something else does the work of here. */
  readonly instead?: Advice;
  /** Without them more is allowed: who may call, what, and how much. */
  readonly protecting?: Advice;
  /** Without them more is kept, or can be seen. */
  readonly concealing?: Advice;
  /** No keys of this table: a fault like any other, with what to write in their place. */
  readonly refused?: Advice;
}): KeyTable {
  const { instead = {}, protecting = {}, concealing = {}, refused = {} } = names;
  const table = new Map<string, KeyStatus>((names.litellm ?? []).map((name) => [name, "known"]));
  for (const name of [...words(names.known ?? ""), ...Object.keys(instead)]) table.set(name, "known");
  for (const name of [...Object.keys(protecting), ...Object.keys(concealing)]) table.set(name, "protecting");
  for (const name of words(names.served)) table.set(name, "served");
  for (const name of words(names.checked ?? "")) table.set(name, "checked");
  const advice = new Map([
    ...Object.entries({ ...instead, ...refused }),
    ...Object.entries(protecting).map(([name, text]) => [name, `${LETS_THROUGH}; ${text}`] as const),
    ...Object.entries(concealing).map(([name, text]) => [name, `${SHOWS}; ${text}`] as const),
  ]);
  return Object.assign(table, { advice });
}

export function words(text: string): string[] {
  return text.split(/\s+/).filter((word) => word !== "");
}
