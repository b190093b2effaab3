import { ceilDivide } from "../../src/catalog/decimal.ts";
import { flatPrice, type Price, type PriceComponent, type Prices, parsePricePer } from "../../src/catalog/price.ts";
import { type SourceChange, type SourceModel, type SourceModels, withoutZeros } from "./entry.ts";

/** A provider of the package. */
export interface GenaiProvider {
  readonly models: readonly GenaiModel[];
}

interface GenaiModel {
  readonly id: string;
  readonly match: GenaiMatch;
  readonly context_window?: number;
  readonly prices: GenaiPrices | readonly ConditionalPrices[];
}

type GenaiPrices = Readonly<Record<string, number | TieredPrices | undefined>>;

interface TieredPrices {
  readonly base: number;
  readonly tiers: readonly { readonly start: number; readonly price: number }[];
}

interface ConditionalPrices {
  readonly constraint?: {
    readonly type: string;
    readonly start_date?: string;
    readonly start_time?: string;
    readonly end_time?: string;
  };
  readonly prices: GenaiPrices;
}

interface GenaiMatch {
  readonly equals?: string;
  readonly or?: readonly GenaiMatch[];
}

/** The ids of providers in the package, and ours. */
const GENAI_PROVIDERS: Readonly<Record<string, string>> = {
  anthropic: "anthropic",
  aws: "bedrock",
  azure: "azure",
  cerebras: "cerebras",
  cohere: "cohere",
  deepseek: "deepseek",
  fireworks: "fireworks_ai",
  google: "gemini",
  groq: "groq",
  minimax: "minimax",
  mistral: "mistral",
  moonshotai: "moonshot",
  novita: "novita",
  openai: "openai",
  openrouter: "openrouter",
  ovhcloud: "ovhcloud",
  perplexity: "perplexity",
  together: "together_ai",
  voyageai: "voyage",
  "x-ai": "xai",
  zai: "zai",
};

/** USD per ten to the so many units. */
const UNITS: Readonly<Record<string, readonly [PriceComponent, unitsExponent: number]>> = {
  input_mtok: ["input", 6],
  output_mtok: ["output", 6],
  cache_read_mtok: ["cache_read", 6],
  cache_audio_read_mtok: ["cache_read_audio", 6],
  cache_write_mtok: ["cache_write", 6],
  cache_write_1h_mtok: ["cache_write_1h", 6],
  output_reasoning_mtok: ["reasoning", 6],
  input_audio_mtok: ["audio_input", 6],
  output_audio_mtok: ["audio_output", 6],
  input_image_mtok: ["image_input", 6],
  output_image_mtok: ["image_output", 6],
  requests_kcount: ["request", 3],
};

/** Units that calls cannot be charged by. Fees of tools are left out: the gateway does not charge for them. */
const NOT_CHARGED = /^(?!web_searches|storage_searches|cache_image_read).*(_kcount|_kpages|citation_mtok)$/;

const SECONDS_PER_HOUR = 3_600n;

export function readGenaiPrices(find: (id: string) => GenaiProvider | undefined, today: string): SourceModels {
  const models = new Map<string, SourceModel>();
  for (const [id, provider] of Object.entries(GENAI_PROVIDERS)) {
    for (const model of find(id)?.models ?? []) {
      const read = readModel(model, today);
      for (const name of [model.id, ...equalNames(model.match)]) models.set(`${provider}/${name}`, read);
    }
  }
  return models;
}

const equalNames = ({ equals, or = [] }: GenaiMatch): string[] => [
  ...(equals === undefined ? [] : [equals]),
  ...or.flatMap(equalNames),
];

function readModel({ context_window: context, prices }: GenaiModel, today: string): SourceModel {
  const conditional: readonly ConditionalPrices[] = Array.isArray(prices)
    ? prices
    : [{ prices: prices as GenaiPrices }];
  const isNow = ({ constraint }: ConditionalPrices): boolean =>
    constraint === undefined || (constraint.type === "start_date" && String(constraint.start_date) <= today);
  const usual = conditional.filter(isNow).at(-1);
  const current = usual ? toPrices(usual.prices) : null;
  const others = conditional.filter((one) => !isNow(one));
  return {
    context: context ?? null,
    output: null,
    can: [],
    cannot: [],
    prices: current,
    changes: current ? others.flatMap((one) => toChange(one) ?? []) : [],
  };
}

function toChange({ constraint, prices }: ConditionalPrices): SourceChange | null {
  const read = toPrices(prices);
  if (read === null || constraint === undefined) return null;
  if (constraint.type === "start_date") return { from: String(constraint.start_date), prices: read };
  const minute = (time: string | undefined) => String(time).slice(0, 5);
  return { hours: [`${minute(constraint.start_time)}-${minute(constraint.end_time)}`], prices: read };
}

/** Null: a part of the price cannot be charged. Without any component: the package says that the model is free. */
function toPrices(listed: GenaiPrices): Prices | null {
  const prices: Partial<Record<PriceComponent, Price>> = {};
  for (const [unit, value] of Object.entries(listed)) {
    const known = UNITS[unit];
    if (value === undefined) continue;
    if (!known && NOT_CHARGED.test(unit)) return null;
    const price = known ? toPrice(value, known[1]) : null;
    if (known && price) prices[known[0]] = price;
  }
  const hourly = listed.input_audio_hours ?? listed.audio_hours;
  const perHour = typeof hourly === "number" ? parsePricePer(hourly, 0) : null;
  if (perHour !== null) prices.second = flatPrice(ceilDivide(perHour, SECONDS_PER_HOUR));
  const isUnknown = Object.keys(prices).length === 0 && Object.keys(listed).length > 0;
  return isUnknown ? null : withoutZeros(prices);
}

function toPrice(value: number | TieredPrices, unitsExponent: number): Price | null {
  if (typeof value === "number") {
    const base = parsePricePer(value, unitsExponent);
    return base === null ? null : flatPrice(base);
  }
  const base = parsePricePer(value.base, unitsExponent);
  if (base === null) return null;
  const tiers = value.tiers.map(({ start, price }) => ({
    // The package has 271,999 for what providers call "above 272,000".
    aboveTokens: start % 1000 === 999 ? start + 1 : start,
    price: parsePricePer(price, unitsExponent) ?? base,
  }));
  return { base, tiers: tiers.sort((a, b) => a.aboveTokens - b.aboveTokens) };
}
