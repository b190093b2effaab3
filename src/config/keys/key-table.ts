/**
 * `served`: has an effect. `checked`: is read and checked, and warned about until it has an effect. `known`: belongs to the
 * layout that people bring; only its name is known, and it is warned about.
 */
export type KeyStatus = "served" | "checked" | "known";
export type KeyTable = ReadonlyMap<string, KeyStatus>;

/** Names are given as words, so that a table reads like the list it is. */
export function keyTable(names: {
  readonly served: string;
  readonly checked?: string;
  readonly known?: string;
}): KeyTable {
  const table = new Map<string, KeyStatus>();
  for (const name of words(names.known ?? "")) table.set(name, "known");
  for (const name of words(names.served)) table.set(name, "served");
  for (const name of words(names.checked ?? "")) table.set(name, "checked");
  return table;
}

export function words(text: string): string[] {
  return text.split(/\s+/).filter((word) => word !== "");
}
