import type { Route } from "../http/route.ts";

/**
 * What is changed is looked up as the database has it now: another process may have made it a moment ago, and this one would
 * say that there is no such thing. Calls that only read go by what is loaded, also while the database is away.
 */
export const withFreshModels = (routes: readonly Route[], renew: () => Promise<void>): Route[] =>
  routes.map((declared) =>
    declared.method === "GET"
      ? declared
      : {
          ...declared,
          async handle(context) {
            await renew();
            return declared.handle(context);
          },
        },
  );
