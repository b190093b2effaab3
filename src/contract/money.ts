import { decimalText } from "./decimal-text.ts";

/** Amounts are integer nano-USD; people and headers read them as a decimal of US dollars. */
const NANO_DIGITS = 9;

export const formatUsd = (nano: bigint): string => decimalText(nano, NANO_DIGITS);

const USD = /^(\d{1,7})(?:\.(\d{1,9}))?$/;

/** Dollars as people write them, `12.50`, in nano-USD; null for what is no such amount, or finer than a nano-USD. */
export function parseUsd(text: string): bigint | null {
  const [, whole, fraction = ""] = USD.exec(text.trim()) ?? [];
  return whole === undefined ? null : BigInt(whole + fraction.padEnd(NANO_DIGITS, "0"));
}
