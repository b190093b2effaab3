import type { KeyCaller } from "../../contract/caller.ts";
import type { Deployment } from "../../contract/deployment.ts";
import { GatewayError } from "../../contract/errors.ts";
import type { Permit } from "../../limits/meter.ts";
import type { CallHook } from "../call/call-hooks.ts";
import type { GatewayDeps, InferenceCall } from "../call/gateway.ts";
import type { PreparedRequest, RequestLabel } from "../call/prepared-request.ts";
import { tokensAskedAtMost, tokensOf } from "../limits/request-tokens.ts";
import type { CallEnding } from "../metering/outcome.ts";
import { countExactly } from "../metering/prompt-size.ts";
import { logRejectedCall } from "../metering/reserve.ts";
import { newRecord } from "../metering/usage-record.ts";
import { forEndUser } from "./apply-end-user.ts";
import { keyRules } from "./response-headers.ts";

/** A place in the limits of a caller: free again when the call has ended, however it does. */
class HeldPermit implements CallHook {
  constructor(private readonly permit: Permit) {}

  /** What the call took of tokens is set right by what it used. */
  end({ units }: CallEnding): Promise<unknown> | null {
    return this.permit.end(tokensOf(units));
  }

  leave(): Promise<unknown> | null {
    return this.permit.end(0);
  }
}

/** From here on the caller has the limits and the budget of whom the call is made for, too. Throws where that one is blocked. */
export function applyEndUser(deps: GatewayDeps, call: InferenceCall, prepared: RequestLabel): Promise<void> | null {
  try {
    const caller = forEndUser(deps, call, prepared.request);
    if (caller instanceof Promise) return actAfter(caller, deps, call, prepared);
    call.caller = caller;
    return null;
  } catch (thrown) {
    throw loggedRejection(deps, call, prepared, thrown);
  }
}

async function actAfter(
  caller: Promise<KeyCaller>,
  deps: GatewayDeps,
  call: InferenceCall,
  prepared: RequestLabel,
): Promise<void> {
  try {
    call.caller = await caller;
  } catch (thrown) {
    throw loggedRejection(deps, call, prepared, thrown);
  }
}

/** Lets a call in within the limits of its caller, or throws. What is left of the limits is told with the answer. */
export function enforceLimits(deps: GatewayDeps, call: InferenceCall, prepared: PreparedRequest): Promise<void> | null {
  const { request, measure, deployments } = prepared;
  // A name that nobody serves is refused before.
  const deployment = deployments[0] as Deployment;
  try {
    const exactTokens = async (): Promise<number> => {
      await countExactly(measure, call.signal);
      return tokensAskedAtMost(request, measure);
    };
    const tokens = tokensAskedAtMost(request, measure);
    const admitted = deps.limits.admit({ call, request, deployment, tokens, exactTokens });
    if (admitted instanceof Promise) return waitFor(admitted, deps, call, prepared);
    enter(admitted, call, prepared);
    return null;
  } catch (thrown) {
    throw loggedRejection(deps, call, prepared, thrown);
  }
}

async function waitFor(
  admitted: Promise<Permit>,
  deps: GatewayDeps,
  call: InferenceCall,
  prepared: PreparedRequest,
): Promise<void> {
  try {
    enter(await admitted, call, prepared);
  } catch (thrown) {
    throw loggedRejection(deps, call, prepared, thrown);
  }
}

function enter(permit: Permit, call: InferenceCall, { hooks }: PreparedRequest): void {
  call.responseMeta.limits = permit.states;
  hooks.join(new HeldPermit(permit));
}

/** A call that is refused has a row in the log as well. */
export function loggedRejection(
  deps: GatewayDeps,
  call: InferenceCall,
  { operation, request, group }: RequestLabel,
  thrown: unknown,
): unknown {
  if (!(thrown instanceof GatewayError)) return thrown;
  logRejectedCall(deps, { ...newRecord(deps, call, operation, request, null, "rejected"), model: group }, thrown);
  // What the key may do is told as with an answer.
  const headers = { ...keyRules(call.caller), ...thrown.headers };
  return new GatewayError(thrown.kind, thrown.message, { cause: thrown.cause, headers });
}
