import type { ModelBook, ModelFacts } from "../catalog/model-facts.ts";
import { priceFieldsOf } from "../catalog/own-prices.ts";
import type { PriceComponent, Prices } from "../catalog/price.ts";
import { isWildcard } from "../lib/wildcard.ts";
import type { SeenModel } from "./seen-model.ts";

/** A price before and after, in femto-USD per unit; null: the model has none. */
export interface TablePriceChange {
  readonly component: PriceComponent;
  readonly field: string;
  readonly from: bigint | null;
  readonly to: bigint | null;
}

/** A capability or limit before and after. */
export interface FactChange {
  readonly fact: string;
  readonly from: boolean | number | null;
  readonly to: boolean | number | null;
}

/**
 * `free`: it had a price above 0 and would cost nothing. `unpriced`: it would have no known price.
 * `priced`: it had no known price. `repriced`: its price changes. `facts`: only limits or capabilities change.
 */
export type TableOutcome = "free" | "unpriced" | "priced" | "repriced" | "facts";

export interface ModelTableChange {
  readonly model: SeenModel;
  readonly outcome: TableOutcome;
  readonly prices: readonly TablePriceChange[];
  readonly facts: readonly FactChange[];
}

export interface TablePlan {
  readonly before: ModelBook;
  readonly after: ModelBook;
  /** Models of this server that change. */
  readonly models: readonly ModelTableChange[];
  /** Names that only the new table has, and those that only the current table has. */
  readonly added: readonly string[];
  readonly removed: readonly string[];
  /** Names that have a price above 0 in the current table and are free in the new table. */
  readonly free: readonly string[];
}

/** Compares two tables. A price that the configuration states counts in both, so such a model does not change. */
export function planTable(before: ModelBook, after: ModelBook, models: readonly SeenModel[], nowMs: number): TablePlan {
  const [old, now] = [new Set(before.table.allNames), new Set(after.table.allNames)];
  return {
    before,
    after,
    models: models.flatMap((model) => {
      const { deployment } = model;
      if (!deployment || deployment.provider === "*" || isWildcard(deployment.upstreamModel)) return [];
      return compare(model, before.factsFor(deployment, nowMs), after.factsFor(deployment, nowMs)) ?? [];
    }),
    added: after.table.allNames.filter((name) => !old.has(name)),
    removed: before.table.allNames.filter((name) => !now.has(name)),
    free: after.table.allNames.filter((name) => becomesFree(pricesOf(before, name), pricesOf(after, name))),
  };
}

function compare(model: SeenModel, before: ModelFacts, after: ModelFacts): ModelTableChange | null {
  const prices = pricesBetween(before.prices, after.prices);
  const facts = factsBetween(before, after);
  if (prices.length === 0) return facts.length === 0 ? null : { model, outcome: "facts", prices, facts };
  return { model, outcome: outcomeOf(before.prices, after.prices), prices, facts };
}

const becomesFree = (before: Prices | null, after: Prices | null): boolean =>
  before !== null && after !== null && isFree(after) && !isFree(before);

function pricesOf({ table }: ModelBook, name: string): Prices | null {
  const slash = name.indexOf("/");
  return table.find(name.slice(0, slash), name.slice(slash + 1))?.prices ?? null;
}

function outcomeOf(before: Prices | null, after: Prices | null): TableOutcome {
  if (after === null) return "unpriced";
  if (before === null) return "priced";
  return becomesFree(before, after) ? "free" : "repriced";
}

const isFree = (prices: Prices): boolean => priceFieldsOf(prices).every(({ price }) => price === 0n);

function pricesBetween(before: Prices | null, after: Prices | null): TablePriceChange[] {
  const [old, now] = [fieldsOf(before), fieldsOf(after)];
  return [...new Map([...old, ...now])].flatMap(([field, { component }]) => {
    const [from, to] = [old.get(field)?.price ?? null, now.get(field)?.price ?? null];
    return from === to ? [] : [{ component, field, from, to }];
  });
}

const fieldsOf = (prices: Prices | null) => new Map(priceFieldsOf(prices ?? {}).map((one) => [one.field, one]));

function factsBetween(before: ModelFacts, after: ModelFacts): FactChange[] {
  const { prices: _, mode: __, ...named } = after;
  return Object.keys(named).flatMap((fact) => {
    const [from, to] = [before[fact as keyof typeof named], after[fact as keyof typeof named]];
    return from === to ? [] : [{ fact, from, to }];
  });
}
