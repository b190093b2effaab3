import type { Route } from "../http/route.ts";
import type { WorkerBus } from "../workers/worker-bus.ts";

/**
 * What a request has changed holds in every worker before it is answered: a key that was deleted is refused everywhere, and a
 * wrong password counts everywhere. Calls of models change nothing that others would have to know before their answer.
 */
export const withWorkerSync = (routes: readonly Route[], workerBus: WorkerBus): Route[] =>
  routes.map((route) => {
    if (route.method === "GET" || route.sheddable) return route;
    const { handle } = route;
    return {
      ...route,
      async handle(context) {
        try {
          return await handle(context);
        } finally {
          await workerBus.told();
        }
      },
    };
  });
