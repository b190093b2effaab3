import { GatewayError } from "../../contract/errors.ts";
import type { Fields, InferenceCall } from "../call/gateway.ts";
import { endUserOf } from "./end-user.ts";

/** For gateways where every call says whom it is made for. What the program asks by itself is made for nobody in particular. */
export function requireEndUser(call: InferenceCall, request: Fields): void {
  if (call.own || call.personal || endUserOf(call, request) !== null) return;
  throw new GatewayError(
    "invalid_request",
    "This gateway wants to know whom a call is made for: send `user`, or the header `x-gw-end-user-id`.",
    { param: "user" },
  );
}
