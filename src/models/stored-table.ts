import type { AccountStores } from "../accounts/store.ts";
import { ModelTable } from "../catalog/model-table.ts";

/** A model table that an operator has loaded. */
export interface StoredTable {
  /** Differs after every load. */
  readonly id: string;
  readonly loadedAt: number;
  readonly loadedBy: number | null;
  readonly table: ModelTable;
}

type Settings = AccountStores["settings"];

/** A small row, so that a change of something else does not read the whole table again. */
const ABOUT = "model_table.about";
const TEXT = "model_table.text";

/** Stores the text of a table; null removes it. To be called in a transaction. */
export async function writeStoredTable(
  settings: Settings,
  stored: (Omit<StoredTable, "table"> & { readonly text: string }) | null,
): Promise<void> {
  const { text = "", ...about } = stored ?? {};
  await settings.put(TEXT, text);
  await settings.put(ABOUT, stored ? JSON.stringify(about) : "");
}

/** The stored table, or `present` if it has not changed. */
export async function readStoredTable(settings: Settings, present: StoredTable | null): Promise<StoredTable | null> {
  const about = await settings.find(ABOUT);
  if (about === null || about === "") return null;
  const { id, loadedAt, loadedBy } = JSON.parse(about) as Omit<StoredTable, "table">;
  if (present?.id === id) return present;
  const text = await settings.find(TEXT);
  return text === null || text === "" ? null : { id, loadedAt, loadedBy, table: ModelTable.open(text) };
}
