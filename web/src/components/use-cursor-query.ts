import { type QueryKey, useInfiniteQuery } from "@tanstack/react-query";
import type { ApiError } from "../api/api-error.ts";
import type { Query } from "../api/client.ts";
import type { CursorList, KeyApi } from "../api/key-api.ts";

export interface CursorQuery<Row> {
  /** Undefined until the first of them are there. */
  readonly rows: readonly Row[] | undefined;
  readonly error: ApiError | null;
  readonly isPending: boolean;
  readonly hasMore: boolean;
  readonly isReadingMore: boolean;
  readonly readMore: () => void;
  readonly retry: () => void;
}

interface Options<Row> {
  readonly key: QueryKey;
  readonly path: string;
  readonly query?: Query;
  /** How soon it is read again, by what is known; false for never. */
  readonly refetchMs?: (rows: readonly Row[]) => number | false;
}

const SIZE = 20;

/** A list of the gateway's, from its newest record on; older ones follow when they are asked for. */
export function useCursorQuery<Row>(api: KeyApi, { key, path, query, refetchMs }: Options<Row>): CursorQuery<Row> {
  const found = useInfiniteQuery({
    queryKey: [...key, query ?? {}],
    queryFn: ({ pageParam, signal }) =>
      api.get<CursorList<Row>>(path, { limit: SIZE, ...query, after: pageParam }, signal),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: (last) => (last.has_more && last.last_id !== null ? last.last_id : undefined),
    refetchInterval: ({ state }) => refetchMs?.(state.data?.pages.flatMap(({ data }) => data) ?? []) ?? false,
  });
  return {
    rows: found.data?.pages.flatMap(({ data }) => data),
    error: found.error,
    isPending: found.isPending,
    hasMore: found.hasNextPage,
    isReadingMore: found.isFetchingNextPage,
    readMore: () => void found.fetchNextPage(),
    retry: () => void found.refetch(),
  };
}
