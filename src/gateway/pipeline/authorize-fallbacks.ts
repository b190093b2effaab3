import { requestFallbacks } from "../attempts/request-fallbacks.ts";
import type { Fields, GatewayDeps, InferenceCall } from "../call/gateway.ts";
import { resolveForCaller } from "./authorize-model.ts";

/** A request may name only such models to stand in as it may call, and is told so before anything is sent. */
export function authorizeFallbacks(deps: GatewayDeps, { caller }: InferenceCall, request: Fields): void {
  const { listed, table, forLongPrompts } = requestFallbacks(request);
  if (listed === null && table === null && forLongPrompts === null) return;
  const named = request.fallbacks ? "fallbacks" : "models";
  const check = (name: string, param: string) => resolveForCaller(deps.catalog(), caller, name, param);
  for (const name of listed ?? []) check(name, named);
  for (const name of Object.values(table ?? {}).flat()) check(name, named);
  for (const name of Object.values(forLongPrompts ?? {})) check(name, "context_window_fallback_dict");
}
