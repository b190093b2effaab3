import type { FallbackType } from "../../contract/models.ts";

/** Group -> the groups to try after it; `*` stands for any group. */
export type FallbackTable = Readonly<Record<string, readonly string[]>>;

export interface FallbackTables {
  readonly general: FallbackTable;
  readonly contextWindow: FallbackTable;
  readonly contentPolicy: FallbackTable;
}

/** What a group is known by. */
export interface GroupNames {
  /** As it was asked for first. */
  readonly own: readonly string[];
  /** Other groups may have it for a name, and lists that are meant for them. */
  readonly upstreamModel: string | null;
  readonly provider?: string;
}

/**
 * What is tried after a model fails, by the first of its names that has a list, else by the list for any, else by what it
 * is upstream; a name with a provider before it also stands under its bare name. An empty list means that nobody stands in;
 * null: nothing is said.
 */
export function fallbacksOf(
  tables: FallbackTables,
  type: FallbackType,
  { own, upstreamModel }: GroupNames,
): readonly string[] | null {
  const table = TABLES[type](tables);
  const upstream = upstreamModel === null ? [] : keysOf(upstreamModel);
  for (const key of [...own.flatMap(keysOf), "*", ...upstream]) {
    const listed = Object.hasOwn(table, key) ? table[key] : undefined;
    const others = listed?.filter((other) => other !== own[0]);
    if (others && (others.length > 0 || listed?.length === 0)) return others;
  }
  return null;
}

const keysOf = (name: string): string[] => [name, name.slice(name.indexOf("/") + 1)];

const TABLES: Readonly<Record<FallbackType, (tables: FallbackTables) => FallbackTable>> = {
  general: (tables) => tables.general,
  context_window: (tables) => tables.contextWindow,
  content_policy: (tables) => tables.contentPolicy,
};
