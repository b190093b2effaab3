import type { CallUnits, CostPart } from "../contract/usage.ts";
import { ceilDivide } from "./decimal.ts";
import { findPrice, MILLI, type PriceComponent, type Prices, priceAt, toNanoUsd } from "./price.ts";
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
  const { exact, total } = exactParts(sheet.prices, units);
  if (total === 0n) return NO_COST;
  const cost = withMarkup(sheet, total);
  return { cost, providerCost: smaller(toNanoUsd(total), COST_MAX), parts: share(exact, total, cost) };
}

/** The cost alone, for estimates. */
export function amountOf(sheet: PriceSheet, units: CallUnits): bigint {
  let total = 0n;
  for (const [component, thousandths] of quantities(units)) {
    const price = thousandths === 0 ? undefined : findPrice(sheet.prices, component);
    if (price) total += priceAt(price, units.promptTokens) * BigInt(thousandths);
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

/** Each token is charged once, under the most exact component that it belongs to. */
function exactParts(prices: Prices, units: CallUnits): { exact: ExactPart[]; total: bigint } {
  const exact: ExactPart[] = [];
  let total = 0n;
  for (const [component, thousandths] of quantities(units)) {
    const price = thousandths === 0 ? undefined : findPrice(prices, component);
    if (!price) continue;
    const femtoUsd = priceAt(price, units.promptTokens);
    const amount = femtoUsd * BigInt(thousandths);
    total += amount;
    if (amount > 0n) exact.push({ component, thousandths: BigInt(thousandths), femtoUsd, amount });
  }
  return { exact, total };
}

/** How much of each component was used, in thousandths of its unit. */
function quantities(units: CallUnits): [PriceComponent, number][] {
  const { cachedTokens, cacheWriteTokens, cacheWrite1hTokens, audioInputTokens } = units;
  const { reasoningTokens, audioOutputTokens } = units;
  const input = units.promptTokens - cachedTokens - cacheWriteTokens - audioInputTokens;
  return [
    ["input", input * 1000],
    ["cache_read", cachedTokens * 1000],
    ["cache_write", (cacheWriteTokens - cacheWrite1hTokens) * 1000],
    ["cache_write_1h", cacheWrite1hTokens * 1000],
    ["audio_input", audioInputTokens * 1000],
    ["output", (units.completionTokens - reasoningTokens - audioOutputTokens) * 1000],
    ["reasoning", reasoningTokens * 1000],
    ["audio_output", audioOutputTokens * 1000],
    ["image", units.images * 1000],
    ["second", units.soundMs],
    ["character", units.characters * 1000],
    ["request", 1000],
  ];
}

/** Largest remainder: each part gets its share rounded down, and what is left goes to those that lost the most. */
function share(exact: readonly ExactPart[], total: bigint, cost: bigint): CostPart[] {
  const parts = exact.map(({ component, thousandths, femtoUsd, amount }, index) => {
    const product = cost * amount;
    return { component, thousandths, femtoUsd, nanoUsd: product / total, lost: product % total, index };
  });
  let left = parts.reduce((rest, { nanoUsd }) => rest - nanoUsd, cost);
  for (const part of parts.toSorted((a, b) => (a.lost === b.lost ? a.index - b.index : a.lost > b.lost ? -1 : 1))) {
    if (left === 0n) break;
    part.nanoUsd += 1n;
    left -= 1n;
  }
  return parts.map(({ component, thousandths, femtoUsd, nanoUsd }) => ({ component, thousandths, femtoUsd, nanoUsd }));
}

const smaller = (a: bigint, b: bigint): bigint => (a < b ? a : b);
