import { GatewayError } from "../../contract/errors.ts";

export const TITLE = "Amazon Bedrock";

export const brokenAnswer = (what: string): GatewayError => new GatewayError("upstream", `${TITLE}'s answer ${what}.`);

export const refusedMessage = (message: string): GatewayError =>
  new GatewayError("invalid_request", message, { param: "messages" });
