import type { Route } from "../http/route.ts";
import type { Siblings } from "../workers/worker-bus.ts";

/**
 * What a request has changed holds in every worker before it is answered: a key that was deleted is refused everywhere, and a
 * wrong password counts everywhere. Calls of models change nothing that others would have to know before their answer.
 */
export const tellSiblings = (routes: readonly Route[], siblings: Siblings): Route[] =>
  routes.map((route) => {
    if (route.method === "GET" || route.sheddable) return route;
    const { handle } = route;
    return {
      ...route,
      async handle(context) {
        try {
          return await handle(context);
        } finally {
          await siblings.told();
        }
      },
    };
  });
