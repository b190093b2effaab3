import { GatewayError } from "../contract/errors.ts";

const NAME_LENGTH_MAX = 100;
const CONTROL = /\p{Cc}/u;

/** The name as it is stored. */
export function cleanName(text: string, param = "name"): string {
  const name = text.trim();
  const length = [...name].length;
  if (length < 1 || length > NAME_LENGTH_MAX) {
    throw new GatewayError("invalid_request", `${param}: it has 1 to ${NAME_LENGTH_MAX} characters.`, { param });
  }
  if (CONTROL.test(name) || !name.isWellFormed()) {
    throw new GatewayError("invalid_request", `${param}: it holds characters that cannot be shown.`, { param });
  }
  return name;
}
