import { GatewayError } from "../../contract/errors.ts";
import type { Operation } from "../../contract/params.ts";
import type { Permit } from "../../limits/meter.ts";
import type { Fields, GatewayDeps, InferenceCall } from "../deps.ts";
import { noteRefusal } from "../metering/book.ts";
import { newRecord } from "../metering/call-record.ts";
import type { MeteredCall } from "../metering/metered-call.ts";
import type { PromptMeasure } from "../metering/prompt-measure.ts";
import { tokensAsked } from "./count-tokens.ts";
import { limitHeaders } from "./tell-limits.ts";

/** A call that asks to be let in. */
export interface Entrant {
  readonly operation: Operation;
  readonly request: Fields;
  readonly measure: PromptMeasure;
  readonly group: string;
}

/** To be told of the call once it is in the books; null where no limit waits for its end. */
export type Watch = ((meter: MeteredCall) => void) | null;

/**
 * Lets a call in within the limits of its caller; its place is free again when the call has ended, however it does. What is
 * left of the limits is told with the answer. Callers without limits pass at once.
 */
export function withPermit(
  deps: GatewayDeps,
  call: InferenceCall,
  entrant: Entrant,
  go: (watch: Watch) => Promise<Response>,
): Promise<Response> {
  return deps.limits.applyTo(call.caller) ? limited(deps, call, entrant, go) : go(null);
}

async function limited(
  deps: GatewayDeps,
  call: InferenceCall,
  entrant: Entrant,
  go: (watch: Watch) => Promise<Response>,
): Promise<Response> {
  const admitted = admit(deps, call, entrant);
  const permit = admitted instanceof Promise ? await admitted : admitted;
  limitHeaders(permit.states, call.told);
  let isBooked = false;
  try {
    const response = await go((meter) => {
      isBooked = true;
      meter.holdUntilEnd(permit);
    });
    // An answer that no deployment was asked for, such as one from the cache.
    if (!isBooked) permit.end(0);
    return response;
  } catch (thrown) {
    permit.end(0);
    throw thrown;
  }
}

function admit(deps: GatewayDeps, call: InferenceCall, entrant: Entrant): Permit | Promise<Permit> {
  const { request, measure, group } = entrant;
  try {
    const admitted = deps.limits.admit({ call, request, group, tokens: tokensAsked(request, measure) });
    if (!(admitted instanceof Promise)) return admitted;
    return admitted.catch((thrown: unknown) => {
      throw noted(deps, call, entrant, thrown);
    });
  } catch (thrown) {
    throw noted(deps, call, entrant, thrown);
  }
}

/** A call that is refused has a row in the log as well. */
function noted(
  deps: GatewayDeps,
  call: InferenceCall,
  { operation, request, group }: Entrant,
  thrown: unknown,
): unknown {
  if (thrown instanceof GatewayError) {
    noteRefusal(deps, { ...newRecord(deps, call, operation, request, null, "rejected"), model: group }, thrown);
  }
  return thrown;
}
