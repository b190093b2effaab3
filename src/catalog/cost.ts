import type { CallUnits, CostPart } from "../contract/usage.ts";
import { ceilDivide } from "./decimal.ts";
import { MILLI, type PriceComponent, type Prices, priceAt, toNanoUsd } from "./price.ts";
import { type PriceSheet, priceSheet } from "./price-sheet.ts";
import { type MeteredUsage, unitsOf } from "./units.ts";

export interface Cost {
  /** In nano-USD, with the mark-up. */
  readonly cost: bigint;
  /** What the provider asks for it. */
  readonly providerCost: bigint;
  /** What the cost is made of; adds up to it exactly. */
  readonly parts: readonly CostPart[];
}

export const NO_COST: Cost = { cost: 0n, providerCost: 0n, parts: [] };

const WHOLE_BP = 10_000n;
/** The largest amount that JSON's numbers hold exactly, some nine million dollars: no call costs more. */
const COST_MAX = BigInt(Number.MAX_SAFE_INTEGER);

/** What a call costs: a pure function of the units and the sheet, so that any charge can be computed again. */
export function costOf(sheet: PriceSheet, units: CallUnits): Cost {
  const exact: ExactPart[] = [];
  let total = 0n;
  for (const { component, price } of sheet.charged) {
    const thousandths = quantity(component, units);
    if (thousandths === 0) continue;
    const femtoUsd = priceAt(price, units.promptTokens);
    const exactly = BigInt(thousandths);
    const amount = femtoUsd * exactly;
    total += amount;
    if (amount > 0n) exact.push({ component, thousandths: exactly, femtoUsd, amount });
  }
  if (total === 0n) return NO_COST;
  const cost = withMarkup(sheet, total);
  return { cost, providerCost: smaller(toNanoUsd(total), COST_MAX), parts: share(exact, total, cost) };
}

/** The cost alone, for estimates. */
export function amountOf(sheet: PriceSheet, units: CallUnits): bigint {
  let total = 0n;
  for (const { component, price } of sheet.charged) {
    const thousandths = quantity(component, units);
    if (thousandths !== 0) total += priceAt(price, units.promptTokens) * BigInt(thousandths);
  }
  return withMarkup(sheet, total);
}

const withMarkup = ({ markupBp }: PriceSheet, total: bigint): bigint =>
  smaller(ceilDivide(total * (WHOLE_BP + markupBp), WHOLE_BP * FEMTO_MILLI_PER_NANO), COST_MAX);

/** The cost alone, at the prices as they are. */
export const costNanoUsd = (prices: Prices, usage: MeteredUsage): bigint =>
  costOf(priceSheet(prices), unitsOf(usage)).cost;

interface ExactPart {
  readonly component: PriceComponent;
  readonly thousandths: bigint;
  readonly femtoUsd: bigint;
  /** In thousandths of a femto-USD. */
  readonly amount: bigint;
}

const FEMTO_MILLI_PER_NANO = 1_000_000n * MILLI;

/** How much of a component was used, in thousandths of its unit. Each token is charged once, under the most exact one. */
function quantity(component: PriceComponent, units: CallUnits): number {
  switch (component) {
    case "input":
      return (units.promptTokens - units.cachedTokens - units.cacheWriteTokens - units.audioInputTokens) * 1000;
    case "cache_read":
      return units.cachedTokens * 1000;
    case "cache_write":
      return (units.cacheWriteTokens - units.cacheWrite1hTokens) * 1000;
    case "cache_write_1h":
      return units.cacheWrite1hTokens * 1000;
    case "audio_input":
      return units.audioInputTokens * 1000;
    case "output":
      return (units.completionTokens - units.reasoningTokens - units.audioOutputTokens) * 1000;
    case "reasoning":
      return units.reasoningTokens * 1000;
    case "audio_output":
      return units.audioOutputTokens * 1000;
    case "image":
      return units.images * 1000;
    case "second":
      return units.soundMs;
    case "character":
      return units.characters * 1000;
    case "request":
      return 1000;
  }
}

/** Largest remainder: each part gets its share rounded down, and what is left goes to those that lost the most. */
function share(exact: readonly ExactPart[], total: bigint, cost: bigint): CostPart[] {
  const lost: bigint[] = [];
  let left = cost;
  const parts = exact.map(({ component, thousandths, femtoUsd, amount }) => {
    const product = cost * amount;
    const nanoUsd = product / total;
    lost.push(product - nanoUsd * total);
    left -= nanoUsd;
    return { component, thousandths, femtoUsd, nanoUsd };
  });
  // There are two or three parts, and less is left than there are of them: looking through them is quicker than sorting.
  for (; left > 0n; left -= 1n) {
    let most = 0;
    for (let index = 1; index < lost.length; index++) if ((lost[index] ?? 0n) > (lost[most] ?? 0n)) most = index;
    const part = parts[most];
    if (part) part.nanoUsd += 1n;
    lost[most] = -1n;
  }
  return parts;
}

const smaller = (a: bigint, b: bigint): bigint => (a < b ? a : b);
