import type { Deployment } from "../../contract/deployment.ts";
import type { Operation } from "../../contract/params.ts";
import type { ChargedUnits } from "../../contract/usage.ts";
import { isRecord } from "../../lib/json.ts";
import type { Fields, GatewayDeps, InferenceCall } from "../call/gateway.ts";
import { outputAtMost, requestedChoices } from "./estimate.ts";
import { CONTEXT_WINDOW, tokensAtMost } from "./prompt-size.ts";
import type { Reservation } from "./reservation.ts";

/** Operations whose tokens can be compared with the text of the request. */
const CHECKED: ReadonlySet<Operation> = new Set(["chat", "completion", "embedding"]);
/** Providers add templates to a prompt, and instructions for its tools. */
const ADDED_TOKENS = 4_000;
/** Tools that the provider runs call the model several times, and each time with what they found. */
const HOSTED_TOOL_CALLS = 4;
/** Some providers do not count reasoning towards the limit of a response. */
const OUTPUT_FACTOR = 2;

/** Whether a call can have used the tokens that its upstream reports. */
export function isPossibleUsage(
  { asked, limits }: Pick<Reservation, "asked" | "limits">,
  units: ChargedUnits,
): boolean {
  if (!CHECKED.has(asked.operation)) return true;
  const window = limits.maxInputTokens ?? CONTEXT_WINDOW;
  const promptMax = hasHostedTools(asked.fields) ? HOSTED_TOOL_CALLS * window : tokensAtMost(asked.measure, limits);
  const outputMax = outputAtMost(asked, limits.maxOutputTokens ?? window) * requestedChoices(asked.fields);
  return (
    units.promptTokens <= promptMax + ADDED_TOKENS && units.completionTokens <= OUTPUT_FACTOR * outputMax + ADDED_TOKENS
  );
}

/** The call is charged by the gateway's own count, and marked as estimated. */
export function reportImpossibleUsage(
  deps: GatewayDeps,
  { callId }: InferenceCall,
  { id, group }: Deployment,
  { promptTokens, completionTokens }: ChargedUnits,
): void {
  deps.metrics.countImpossibleUsage(group);
  deps.log.warn(
    { callId, deployment: id, promptTokens, completionTokens },
    "the provider reported more tokens than the request allows; the call is charged by the gateway's own count",
  );
}

/** Tools other than functions of the client. */
function hasHostedTools({ tools, web_search_options: search }: Fields): boolean {
  if (search !== undefined) return true;
  const isHosted = (tool: unknown): boolean =>
    isRecord(tool) && typeof tool.type === "string" && tool.type !== "function" && tool.type !== "custom";
  return Array.isArray(tools) && tools.some(isHosted);
}
