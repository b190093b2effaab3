/** A price with so many percent on top, rounded up as charges are; percents have at most two decimals. */
export function withMarkup(nano: number | bigint, percent: number): bigint {
  const hundredths = BigInt(Math.round(percent * 100));
  return (BigInt(nano) * (10_000n + hundredths) + 9_999n) / 10_000n;
}
