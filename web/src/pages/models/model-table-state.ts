import type { PlatformModel } from "../../../../src/contract/platform-models.ts";
import { type Table, usePagedQuery, useTable } from "../../components/use-table.ts";
import { MODELS_KEY } from "./use-models.ts";

const FILTERS = {
  search: "",
  type: "",
  provider: "",
  capability: "",
  minContext: "",
  maxInputPrice: "",
  view: "cards",
  /** Names of models, encoded, with commas between them. */
  compare: "",
};
export type ModelTable = Table<typeof FILTERS>;
export const COMPARED_MAX = 4;

export function useModelTable() {
  const table = useTable(FILTERS, "name");
  const { view: _view, compare: _compare, page: _page, size: _size, sort: _sort, ...query } = table.state;
  const models = usePagedQuery<PlatformModel>(table, { key: [...MODELS_KEY, "list"], path: "/api/models", query });
  // The list of models has the date of its facts next to the envelope of every list.
  const { factsDate } = (models.data ?? {}) as { readonly factsDate?: string };
  return { table, query: models, factsDate };
}

export interface Compared {
  readonly ids: readonly string[];
  has(id: string): boolean;
  toggle(id: string): void;
  clear(): void;
}

/** Which models are laid beside each other; in the address bar, so that a comparison can be sent to somebody. */
export function comparedOf({ state, set }: ModelTable): Compared {
  const ids = state.compare.split(",").filter(Boolean).map(decode).slice(0, COMPARED_MAX);
  const put = (next: readonly string[]): void =>
    set({ compare: next.map(encodeURIComponent).join(","), page: state.page });
  return {
    ids,
    has: (id) => ids.includes(id),
    toggle: (id) => put(ids.includes(id) ? ids.filter((other) => other !== id) : [...ids, id].slice(0, COMPARED_MAX)),
    clear: () => put([]),
  };
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
