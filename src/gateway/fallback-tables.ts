import type { FallbackType } from "../contract/models.ts";

/** Group -> the groups to try after it; `*` stands for any group. */
export type FallbackTable = Readonly<Record<string, readonly string[]>>;

export interface FallbackTables {
  readonly general: FallbackTable;
  readonly contextWindow: FallbackTable;
  readonly contentPolicy: FallbackTable;
}

/** What is tried after a model fails; a name with a provider before it also stands under its bare name. */
export function fallbacksOf(tables: FallbackTables, type: FallbackType, name: string): readonly string[] {
  const table = TABLES[type](tables);
  for (const key of [name, name.slice(name.indexOf("/") + 1), "*"]) {
    const found = Object.hasOwn(table, key) ? table[key] : undefined;
    if (found) return found.filter((other) => other !== name);
  }
  return [];
}

const TABLES: Readonly<Record<FallbackType, (tables: FallbackTables) => FallbackTable>> = {
  general: (tables) => tables.general,
  context_window: (tables) => tables.contextWindow,
  content_policy: (tables) => tables.contentPolicy,
};
