import { GatewayError } from "../../../contract/errors.ts";

/** What cannot be carried out over a chat is said, never left out in silence. */
export const refuse = (param: string, reason: string): never => {
  throw new GatewayError("invalid_request", reason, { param });
};
