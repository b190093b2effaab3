/** One USD in nano-USD, in which all amounts are kept. */
const NANO = 1_000_000_000n;

export type NanoUsd = number | bigint | string;

/** The exact amount: at least two decimals, at most nine, nothing rounded. */
export function exactUsd(nano: NanoUsd): string {
  const { sign, whole, fraction } = parts(BigInt(nano));
  const decimals = fraction.toString().padStart(9, "0").replace(/0+$/, "").padEnd(2, "0");
  return `${sign}$${whole.toLocaleString("en-US")}.${decimals}`;
}

/** For reading: cents from a dollar on, below it as many decimals as say something. The exact amount goes beside it. */
export function shortUsd(nano: NanoUsd): string {
  const amount = BigInt(nano);
  const size = amount < 0n ? -amount : amount;
  if (size === 0n) return "$0.00";
  // Up to four decimals below a dollar, six below a cent; an amount is never shown as nothing.
  const digits = size >= NANO ? 2 : size >= NANO / 100n ? 4 : 6;
  const unit = 10n ** BigInt(9 - digits);
  const rounded = ((size + unit / 2n) / unit) * unit;
  if (rounded === 0n) return amount < 0n ? "> -$0.000001" : "< $0.000001";
  return exactUsd(amount < 0n ? -rounded : rounded);
}

function parts(nano: bigint): { sign: string; whole: bigint; fraction: bigint } {
  const size = nano < 0n ? -nano : nano;
  return { sign: nano < 0n ? "-" : "", whole: size / NANO, fraction: size % NANO };
}
