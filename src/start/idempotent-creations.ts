import type { KeyCaller, SessionCaller } from "../contract/caller.ts";
import { type IdempotencyDeps, once } from "../gateway/pipeline/idempotency.ts";
import { pathOf } from "../http/path.ts";
import type { Route } from "../http/route.ts";

interface CreationDeps extends IdempotencyDeps {
  readonly sealingKey: Uint8Array;
}

/** What would be there twice if it were sent twice. */
const CREATIONS: ReadonlySet<string> = new Set([
  "/api/billing/checkout",
  "/api/gw/api-keys",
  "/api/gw/teams",
  "/api/v1/keys",
  "/key/generate",
  "/key/service-account/generate",
  "/team/new",
]);

/**
 * The same routes; for those that create keys, teams and purchases `Idempotency-Key` holds, by the rules that calls have. Their answers
 * are sealed while they are kept, because a key may be in them.
 */
export const idempotentCreations = (deps: CreationDeps, routes: readonly Route[]): Route[] =>
  routes.map((route) => {
    if (route.method !== "POST" || !route.paths.some((path) => CREATIONS.has(path))) return route;
    return {
      ...route,
      description: [route.description, "`Idempotency-Key` holds: sent again, it is answered again."]
        .filter((text) => text !== undefined)
        .join(" "),
      errors: [...new Set([...route.errors, "conflict" as const])],
      handle(context) {
        const { caller, request, body } = context;
        const key = request.headers.get("idempotency-key");
        if (key === null || caller === null) return route.handle(context);
        // The organization may be named outside the body, or be the active one: elsewhere the same body is another request.
        const organization = request.headers.get("x-organization-id") || (caller.organizationId ?? "");
        const path = `${pathOf(request.url)}\n${organization}`;
        const { sealingKey } = deps;
        return once(deps, { scope: scopeOf(caller), key, path, body, sealingKey }, () => route.handle(context));
      },
    };
  });

/** A token may do less than its person, and is not given what another one has made. */
function scopeOf(caller: KeyCaller | SessionCaller): string {
  if (caller.kind === "key") return caller.keyId;
  return caller.token ? `token:${caller.token.id}` : `user:${caller.userId}`;
}
