import { keepPreviousData, type QueryKey, useQuery } from "@tanstack/react-query";
import { apiGet, type Query } from "../api/client.ts";
import type { Paged } from "../api/paged.ts";
import { type Step, useSearchState } from "../app/use-search-state.ts";

const SIZES = ["20", "50", "100"] as const;

export interface Table<F extends Readonly<Record<string, string>>> {
  /** Everything of the table that stands in the address bar; filters beside `page`, `size` and `sort`. */
  readonly state: F & TableState;
  readonly set: (changes: Partial<F & TableState>, how?: Step) => void;
}

export interface TableState {
  readonly page: string;
  readonly size: string;
  /** A column, `-column` from the largest down, or nothing. */
  readonly sort: string;
  readonly [name: string]: string;
}

/** Page, size, order and filters of a table, in the address bar. `filters` holds their names and defaults; keep it outside the component. */
export function useTable<F extends Readonly<Record<string, string>>>(filters: F, sort = ""): Table<F> {
  const defaults = { page: "1", size: SIZES[0], sort, ...filters } as unknown as F & TableState;
  const [state, set] = useSearchState(defaults);
  return { state, set: set as Table<F>["set"] };
}

interface PagedQuery {
  readonly key: QueryKey;
  readonly path: string;
  /** What the server filters by; empty ones are left out. The order is the table's own. */
  readonly query?: Query;
  readonly refetchMs?: number;
}

/** One page of a list. The page before stays on the screen while the next one is read: nothing jumps. */
export function usePagedQuery<Row>(
  { state }: { readonly state: TableState },
  { key, path, query = {}, refetchMs }: PagedQuery,
) {
  const asked = { ...query, sort: state.sort, page: state.page, pageSize: state.size };
  return useQuery({
    queryKey: [...key, asked],
    queryFn: ({ signal }) => apiGet<Paged<Row>>(path, asked, signal),
    placeholderData: keepPreviousData,
    ...(refetchMs === undefined ? {} : { refetchInterval: refetchMs }),
  });
}
