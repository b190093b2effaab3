import type { GatewayDeps } from "../../gateway/call/gateway.ts";
import type { Route } from "../../http/route.ts";
import { supportedOpenAiParams } from "./supported-openai-params.ts";
import { tokenCounter } from "./token-counter.ts";
import { transformRequest } from "./transform-request.ts";

/** What helps to prepare a call. */
export const utilityRoutes = (deps: GatewayDeps): Route[] => [
  tokenCounter(deps),
  supportedOpenAiParams(deps),
  transformRequest(deps),
];
