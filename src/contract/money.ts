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

/** The largest budget: below it every amount in nano-USD has a number of its own. */
export const BUDGET_USD_MAX = 8_000_000;

/** A number of dollars to the nearest nano-USD; more than nothing is never nothing. */
export const nanoUsd = (usd: number): bigint => BigInt(Math.max(usd > 0 ? 1 : 0, Math.round(usd * 1e9)));

/** Money as people read it: `$12.50`, `-$0.10`, and every digit beyond the cents that there is. */
export function dollars(nano: bigint | number): string {
  const amount = BigInt(nano);
  const [whole = "0", fraction = ""] = formatUsd(amount < 0n ? -amount : amount).split(".");
  return `${amount < 0n ? "-" : ""}$${whole}.${fraction.padEnd(2, "0")}`;
}

/** The same of a decimal text, as answers have it. */
export function dollarText(usd: string): string {
  const [, sign = "", whole = "0", fraction = ""] = /^(-?)(\d+)(?:\.(\d+))?$/.exec(usd) ?? [];
  return `${sign}$${whole}.${fraction.replace(/0+$/, "").padEnd(2, "0")}`;
}
