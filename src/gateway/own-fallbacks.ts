import { ownFallbacks } from "./attempts/read-own-fallbacks.ts";
import type { Fields, GatewayDeps, InferenceCall } from "./deps.ts";
import { resolveForCaller } from "./model-access.ts";

/** A request may name only such models to stand in as it may call, and is told so before anything is sent. */
export function checkOwnFallbacks(deps: GatewayDeps, { caller }: InferenceCall, request: Fields): void {
  const { listed, table, forLongPrompts } = ownFallbacks(request);
  for (const name of listed ?? []) resolveForCaller(deps.catalog(), caller, name);
  for (const name of Object.values(table ?? {}).flat()) resolveForCaller(deps.catalog(), caller, name);
  for (const name of Object.values(forLongPrompts ?? {})) resolveForCaller(deps.catalog(), caller, name);
}
