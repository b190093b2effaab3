import type { AdminCaller, SessionCaller } from "../contract/caller.ts";
import { GatewayError } from "../contract/errors.ts";

/** Who runs this installation: with the master key, or as one of its administrators where that is what counts. */
export interface Operator {
  readonly kind: "operator";
  readonly caller: AdminCaller;
}

/** On whose right something is done: a person has the roles that they were given, the operator may do everything. */
export type Authority = SessionCaller | Operator;

export const asOperator = (caller: AdminCaller): Operator => ({ kind: "operator", caller });

/** The account behind an authority; null for the master key. */
export function userIdOf(authority: Authority): number | null {
  const caller = authority.kind === "operator" ? authority.caller : authority;
  return caller.kind === "session" ? caller.userId : null;
}

/** For what the people of an organization cannot decide for themselves. */
export function requireOperator(authority: Authority, what: string): void {
  if (authority.kind === "operator") return;
  throw new GatewayError("permission", `${what}: only the operator of this installation sets it.`, { param: what });
}
