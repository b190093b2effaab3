/** Amounts are integer nano-USD; people and headers read them as a decimal of US dollars. */
const NANO_DIGITS = 9;

export function formatUsd(nano: bigint): string {
  const sign = nano < 0n ? "-" : "";
  const digits = (nano < 0n ? -nano : nano).toString().padStart(NANO_DIGITS + 1, "0");
  const fraction = digits.slice(-NANO_DIGITS).replace(/0+$/, "");
  const whole = digits.slice(0, -NANO_DIGITS);
  return sign + (fraction === "" ? whole : `${whole}.${fraction}`);
}
