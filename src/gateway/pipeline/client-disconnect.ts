import { GatewayError } from "../../contract/errors.ts";
import type { GatewayDeps, InferenceCall } from "../call/gateway.ts";
import type { PreparedRequest } from "../call/prepared-request.ts";
import { outcome } from "../metering/outcome.ts";
import { logUnsentCall } from "../metering/reserve.ts";
import { newRecord } from "../metering/usage-record.ts";

/** Nothing was sent for a caller that left while it waited: it is in the log, and costs nothing. */
export function disconnectedWhileWaiting(
  deps: GatewayDeps,
  call: InferenceCall,
  { operation, request }: PreparedRequest,
): GatewayError {
  logUnsentCall(deps, newRecord(deps, call, operation, request, null, "cancelled"), outcome("cancelled", null));
  return clientDisconnected();
}

export const clientDisconnected = (): GatewayError =>
  new GatewayError("upstream", "The caller left before there was an answer.");
