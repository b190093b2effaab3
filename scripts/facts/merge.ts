import type { PriceComponent, Prices } from "../../src/catalog/price.ts";
import {
  type SourceModel,
  type SourceModels,
  type TableEntry,
  type TablePrice,
  type TablePrices,
  tablePrices,
} from "./entry.ts";

/** The sources in the order of trust. */
const SOURCE_NAMES = ["litellm", "pydantic-genai-prices", "pi-ai"] as const;
type SourceName = (typeof SOURCE_NAMES)[number];

/** A price on which the sources do not agree, in USD per million units. */
export interface Disagreement {
  readonly model: string;
  readonly component: PriceComponent;
  readonly prices: Readonly<Partial<Record<SourceName, number>>>;
  /** Null: the chosen source has no such price. */
  readonly chosen: number | null;
}

export interface Merged {
  readonly models: Readonly<Record<string, TableEntry>>;
  readonly disagreements: readonly Disagreement[];
}

interface Candidate {
  readonly source: SourceName;
  readonly model: SourceModel;
}

/** The components that are compared: every source has them. */
const COMPARED = ["input", "output", "cache_read"] as const satisfies readonly PriceComponent[];

/**
 * Merges the sources (docs/decisions/0023-model-table.md). Fields of the supplement replace those of the sources.
 * Models of providers that `isServed` refuses are left out.
 */
export function mergeSources(
  sources: Readonly<Record<SourceName, SourceModels>>,
  supplement: Readonly<Record<string, TableEntry>>,
  isServed: (provider: string) => boolean,
): Merged {
  const names = new Set([
    ...Object.values(sources).flatMap((models) => [...models.keys()]),
    ...Object.keys(supplement),
  ]);
  const models: Record<string, TableEntry> = {};
  const disagreements: Disagreement[] = [];
  for (const name of [...names].sort()) {
    if (!isServed(name.slice(0, name.indexOf("/")))) continue;
    const candidates = SOURCE_NAMES.flatMap((source) => {
      const model = sources[source].get(name);
      return model ? [{ source, model }] : [];
    });
    const entry = { ...mergeModel(name, candidates, disagreements), ...supplement[name] };
    if (Object.keys(entry).length > 0) models[name] = entry;
  }
  return { models, disagreements };
}

function mergeModel(name: string, candidates: readonly Candidate[], disagreements: Disagreement[]): TableEntry {
  const first = (field: "context" | "output") =>
    candidates.map(({ model }) => model[field]).find((value) => value !== null);
  const [context, output] = [first("context"), first("output")];
  const [can, cannot] = mergeWords(candidates);
  return {
    ...(context === undefined ? {} : { context: context as number }),
    ...(output === undefined ? {} : { output: output as number }),
    ...(can.length > 0 ? { can: can.join(" ") } : {}),
    ...(cannot.length > 0 ? { cannot: cannot.join(" ") } : {}),
    ...mergePrices(name, candidates, disagreements),
  };
}

/** If two sources contradict each other, the first source counts. */
function mergeWords(candidates: readonly Candidate[]): [string[], string[]] {
  const words = new Map<string, boolean>();
  for (const { model } of candidates) {
    for (const word of model.can) if (!words.has(word)) words.set(word, true);
    for (const word of model.cannot) if (!words.has(word)) words.set(word, false);
  }
  const all = [...words].sort(([a], [b]) => a.localeCompare(b));
  return [all.filter(([, can]) => can).map(([word]) => word), all.filter(([, can]) => !can).map(([word]) => word)];
}

function mergePrices(
  name: string,
  candidates: readonly Candidate[],
  disagreements: Disagreement[],
): Pick<TableEntry, "free" | "prices" | "changes"> {
  const isFree = ({ model }: Candidate) => model.prices !== null && Object.keys(model.prices).length === 0;
  const priced = candidates.filter(({ model }) => model.prices !== null && Object.keys(model.prices).length > 0);
  // A zero often means that a source does not know the price: two sources must agree on it, or the name must say it.
  const free = candidates.filter(isFree).length;
  if (priced.length === 0) return free >= 2 || (free > 0 && /^openrouter\/.*:free$/.test(name)) ? { free: true } : {};
  const outvoted = priced[0] && isOutvoted(priced[0], priced.slice(1));
  const chosen = outvoted ? priced[1] : priced[0];
  if (!chosen?.model.prices) return {};
  disagreements.push(...disagreementsOf(name, priced, chosen));
  const prices = withRequestPrice(chosen, priced);
  const needsRequestPrice = candidates.some(({ model }) => model.needsRequestPrice);
  if (needsRequestPrice && prices.request === undefined) return {};
  const changes = changesOf(chosen, priced);
  return { prices: tablePrices(prices), ...(changes.length > 0 ? { changes } : {}) };
}

/** Both other sources state the same prices, and those are not the first one's. */
function isOutvoted(first: Candidate, [second, third]: readonly Candidate[]): boolean {
  if (!second || !third) return false;
  return differing(second.model, third.model).length === 0 && differing(first.model, second.model).length > 0;
}

/** The compared components that both sources have and do not agree on. */
const differing = ({ prices: one }: SourceModel, { prices: other }: SourceModel): PriceComponent[] =>
  COMPARED.filter((component) => {
    const [a, b] = [one?.[component]?.base, other?.[component]?.base];
    return a !== undefined && b !== undefined && a !== b;
  });

function disagreementsOf(name: string, priced: readonly Candidate[], chosen: Candidate): Disagreement[] {
  const components = new Set(priced.flatMap((one) => differing(priced[0]?.model ?? one.model, one.model)));
  return [...components].map((component) => ({
    model: name,
    component,
    prices: Object.fromEntries(
      priced.flatMap(({ source, model }) => {
        const price = baseOf(model.prices, component);
        return price === undefined ? [] : [[source, price]];
      }),
    ),
    chosen: baseOf(chosen.model.prices, component) ?? null,
  }));
}

function baseOf(prices: Prices | null, component: PriceComponent): number | undefined {
  const price: TablePrice | undefined = (tablePrices(prices ?? {}) as TablePrices)[component];
  return typeof price === "object" ? price.base : price;
}

/** A fee for each request that another source adds to the same prices. */
function withRequestPrice(chosen: Candidate, priced: readonly Candidate[]): Prices {
  const own = chosen.model.prices ?? {};
  const other = priced.find(
    ({ model }) => model.prices?.request !== undefined && differing(chosen.model, model).length === 0,
  );
  const request = own.request ?? other?.model.prices?.request;
  return request ? { ...own, request } : own;
}

/** The chosen source's own changes, or else those that another source with the same prices announces. */
function changesOf(chosen: Candidate, priced: readonly Candidate[]): NonNullable<TableEntry["changes"]> {
  const agreeing = [chosen, ...priced.filter(({ model }) => differing(chosen.model, model).length === 0)];
  const changes = agreeing.map(({ model }) => model.changes).find((found) => found.length > 0) ?? [];
  return changes.map(({ prices, ...when }) => ({ ...when, prices: tablePrices(prices) }));
}
