import { MutationCache, notifyManager, QueryCache, QueryClient } from "@tanstack/react-query";
import { forgetAway, notifyAway, notifyError } from "../components/notify.ts";
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

// By default a timer tells components that a change is under way; a second click overtakes it where the machine is busy, and what
// was to be done once (a key rotated, money given) is done twice. A microtask is there before any further click.
notifyManager.setScheduler(queueMicrotask);

/** What the caller did wrong, or may not do, is the same the next time. */
const isWorthTrying = (error: Error): boolean =>
  !(error instanceof ApiError) || error.status === 0 || error.status >= 500;

/** Nobody answered, or not yet: the next try may do. A fault of the server's own is told instead, and asked for again by hand. */
const isAway = (error: Error | null): boolean => error instanceof ApiError && [0, 502, 503, 504].includes(error.status);
const AWAY_MS = 5000;
/**
 * Whether the machine has a network says nothing of a server that may run on it. By default everything would wait for one, in
 * silence, and changes would be made by themselves once there is one.
 */
const networkMode = "always";

export const queryClient = new QueryClient({
  queryCache: new QueryCache({
    // Stale data stays on the screen; that it could not be renewed is said once.
    onError: (error, query) => {
      if (query.state.data === undefined || error.status === 401) return;
      if (isAway(error)) notifyAway(error);
      else notifyError(error);
    },
    onSuccess: forgetAway,
  }),
  mutationCache: new MutationCache({
    onError: (error, _variables, _result, mutation) => {
      if (!mutation.meta?.showsError && error.status !== 401) notifyError(error);
    },
  }),
  defaultOptions: {
    queries: {
      networkMode,
      staleTime: 15_000,
      gcTime: 5 * 60_000,
      retry: (failures, error) => failures < 2 && isWorthTrying(error),
      refetchOnWindowFocus: true,
      refetchInterval: ({ state }) => (isAway(state.error) ? AWAY_MS : false),
    },
    mutations: { networkMode, retry: false },
  },
});
