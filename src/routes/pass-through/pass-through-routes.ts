import { type ErrorKind, GatewayError } from "../../contract/errors.ts";
import type { PassedMethod, PassThrough } from "../../contract/pass-through.ts";
import { type PassingDeps, passThrough } from "../../gateway/interfaces/pass-through/pass-through.ts";
import { type Route, route } from "../../http/route.ts";
import { callOf } from "../inference/call-of.ts";

interface Deps extends PassingDeps {
  /** As the configuration has them now. */
  readonly endpoints: () => readonly PassThrough[];
}

/** The operator's own paths. Which there are, and who may call them, is known at the start; where they lead may change. */
export const passThroughRoutes = (deps: Deps, endpoints: readonly PassThrough[]): Route[] =>
  endpoints.flatMap((endpoint) => endpoint.methods.map((method) => passedOn(deps, endpoint, method)));

function passedOn(deps: Deps, { path, includeSubpath, needsKey }: PassThrough, method: PassedMethod): Route {
  const present = (): PassThrough => {
    const found = deps.endpoints().find((one) => one.path === path && one.methods.includes(method));
    if (!found) throw new GatewayError("not_found", `There is no ${path} here any more.`);
    return found;
  };
  const shared = {
    method,
    paths: includeSubpath ? ([path, `${path}/`, `${path}/{rest...}`] as const) : ([path] as const),
    tag: "Pass-through",
    summary: "Passed on as it is",
    description: "Goes to an address of the operator's as it is, and what comes back is the answer of that.",
    success: "*/*",
    sheddable: true,
    errors: ERRORS,
  };
  if (!needsKey) {
    return route({ ...shared, auth: "none", handle: (context) => passThrough(deps, present(), context, null) });
  }
  return route({
    ...shared,
    auth: "key",
    handle: (context) => passThrough(deps, present(), context, callOf(context, path)),
  });
}

const ERRORS: readonly ErrorKind[] = [
  "invalid_request",
  "body_too_large",
  "not_found",
  "timeout",
  "upstream",
  "connection",
  "team_blocked",
  "rate_limit",
  "insufficient_quota",
  "budget_exceeded",
];
