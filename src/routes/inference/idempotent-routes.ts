import { GatewayError } from "../../contract/errors.ts";
import { type IdempotencyDeps, once } from "../../gateway/pipeline/idempotency.ts";
import { pathOf } from "../../http/path.ts";
import type { Route } from "../../http/route.ts";

/** The same routes, for which `Idempotency-Key` holds. Who does not send it pays nothing for it. */
export const idempotent = (deps: IdempotencyDeps, routes: readonly Route[]): Route[] =>
  routes.map((route) => ({
    ...route,
    errors: route.errors.includes("conflict") ? route.errors : [...route.errors, "conflict"],
    handle(context) {
      const { caller, request, query, body } = context;
      const key = request.headers.get("idempotency-key");
      if (key === null || caller === null) return route.handle(context);
      if (route.form) {
        throw new GatewayError("invalid_request", "`Idempotency-Key` is not served for files; leave it out.");
      }
      const scope = caller.kind === "key" ? caller.keyId : `user:${caller.userId}`;
      return once(deps, { scope, key, path: pathOf(request.url), query, body }, () => route.handle(context));
    },
  }));
