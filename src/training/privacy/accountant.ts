/** Orders at which the Renyi divergence is followed; the best of them is told. */
const ORDERS: readonly number[] = [...Array.from({ length: 63 }, (_, at) => at + 2), 80, 96, 128, 192, 256, 512];

/**
 * The Renyi divergence, at an integer order, of one round of the Gaussian mechanism over a Poisson sample (Mironov, Talwar and
 * Zhang 2019): noise of `multiplier` times the clip, everybody taking part with probability `rate`.
 */
export function renyiDivergence(rate: number, multiplier: number, order: number): number {
  if (multiplier === 0) return Number.POSITIVE_INFINITY;
  if (rate === 0) return 0;
  if (rate === 1) return order / (2 * multiplier ** 2);
  let logSum = Number.NEGATIVE_INFINITY;
  let logBinomial = 0;
  for (let k = 0; k <= order; k++) {
    if (k > 0) logBinomial += Math.log(order - k + 1) - Math.log(k);
    const term =
      logBinomial + (order - k) * Math.log1p(-rate) + k * Math.log(rate) + (k * k - k) / (2 * multiplier ** 2);
    logSum = addLogs(logSum, term);
  }
  return Math.max(0, logSum / (order - 1));
}

interface Spent {
  /** With which probability somebody took part, for each round. */
  readonly rates: readonly number[];
  readonly multiplier: number;
  readonly delta: number;
}

/** The epsilon that is spent after these rounds, for a delta (conversion of Balle et al. 2020). */
export function epsilonOf({ rates, multiplier, delta }: Spent): number {
  if (!(delta > 0 && delta < 1)) throw new RangeError("delta lies between 0 and 1");
  const rounds = [...Map.groupBy(rates, (rate) => rate)].map(([rate, { length }]) => ({ rate, count: length }));
  const epsilons = ORDERS.map((order) => {
    const spent = rounds.reduce((sum, { rate, count }) => sum + count * renyiDivergence(rate, multiplier, order), 0);
    return spent + Math.log1p(-1 / order) - (Math.log(delta) + Math.log(order)) / (order - 1);
  });
  return Math.max(0, Math.min(...epsilons));
}

function addLogs(a: number, b: number): number {
  const [low, high] = a < b ? [a, b] : [b, a];
  return low === Number.NEGATIVE_INFINITY ? high : high + Math.log1p(Math.exp(low - high));
}
