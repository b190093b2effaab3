import { GatewayError } from "./errors.ts";

/** A deployment lacks what only the operator can set. Its message is the operator's to read; callers are told whom to ask. */
export class SetupError extends GatewayError {
  /** Who calls cannot set it, and need not know how the gateway is configured. The log has what is to be set. */
  forCallers(): GatewayError {
    return new GatewayError(
      this.kind,
      "The model is not set up: its provider has not been configured with what it needs. Please ask the operator of this gateway.",
      { cause: this },
    );
  }
}
