import { GatewayError } from "../contract/errors.ts";
import type { Errand } from "./attempts/errand.ts";
import type { GatewayDeps, InferenceCall } from "./deps.ts";
import { noteUnsent } from "./metering/book.ts";
import { newRecord } from "./metering/call-record.ts";
import { outcome } from "./metering/outcome.ts";

/** Nothing was sent for a caller that left while it waited: it is in the log, and costs nothing. */
export function leftWaiting(deps: GatewayDeps, call: InferenceCall, { operation, request }: Errand): GatewayError {
  noteUnsent(deps, newRecord(deps, call, operation, request, null, "cancelled"), outcome("cancelled", null));
  return callerLeft();
}

export const callerLeft = (): GatewayError =>
  new GatewayError("upstream", "The caller left before there was an answer.");
