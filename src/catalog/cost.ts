import type { CallUnits, ChargedUnits, CostPart } from "../contract/usage.ts";
import { ceilDivide } from "./decimal.ts";
import { divideDown, divideUp, isExact } from "./plain-prices.ts";
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
const PLAIN_BP = Number(WHOLE_BP);
/** The largest amount that JSON's numbers hold exactly, some nine million dollars: no call costs more. */
const COST_MAX = BigInt(Number.MAX_SAFE_INTEGER);

/** What a call costs: a pure function of the units and the sheet, so that any charge can be computed again. */
export function costOf(sheet: PriceSheet, units: ChargedUnits): Cost {
  return plainCostOf(sheet, units) ?? exactCostOf(sheet, units);
}

/** The cost alone, for estimates. */
export function amountOf(sheet: PriceSheet, units: ChargedUnits): bigint {
  const cost = plainCost(sheet, plainTotal(sheet, units));
  return cost === null ? exactAmountOf(sheet, units) : BigInt(cost);
}

/** The same with numbers of any size. */
export function exactCostOf(sheet: PriceSheet, units: ChargedUnits): Cost {
  const exact: ExactPart[] = [];
  let total = 0n;
  for (const { component, price } of sheet.charged) {
    const thousandths = quantity(component, units);
    if (thousandths === 0) continue;
    const femtoUsd = priceAt(price, units.promptTokens);
    const exactly = BigInt(thousandths);
    const amount = femtoUsd * exactly;
    total += amount;
    if (amount > 0n || COUNTED_BY_PART.has(component))
      exact.push({ component, thousandths: exactly, femtoUsd, amount });
  }
  if (total === 0n) return { ...NO_COST, parts: exact.map(({ amount: _, ...part }) => ({ ...part, nanoUsd: 0n })) };
  const cost = withMarkup(sheet, total);
  return { cost, providerCost: smaller(toNanoUsd(total), COST_MAX), parts: share(exact, total, cost) };
}

export function exactAmountOf(sheet: PriceSheet, units: ChargedUnits): bigint {
  let total = 0n;
  for (const { component, price } of sheet.charged) {
    const thousandths = quantity(component, units);
    if (thousandths !== 0) total += priceAt(price, units.promptTokens) * BigInt(thousandths);
  }
  return withMarkup(sheet, total);
}

/** What all of it comes to, in parts of a nano-USD; null where it takes larger numbers than these. */
function plainTotal({ charged, plain }: PriceSheet, units: ChargedUnits): number | null {
  if (!plain) return null;
  let total = 0;
  for (let at = 0; at < charged.length; at++) {
    const amount = plainAmount(plain.each[at] as number, quantity((charged[at] as Charged).component, units));
    if (amount === null) return null;
    total += amount;
  }
  return isExact(total) ? total : null;
}

function plainAmount(price: number, thousandths: number): number | null {
  if (thousandths < 0 || thousandths % 1000 !== 0) return null;
  const amount = price * (thousandths / 1000);
  return isExact(amount) ? amount : null;
}

function plainCost({ plain, markupBp }: PriceSheet, total: number | null): number | null {
  if (!plain || total === null) return null;
  const scaled = total * (PLAIN_BP + Number(markupBp));
  return isExact(scaled) ? divideUp(scaled, PLAIN_BP * plain.perNano) : null;
}

function plainCostOf(sheet: PriceSheet, units: ChargedUnits): Cost | null {
  const total = plainTotal(sheet, units);
  const cost = plainCost(sheet, total);
  if (total === null || cost === null || !sheet.plain || !isExact(cost * total)) return null;
  if (total === 0) return isCountedByPart(units) ? null : NO_COST;
  const { each, perNano } = sheet.plain;
  const parts: MutablePart[] = [];
  const lost: number[] = [];
  let left = cost;
  for (let at = 0; at < each.length; at++) {
    const { component, price } = sheet.charged[at] as Charged;
    const thousandths = quantity(component, units);
    const product = cost * (plainAmount(each[at] as number, thousandths) ?? 0);
    if (product === 0 && (thousandths === 0 || !COUNTED_BY_PART.has(component))) continue;
    const nanoUsd = divideDown(product, total);
    lost.push(product % total);
    left -= nanoUsd;
    parts.push({ component, thousandths: BigInt(thousandths), femtoUsd: price.base, nanoUsd: BigInt(nanoUsd) });
  }
  giveAway(left, lost, parts);
  return { cost: BigInt(cost), providerCost: BigInt(divideUp(total, perNano)), parts };
}

const withMarkup = ({ markupBp }: PriceSheet, total: bigint): bigint =>
  smaller(ceilDivide(total * (WHOLE_BP + markupBp), WHOLE_BP * FEMTO_MILLI_PER_NANO), COST_MAX);

/** The cost alone, at the prices as they are. */
export const costNanoUsd = (prices: Prices, usage: MeteredUsage): bigint =>
  costOf(priceSheet(prices), unitsOf(usage)).cost;

type Charged = PriceSheet["charged"][number];
type MutablePart = { -readonly [Field in keyof CostPart]: CostPart[Field] };

interface ExactPart {
  readonly component: PriceComponent;
  readonly thousandths: bigint;
  readonly femtoUsd: bigint;
  /** In thousandths of a femto-USD. */
  readonly amount: bigint;
}

const FEMTO_MILLI_PER_NANO = 1_000_000n * MILLI;

/** How much of a component was used, in thousandths of its unit. Each token is charged once, under the most exact one. */
function quantity(component: PriceComponent, units: ChargedUnits): number {
  switch (component) {
    case "input":
      return (units.promptTokens - specialInput(units)) * 1000;
    case "cache_read":
      return (units.cachedTokens - (units.cachedAudioTokens ?? 0)) * 1000;
    case "cache_read_audio":
      return (units.cachedAudioTokens ?? 0) * 1000;
    case "cache_write":
      return (units.cacheWriteTokens - units.cacheWrite1hTokens) * 1000;
    case "cache_write_1h":
      return units.cacheWrite1hTokens * 1000;
    case "audio_input":
      return units.audioInputTokens * 1000;
    case "image_input":
      return (units.imageInputTokens ?? 0) * 1000;
    case "output":
      return (units.completionTokens - specialOutput(units)) * 1000;
    case "reasoning":
      return units.reasoningTokens * 1000;
    case "audio_output":
      return units.audioOutputTokens * 1000;
    case "image_output":
      return (units.imageOutputTokens ?? 0) * 1000;
    case "image":
      return units.images * 1000;
    case "second":
      return units.soundMs;
    case "character":
      return units.characters * 1000;
    case "request":
      return (units.searchUnits ?? 1) * 1000;
  }
}

/** Of the prompt and of the answer, what has prices of its own. */
const specialInput = (units: ChargedUnits): number =>
  units.cachedTokens + units.cacheWriteTokens + units.audioInputTokens + (units.imageInputTokens ?? 0);
const specialOutput = (units: ChargedUnits): number =>
  units.reasoningTokens + units.audioOutputTokens + (units.imageOutputTokens ?? 0);

/** No other place of a record tells how much of them there was: their parts stay where they cost nothing. */
const COUNTED_BY_PART: ReadonlySet<string> = new Set([
  "image_input",
  "image_output",
  "cache_read_audio",
] satisfies PriceComponent[]);

const isCountedByPart = ({ imageInputTokens, imageOutputTokens, cachedAudioTokens }: ChargedUnits): boolean =>
  Boolean(imageInputTokens || imageOutputTokens || cachedAudioTokens);

/** Reads the counts that only the parts of a cost have. */
export function countsByPart(parts: readonly CostPart[]): Required<Omit<ChargedUnits, keyof CallUnits>> {
  const countOf = (name: PriceComponent): number =>
    Number(parts.find(({ component }) => component === name)?.thousandths ?? 0n) / 1000;
  return {
    imageInputTokens: countOf("image_input"),
    imageOutputTokens: countOf("image_output"),
    cachedAudioTokens: countOf("cache_read_audio"),
    searchUnits: countOf("request") || 1,
  };
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
  giveAway(Number(left), lost, parts);
  return parts;
}

/** There are two or three parts, and less is left than there are of them: looking through them is quicker than sorting. */
function giveAway(left: number, lost: (bigint | number)[], parts: readonly MutablePart[]): void {
  for (let more = left; more > 0; more--) {
    let most = 0;
    for (let at = 1; at < lost.length; at++) if ((lost[at] ?? 0) > (lost[most] ?? 0)) most = at;
    const part = parts[most];
    if (part) part.nanoUsd += 1n;
    lost[most] = -1;
  }
}

const smaller = (a: bigint, b: bigint): bigint => (a < b ? a : b);
