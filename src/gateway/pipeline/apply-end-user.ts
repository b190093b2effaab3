import type { EndUserRule } from "../../accounts/end-user-rules.ts";
import type { KeyCaller } from "../../contract/caller.ts";
import { GatewayError } from "../../contract/errors.ts";
import type { Fields, GatewayDeps, InferenceCall } from "../call/gateway.ts";
import { endUserOf } from "./end-user.ts";

/** The caller as it acts for the end user whom a call names; a promise only where that one has to be looked up. Throws 403. */
export function forEndUser(
  { endUsers }: GatewayDeps,
  call: InferenceCall,
  request: Fields,
  caller: KeyCaller = call.caller,
): KeyCaller | Promise<KeyCaller> {
  const { organizationId } = caller;
  const name = endUserOf(call, request);
  if (organizationId === null || name === null || caller.endUser === name) return caller;
  const rule = endUsers.find(organizationId, name);
  return rule instanceof Promise ? rule.then((found) => acting(caller, found)) : acting(caller, rule);
}

function acting(caller: KeyCaller, rule: EndUserRule | null): KeyCaller {
  if (rule === null) return caller;
  if (rule.blocked) throw new GatewayError("permission", "The end user whom this call is made for is blocked.");
  return rule.actingFor(caller);
}
