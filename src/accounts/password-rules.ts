import { GatewayError } from "../contract/errors.ts";

const CHARS_MIN = 8;
const CHARS_MAX = 128;

/** What guessers try first. Length and this list do more than rules about digits and signs. */
const COMMON = new Set(
  `12345678 123456789 1234567890 password password1 password123 passw0rd qwertyui qwerty123 1q2w3e4r 1qaz2wsx iloveyou
  sunshine princess football baseball superman letmein1 welcome1 trustno1 whatever starwars computer michelle jennifer
  11111111 00000000 87654321 abcd1234 abc12345 asdfghjk zaq12wsx changeme administrator admin123 admin1234 turnpike`
    .trim()
    .split(/\s+/),
);

/** Throws, in words, for a password that should not be one. */
export function checkPassword(password: string, email: string): void {
  const refuse = (message: string): never => {
    throw new GatewayError("invalid_request", message, { param: "password" });
  };
  if (password.length < CHARS_MIN) refuse(`password: use at least ${CHARS_MIN} characters.`);
  if (password.length > CHARS_MAX) refuse(`password: use at most ${CHARS_MAX} characters.`);
  const lower = password.toLowerCase();
  if (COMMON.has(lower)) refuse("password: this one is among the first that anybody would guess.");
  if (lower === email.toLowerCase() || lower === email.toLowerCase().split("@")[0]) {
    refuse("password: it must not be the e-mail.");
  }
}
