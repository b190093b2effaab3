const DECIMAL = /^(\d{1,40})(?:\.(\d{1,60}))?(?:e([+-]?\d{1,3}))?$/i;

/**
 * A decimal text, or a number through its shortest decimal form, times ten to the `digits`, as an integer. What is finer
 * than one unit is rounded up. Null for what is no amount: text, negative, infinite.
 */
export function parseScaled(value: unknown, digits: number): bigint | null {
  if (typeof value !== "string" && typeof value !== "number") return null;
  const found = DECIMAL.exec(String(value).trim());
  if (!found) return null;
  const [, whole = "", fraction = "", exponent = "0"] = found;
  const shift = Number(exponent) - fraction.length + digits;
  const all = BigInt(whole + fraction);
  if (shift >= 0) return all * 10n ** BigInt(shift);
  return ceilDivide(all, 10n ** BigInt(-shift));
}

export const ceilDivide = (dividend: bigint, divisor: bigint): bigint => (dividend + divisor - 1n) / divisor;
