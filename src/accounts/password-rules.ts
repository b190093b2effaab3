import { GatewayError } from "../contract/errors.ts";
import { isCommonPassword } from "./common-passwords.ts";

const CHARS_MIN = 8;
const CHARS_MAX = 128;

/** Throws, in words, for a password that should not be one. */
export function checkPassword(password: string, email: string): void {
  const refuse = (message: string): never => {
    throw new GatewayError("invalid_request", message, { param: "password" });
  };
  if (password.length < CHARS_MIN) refuse(`password: use at least ${CHARS_MIN} characters.`);
  if (password.length > CHARS_MAX) refuse(`password: use at most ${CHARS_MAX} characters.`);
  const lower = password.toLowerCase();
  if (isCommonPassword(password)) refuse("password: this one is among the first that anybody would guess.");
  if (lower === email.toLowerCase() || lower === email.toLowerCase().split("@")[0]) {
    refuse("password: it must not be the e-mail.");
  }
}
