import { GatewayError } from "../../contract/errors.ts";

/** One answer for both, so that nobody learns which names exist. */
export const unknownModel = (name: string): GatewayError =>
  new GatewayError("model_not_found", `The model \`${name.slice(0, 200)}\` does not exist or is not accessible.`, {
    param: "model",
  });
