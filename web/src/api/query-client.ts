import { MutationCache, QueryCache, QueryClient } from "@tanstack/react-query";
import { notifyError } from "../components/notify.ts";
import { ApiError } from "./api-error.ts";

declare module "@tanstack/react-query" {
  interface Register {
    defaultError: ApiError;
    mutationMeta: {
      /** The form shows what went wrong itself: no notification. */
      readonly showsError?: boolean;
    };
  }
}

/** What the caller did wrong, or may not do, is the same the next time. */
const isWorthTrying = (error: Error): boolean =>
  !(error instanceof ApiError) || error.status === 0 || error.status >= 500;

export const queryClient = new QueryClient({
  queryCache: new QueryCache({
    // Stale data stays on the screen; that it could not be renewed is said once.
    onError: (error, query) => {
      if (query.state.data !== undefined && error.status !== 401) notifyError(error);
    },
  }),
  mutationCache: new MutationCache({
    onError: (error, _variables, _result, mutation) => {
      if (!mutation.meta?.showsError && error.status !== 401) notifyError(error);
    },
  }),
  defaultOptions: {
    queries: {
      staleTime: 15_000,
      gcTime: 5 * 60_000,
      retry: (failures, error) => failures < 2 && isWorthTrying(error),
      refetchOnWindowFocus: true,
    },
    mutations: { retry: false },
  },
});
