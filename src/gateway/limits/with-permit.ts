import { GatewayError } from "../../contract/errors.ts";
import type { Operation } from "../../contract/params.ts";
import type { Permit } from "../../limits/meter.ts";
import type { Fields, GatewayDeps, InferenceCall } from "../deps.ts";
import { endUserOf } from "../end-user.ts";
import { noteRefusal } from "../metering/book.ts";
import { newRecord } from "../metering/call-record.ts";
import type { MeteredCall } from "../metering/metered-call.ts";
import type { PromptMeasure } from "../metering/prompt-measure.ts";
import { tokensAsked, tokensOf } from "./count-tokens.ts";
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
export async function withPermit(
  deps: GatewayDeps,
  call: InferenceCall,
  entrant: Entrant,
  go: (watch: Watch) => Promise<Response>,
): Promise<Response> {
  if (!deps.limits.applyTo(call.caller)) return go(null);
  const permit = await admit(deps, call, entrant);
  let isBooked = false;
  try {
    const response = await go((meter) => {
      isBooked = true;
      meter.onEnd(({ units }) => permit.end(tokensOf(units)));
    });
    // An answer that no deployment was asked for, such as one from the cache.
    if (!isBooked) permit.end(0);
    const headers = limitHeaders(permit.states);
    for (const name in headers) response.headers.set(name, headers[name] ?? "");
    return response;
  } catch (thrown) {
    permit.end(0);
    throw thrown;
  }
}

/** A call that is refused has a row in the log as well. */
async function admit(deps: GatewayDeps, call: InferenceCall, entrant: Entrant): Promise<Permit> {
  const { operation, request, measure, group } = entrant;
  try {
    return await deps.limits.admit({
      caller: call.caller,
      names: [group, call.model],
      endUser: () => endUserOf(call, request),
      tokens: tokensAsked(request, measure),
    });
  } catch (thrown) {
    if (thrown instanceof GatewayError) {
      noteRefusal(deps, { ...newRecord(deps, call, operation, request, null, "rejected"), model: group }, thrown);
    }
    throw thrown;
  }
}
