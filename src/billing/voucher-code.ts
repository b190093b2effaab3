import { hmacHex } from "../lib/hmac.ts";

/** Without letters that look like digits; 32 of them, so that a byte has no favourite. */
const ALPHABET = "0123456789ABCDEFGHJKMNPQRSTVWXYZ";
const GROUPS = 4;
const GROUP_LENGTH = 5;

/** A hundred random bits in a form that can be read out on the telephone. */
export function newVoucherCode(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(GROUPS * GROUP_LENGTH));
  const text = Array.from(bytes, (byte) => ALPHABET.charAt(byte % ALPHABET.length)).join("");
  return `TP-${text.match(/.{5}/g)?.join("-")}`;
}

/** The code as it was meant: without what people put between, and with the digits that they took for letters. */
export function readVoucherCode(text: string): string | null {
  const plain = text
    .toUpperCase()
    .replace(/[^0-9A-Z]/g, "")
    .replace(/^TP/, "")
    .replaceAll("O", "0")
    .replace(/[IL]/g, "1");
  return plain.length === GROUPS * GROUP_LENGTH && [...plain].every((letter) => ALPHABET.includes(letter))
    ? plain
    : null;
}

export const hashVoucher = (pepper: string, plain: string): string => hmacHex(pepper, plain);
