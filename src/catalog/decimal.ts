const DECIMAL = /^(\d{1,40})(?:\.(\d{1,60}))?(?:e([+-]?\d{1,3}))?$/i;

/** An amount taken apart: `units` whole ones and `rest` of `divisor` parts of one more. */
interface Divided {
  readonly units: bigint;
  readonly rest: bigint;
  readonly divisor: bigint;
}

/** A decimal text, or a number through its shortest decimal form, times ten to the `digits`. Null for what is no amount. */
function divideScaled(value: unknown, digits: number): Divided | null {
  if (typeof value !== "string" && typeof value !== "number") return null;
  const found = DECIMAL.exec(String(value).trim());
  if (!found) return null;
  const [, whole = "", fraction = "", exponent = "0"] = found;
  const shift = Number(exponent) - fraction.length + digits;
  const all = BigInt(whole + fraction);
  if (shift >= 0) return { units: all * 10n ** BigInt(shift), rest: 0n, divisor: 1n };
  const divisor = 10n ** BigInt(-shift);
  return { units: all / divisor, rest: all % divisor, divisor };
}

/**
 * A decimal text, or a number through its shortest decimal form, times ten to the `digits`, as an integer. What is finer
 * than one unit is rounded up. Null for what is no amount: text, negative, infinite.
 */
export function parseScaled(value: unknown, digits: number): bigint | null {
  const divided = divideScaled(value, digits);
  return divided && (divided.rest > 0n ? divided.units + 1n : divided.units);
}

/** The same, rounded half to even: what many prices lose by it is neither more nor less than what they gain. */
export function parseNearest(
  value: unknown,
  digits: number,
): { readonly nearest: bigint; readonly exact: boolean } | null {
  const divided = divideScaled(value, digits);
  if (!divided) return null;
  const { units, rest, divisor } = divided;
  const twice = rest * 2n;
  const isUp = twice > divisor || (twice === divisor && units % 2n === 1n);
  return { nearest: isUp ? units + 1n : units, exact: rest === 0n };
}

/** An integer times ten to the minus `digits`, written out without an exponent. */
export function decimalText(value: bigint, digits: number): string {
  const text = String(value).padStart(digits + 1, "0");
  const fraction = text.slice(-digits).replace(/0+$/, "");
  const whole = text.slice(0, -digits);
  return fraction === "" ? whole : `${whole}.${fraction}`;
}

export const ceilDivide = (dividend: bigint, divisor: bigint): bigint => (dividend + divisor - 1n) / divisor;
