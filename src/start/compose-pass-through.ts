import type { Config } from "../config/config.ts";
import type { PassThrough } from "../contract/pass-through.ts";
import type { GatewayDeps } from "../gateway/call/gateway.ts";
import { oursBy } from "../gateway/interfaces/pass-through/headers.ts";
import type { Route } from "../http/route.ts";
import { passThroughRoutes } from "../routes/pass-through/pass-through-routes.ts";
import type { LiveConfig } from "./live-config.ts";
import { StartError } from "./start-error.ts";
import { reservedPaths } from "./taken-paths.ts";

/** Our own routes, and the operator's paths beside them. */
export function withPassThroughs(
  declared: readonly Route[],
  { keys, server, passThroughs }: Config,
  live: LiveConfig,
  gateway: GatewayDeps,
): Route[] {
  refuseTaken(declared, passThroughs);
  const deps = {
    gateway,
    requestBytesMax: server.requestBytesMax,
    isOurs: oursBy(keys.headers, `x-${keys.headerPrefix}-`),
    endpoints: () => live.config.passThroughs,
  };
  return [...declared, ...passThroughRoutes(deps, passThroughs)];
}

/** What this program serves itself stays so: whoever calls it must not end up elsewhere, nor the other way round. */
function refuseTaken(declared: readonly Route[], endpoints: readonly PassThrough[]): void {
  const taken = reservedPaths(declared, endpoints);
  if (taken.length === 0) return;
  throw new StartError(
    `These paths of general_settings.pass_through_endpoints cannot be passed on:\n\n  ${taken.map(({ words }) => words).join("\n  ")}\n\n` +
      "Give each another path, such as /pass followed by the present one, and call it there; " +
      "or remove the entry, if what is served here will do.",
  );
}
