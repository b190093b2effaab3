import type { ModelBook } from "../catalog/model-facts.ts";
import { componentOf, priceFieldsOf, readOwnPrices } from "../catalog/own-prices.ts";
import { type PriceComponent, type Prices, usdText } from "../catalog/price.ts";
import type { MappedPrices, PriceMap } from "../catalog/price-map.ts";
import type { Deployment } from "../contract/deployment.ts";
import { type EntryChanges, entryFault, mergeFields } from "./entry.ts";
import type { Fields } from "./sealing.ts";
import type { SeenModel } from "./seen-model.ts";

/** One price of a model before and after; null: it has none of its own, and costs what it is a kind of. */
export interface PriceChange {
  readonly component: PriceComponent;
  readonly field: string;
  /** Femto-USD per unit. */
  readonly from: bigint | null;
  readonly to: bigint | null;
  /** The price until now is from the model table, not stated with the model. */
  readonly listed: boolean;
}

/**
 * `adopted`: it costs what it did, but until now by the model table, which may change. `unpriced`: the map has nothing for it
 * that calls are charged by.
 */
export type ImportOutcome = "changed" | "adopted" | "unchanged" | "unpriced";

/** What a price map says of one model. */
export interface ModelImport {
  readonly model: SeenModel;
  /** The name in the map. */
  readonly entry: string;
  readonly outcome: ImportOutcome;
  readonly changes: readonly PriceChange[];
  readonly mapped: MappedPrices;
  /** What its stored entry has to be changed by. */
  readonly edit: Required<Pick<EntryChanges, "params" | "info">>;
}

export interface ImportPlan {
  readonly models: readonly ModelImport[];
  readonly entries: number;
  /** Names of the map that no model was found for. */
  readonly unmatched: readonly string[];
}

/** A price may depend on the hour, hence the time. */
export interface PriceBook {
  readonly book: ModelBook;
  readonly nowMs: number;
}

/** What a price map changes. Every price in it that cannot be read and is about a model here is a fault. */
export function planImport(map: PriceMap, models: readonly SeenModel[], at: PriceBook): ImportPlan {
  const found = models.flatMap((model) => {
    const { deployment, group } = model;
    const entry = deployment && map.find(group, deployment);
    return deployment && entry !== null ? [planOne(model, deployment, entry, map.read(entry), at)] : [];
  });
  const faults = found.flatMap(({ entry, mapped }) =>
    mapped.faults.map(({ field, message }) => ({ path: "prices", message: `${entry}: ${field}: ${message}` })),
  );
  if (faults.length > 0) throw entryFault([...new Map(faults.map((fault) => [fault.message, fault])).values()]);
  const used = new Set(found.map(({ entry }) => entry));
  const { names } = map;
  return { models: found, entries: names.length, unmatched: names.filter((name) => !used.has(name)) };
}

function planOne(
  model: SeenModel,
  deployment: Deployment,
  entry: string,
  mapped: MappedPrices,
  { book, nowMs }: PriceBook,
): ModelImport {
  const edit = editFor(deployment, mapped.prices);
  const after: Deployment = {
    ...deployment,
    params: mergeFields("litellm_params", deployment.params, edit.params) as Deployment["params"],
    info: mergeFields("model_info", deployment.info, edit.info),
  };
  const own = ownFields(deployment);
  const changes = compare(
    fieldsOf(book.pricesFor(deployment, nowMs)),
    fieldsOf(book.pricesFor(after, nowMs)),
    (field) => !own.has(field),
  );
  const differs = changes.some(({ from, to }) => from !== to);
  const isOwn = Bun.deepEquals(own, ownFields(after));
  const same = isOwn || model.source !== "database" ? "unchanged" : "adopted";
  const outcome = Object.keys(mapped.prices).length === 0 ? "unpriced" : differs ? "changed" : same;
  const isTold = (change: PriceChange) => change.from !== change.to || (outcome === "adopted" && change.listed);
  return { model, entry, outcome, changes: changes.filter(isTold), mapped, edit };
}

type FieldPrices = ReadonlyMap<string, { readonly component: PriceComponent; readonly price: bigint }>;

const fieldsOf = (prices: Prices | null): FieldPrices =>
  new Map(priceFieldsOf(prices ?? {}).map(({ field, ...one }) => [field, one]));

const ownFields = ({ info, params }: Pick<Deployment, "info" | "params">): FieldPrices =>
  fieldsOf(readOwnPrices({ ...info, ...params }));

function compare(before: FieldPrices, after: FieldPrices, isListed: (field: string) => boolean): PriceChange[] {
  const fields = [...new Map([...before, ...after]).entries()];
  return fields.map(([field, { component }]) => {
    const from = before.get(field)?.price ?? null;
    return { component, field, from, to: after.get(field)?.price ?? null, listed: from !== null && isListed(field) };
  });
}

/**
 * A component is replaced as a whole, with its tiers, wherever and by whichever of its names it was stated; components that
 * the map does not have stay.
 */
function editFor({ params, info }: { readonly params: Fields; readonly info: Fields }, prices: Prices) {
  const removed = (fields: Fields) =>
    Object.keys(fields).filter((field) => {
      const component = componentOf(field);
      return component !== null && prices[component] !== undefined;
    });
  const nothing = (fields: Fields) => Object.fromEntries(removed(fields).map((field) => [field, null]));
  const stated = priceFieldsOf(prices).map(({ field, price }) => [field, usdText(price)]);
  return { params: { ...nothing(params), ...Object.fromEntries(stated) }, info: nothing(info) };
}
