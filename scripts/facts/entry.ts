import { decimalText } from "../../src/catalog/decimal.ts";
import {
  findPrice,
  flatPrice,
  PARENTS,
  type Price,
  type PriceComponent,
  type Prices,
} from "../../src/catalog/price.ts";

/** A price of the table in USD per million units, with other prices for long prompts and for service tiers. */
export type TablePrice =
  | number
  | { base: number; above?: Record<string, number>; flex?: TablePrice; priority?: TablePrice };
export type TablePrices = Partial<Record<PriceComponent, TablePrice>>;

export interface TableChange {
  readonly from?: string;
  readonly hours?: readonly string[];
  readonly days?: readonly number[];
  readonly prices: TablePrices;
}

/** One line of the table. */
export interface TableEntry {
  readonly context?: number;
  readonly output?: number;
  readonly can?: string;
  readonly cannot?: string;
  readonly free?: true;
  readonly prices?: TablePrices;
  readonly changes?: readonly TableChange[];
}

/** The facts that one source has of a model. */
export interface SourceModel {
  readonly context: number | null;
  readonly output: number | null;
  readonly can: readonly string[];
  readonly cannot: readonly string[];
  /** Null: no price, or none that calls can be charged by exactly. Without any component: the source says free. */
  readonly prices: Prices | null;
  readonly changes: readonly SourceChange[];
  /** The price has a fee for each request that the source does not state in a form that can be charged. */
  readonly needsRequestPrice?: boolean;
}

export interface SourceChange extends Omit<TableChange, "prices"> {
  readonly prices: Prices;
}

/** Models by `provider/model`. */
export type SourceModels = ReadonlyMap<string, SourceModel>;

/** Removes zeros: lists state zero for a unit that a model does not have. */
export function withoutZeros(prices: Prices): Prices {
  const isZero = (price: Price) => price.base === 0n && price.tiers.every((tier) => tier.price === 0n);
  return Object.fromEntries(Object.entries(prices).filter(([, price]) => price && !isZero(price)));
}

const NONE = flatPrice(-1n);
const FEMTO_PER_MILLION_DIGITS = 9;
const perMillion = (femto: bigint): number => Number(decimalText(femto, FEMTO_PER_MILLION_DIGITS));

/** The prices as the table has them. A component that costs what its parent costs is left out. */
export function tablePrices(prices: Prices): TablePrices {
  const named = Object.entries(prices) as [PriceComponent, Price][];
  const all = named.filter(([component, price]) => {
    const parent = PARENTS[component];
    return parent === undefined || !Bun.deepEquals(tablePrice(price), tablePrice(findPrice(prices, parent) ?? NONE));
  });
  return Object.fromEntries(all.map(([component, price]) => [component, tablePrice(price)]));
}

function tablePrice({ base, tiers, services }: Price): TablePrice {
  const rising = tiers.filter((tier, at) => tier.price > 0n && tier.price !== (tiers[at - 1]?.price ?? base));
  // Batches are run as plain calls, so no call has the price of a batch.
  const tierPrices = Object.entries(services ?? {}).filter(([name, price]) => name !== "batch" && price.base > 0n);
  if (rising.length === 0 && tierPrices.length === 0) return perMillion(base);
  return {
    base: perMillion(base),
    ...(rising.length > 0
      ? { above: Object.fromEntries(rising.map((tier) => [String(tier.aboveTokens), perMillion(tier.price)])) }
      : {}),
    ...Object.fromEntries(tierPrices.map(([name, price]) => [name, tablePrice(price)])),
  };
}
