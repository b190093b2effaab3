import { GatewayError } from "../../contract/errors.ts";
import type { GatewayDeps, InferenceCall } from "../call/gateway.ts";
import type { Errand } from "../call/prepared-request.ts";
import { outcome } from "../metering/outcome.ts";
import { noteUnsent } from "../metering/reserve.ts";
import { newRecord } from "../metering/usage-record.ts";

/** Nothing was sent for a caller that left while it waited: it is in the log, and costs nothing. */
export function leftWaiting(deps: GatewayDeps, call: InferenceCall, { operation, request }: Errand): GatewayError {
  noteUnsent(deps, newRecord(deps, call, operation, request, null, "cancelled"), outcome("cancelled", null));
  return callerLeft();
}

export const callerLeft = (): GatewayError =>
  new GatewayError("upstream", "The caller left before there was an answer.");
