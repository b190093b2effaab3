import { GatewayError } from "../contract/errors.ts";

/** Names of guardrails that a key or a team has; each of them must be one. */
export function readGuardrailNames(
  names: readonly string[],
  isGuardrail: (name: string) => boolean,
): readonly string[] {
  const unknown = names.find((name) => !isGuardrail(name));
  if (unknown === undefined) return [...new Set(names)];
  throw new GatewayError("invalid_request", `guardrails: there is no guardrail \`${unknown.slice(0, 100)}\`.`, {
    param: "guardrails",
  });
}

/** What somebody put on a key is taken off by administrators alone, not by whoever has made the key. */
export function requireMayTakeOff(before: readonly string[], after: readonly string[], isAdmin: boolean): void {
  if (isAdmin || before.every((name) => after.includes(name))) return;
  throw new GatewayError("permission", "Only an administrator of the team takes guardrails off a key.");
}
