import { splitModelName } from "../contract/model-families.ts";
import { isRecord, ownField } from "../lib/json.ts";
import { baseModel, type DescribedModel } from "./model-facts.ts";
import { componentOf, PRICE_FIELDS, readOwnPrices } from "./own-prices.ts";
import { PRICE_COMPONENTS, type Prices, parseNearestPrice, usdText } from "./price.ts";

type Fields = Readonly<Record<string, unknown>>;

/** One entry of a price map, with what calls can be charged by. */
export interface MappedPrices {
  readonly prices: Prices;
  readonly rounded: readonly RoundedPrice[];
  /** Prices that nothing is charged by here. */
  readonly ignored: readonly string[];
  readonly faults: readonly { readonly field: string; readonly message: string }[];
}

export interface RoundedPrice {
  readonly field: string;
  /** As it stands in the map. */
  readonly value: string;
  readonly rounded: string;
}

/** LiteLLM's map begins with an entry that explains the others. */
const EXPLANATION = "sample_spec";

/** Prices by the names of models, as LiteLLM's `model_prices_and_context_window.json` has them. */
export class PriceMap {
  private readonly entries: ReadonlyMap<string, Fields>;

  constructor(map: Readonly<Record<string, Fields>>) {
    this.entries = new Map(Object.entries(map).filter(([name]) => name !== EXPLANATION));
  }

  get names(): readonly string[] {
    return [...this.entries.keys()];
  }

  /**
   * The name of the entry that is about a model: `provider/model`; the model's name alone, where the entry says that it is the
   * same provider's; and where an entry names no provider, what callers call the model. A price that is merely similar is none.
   */
  find(group: string, deployment: DescribedModel): string | null {
    const { provider, model } = baseModel(deployment);
    const full = `${provider}/${model}`;
    if (this.entries.has(full)) return full;
    const maker = this.makerOf(model);
    if (maker !== null && familyOf(maker) === familyOf(provider)) return model;
    return this.entries.has(group) && this.statedMaker(group) === null ? group : null;
  }

  read(name: string): MappedPrices {
    return readEntry(this.entries.get(name) ?? {});
  }

  /** Who an entry's provider is: what it says, else whom everybody knows the name of. */
  private makerOf(name: string): string | null {
    if (!this.entries.has(name)) return null;
    return this.statedMaker(name) ?? splitModelName(name)?.provider ?? null;
  }

  private statedMaker(name: string): string | null {
    const stated = this.entries.get(name)?.litellm_provider;
    return typeof stated === "string" ? stated : null;
  }
}

/** Providers under several ids: the same models at the same prices, by another of their interfaces. */
const FAMILIES: Readonly<Record<string, string>> = {
  bedrock_converse: "bedrock",
  cohere_chat: "cohere",
  "text-completion-openai": "openai",
  "text-completion-codestral": "codestral",
  vertex_ai_beta: "vertex_ai",
};

/** LiteLLM's map tells the models of Vertex AI apart: `vertex_ai-language-models`, `vertex_ai-anthropic_models`. */
const familyOf = (provider: string): string =>
  provider.startsWith("vertex_ai-") ? "vertex_ai" : String(ownField(FAMILIES, provider) ?? provider);

/** 8 USD for one unit: more is a slip of the pen, and up to there a number in a configuration is exact to the femto-USD. */
const FEMTO_MAX = 8_000_000_000_000_000n;

function readEntry(given: Fields): MappedPrices {
  const entry = withPlainTiers(given);
  const priced: Record<string, string> = {};
  const rounded: RoundedPrice[] = [];
  const ignored: string[] = [];
  const faults: { field: string; message: string }[] = [];
  for (const [field, value] of Object.entries(entry)) {
    if (value === null || !isPriceName(field)) continue;
    if (componentOf(field) === null) {
      ignored.push(field);
      continue;
    }
    const price = parseNearestPrice(value);
    if (!price) faults.push({ field, message: `${shown(value)} is no price; give USD per unit from 0 on` });
    else if (price.nearest > FEMTO_MAX) faults.push({ field, message: `${shown(value)} USD per unit are too much` });
    else {
      priced[field] = usdText(price.nearest);
      if (!price.exact) rounded.push({ field, value: shown(value), rounded: usdText(price.nearest) });
    }
  }
  const kept = withoutEmptyTwins(priced);
  ignored.push(...Object.keys(kept).filter((field) => !isCharged(field, kept)));
  return { prices: readOwnPrices(kept), rounded, ignored, faults };
}

/**
 * Rewrites `tiered_pricing`, a list of prices by ranges of the prompt's length, as `..._above_Nk_tokens`. A list that
 * cannot be written in that form stays as it is, and no call is charged by it.
 */
function withPlainTiers(entry: Fields): Fields {
  const { tiered_pricing: tiers, ...others } = entry;
  if (!Array.isArray(tiers) || !tiers.every(isRecord) || tiers.length === 0) return entry;
  const starts = tiers.map(({ range }) => (Array.isArray(range) ? Number(range[0]) : Number.NaN));
  const isRising = starts.every(
    (start, at) => start % 1000 === 0 && (at === 0 ? start === 0 : start > Number(starts[at - 1])),
  );
  const names = (tier: Fields) => Object.keys(tier).filter(isPriceName).sort();
  if (!isRising || !tiers.every((tier) => Bun.deepEquals(names(tier), names(tiers[0] ?? {})))) return entry;
  const priced = tiers.flatMap((tier, at) =>
    names(tier).map((name) => [at === 0 ? name : `${name}_above_${Number(starts[at]) / 1000}k_tokens`, tier[name]]),
  );
  return { ...others, ...Object.fromEntries(priced) };
}

/** Of two names for a price the first counts, and what belongs to a price says nothing without it. */
function isCharged(field: string, fields: Fields): boolean {
  const component = componentOf(field);
  const name = component && PRICE_FIELDS[component].find((one) => fields[one] !== undefined);
  return name != null && field.startsWith(name);
}

const isPriceName = (field: string): boolean => /_cost(_|$)/.test(field) || field === "tiered_pricing";

/** Where a price has two names, a map often has nothing under one of them: sound that is heard costs, what is said of it does not. */
function withoutEmptyTwins(fields: Readonly<Record<string, string>>): Fields {
  const empty = PRICE_COMPONENTS.flatMap((component) => {
    const there = PRICE_FIELDS[component].filter((name) => fields[name] !== undefined);
    return there.some((name) => fields[name] !== "0") ? there.filter((name) => fields[name] === "0") : [];
  });
  return Object.fromEntries(Object.entries(fields).filter(([field]) => !empty.includes(field)));
}

const SHOWN_CHARS = 80;
const shown = (value: unknown): string =>
  typeof value === "string" || typeof value === "number"
    ? String(value).slice(0, SHOWN_CHARS)
    : Array.isArray(value) || isRecord(value)
      ? "a list or an object"
      : String(value);
