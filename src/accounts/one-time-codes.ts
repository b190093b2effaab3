const PERIOD_SECONDS = 30;
/** A code of the step before or after is good too: clocks differ, and people type slowly. */
const WINDOW = 1;
const ISSUER = "Turnpike";

/** A server whose people have no second factor does without it. */
const load = () => import("otpauth");

/** A new secret for somebody's app, in the letters that people can type. */
export async function newTotpSecret(): Promise<string> {
  const { Secret } = await load();
  return new Secret({ size: 20 }).base32;
}

/** What apps read from a picture or a link. */
export const totpUri = async (secret: string, email: string): Promise<string> =>
  (await totpOf(secret, email)).toString();

/** The step of time that a code belongs to; null when it belongs to none that is near. */
export async function stepOf(secret: string, code: string, nowMs: number): Promise<number | null> {
  const totp = await totpOf(secret, "");
  const delta = totp.validate({ token: code, timestamp: nowMs, window: WINDOW });
  return delta === null ? null : totp.counter({ timestamp: nowMs }) + delta;
}

async function totpOf(secret: string, label: string) {
  const { TOTP } = await load();
  return new TOTP({ issuer: ISSUER, label, secret, algorithm: "SHA1", digits: 6, period: PERIOD_SECONDS });
}

/** Without letters and digits that look alike. */
const ALPHABET = "23456789abcdefghjkmnpqrstuvwxyz";
const CODE_CHARS = 12;

/** `xxxx-xxxx-xxxx`, drawn without bias. */
export function newRecoveryCode(): string {
  const letters = drawLetters(ALPHABET, CODE_CHARS);
  return [letters.slice(0, 4), letters.slice(4, 8), letters.slice(8)].join("-");
}

export function drawLetters(alphabet: string, length: number): string {
  // Bytes past the last whole multiple of the alphabet would favour its first letters.
  const limit = 256 - (256 % alphabet.length);
  let text = "";
  while (text.length < length) {
    for (const byte of crypto.getRandomValues(new Uint8Array(length))) {
      if (byte < limit && text.length < length) text += alphabet.charAt(byte % alphabet.length);
    }
  }
  return text;
}

/** As people type it: spaces, dashes and capitals do not count. */
export const plainCode = (typed: string): string => typed.replace(/[\s-]/g, "").toLowerCase();
