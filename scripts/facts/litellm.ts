import type { PriceComponent, Prices } from "../../src/catalog/price.ts";
import { PriceMap } from "../../src/catalog/price-map.ts";
import { type SourceChange, type SourceModel, type SourceModels, withoutZeros } from "./entry.ts";

type Fields = Readonly<Record<string, unknown>>;

/** Kinds of models that the gateway serves. */
const MODES: ReadonlySet<unknown> = new Set([
  ...["chat", "completion", "responses", "embedding", "moderation", "rerank", "realtime"],
  ...["image_generation", "image_edit", "audio_transcription", "audio_speech"],
]);

const CAPABILITIES: Readonly<Record<string, string>> = {
  supports_vision: "vision",
  supports_function_calling: "tools",
  supports_parallel_function_calling: "parallel_tools",
  supports_reasoning: "reasoning",
  supports_response_schema: "schema",
  supports_pdf_input: "pdf",
  supports_audio_input: "audio_input",
  supports_audio_output: "audio_output",
  supports_prompt_caching: "caching",
  supports_web_search: "web_search",
  supports_url_context: "url_context",
};

/** Entries that are no model: prices of image sizes, of reserved capacity, and of classes of models. */
const NO_MODEL = /-x-|commitment|(^|\/)\*|^fireworks-ai-|^together-ai-/;

/** Subscriptions: single calls have no price. */
const SUBSCRIPTIONS: ReadonlySet<string> = new Set(["chatgpt", "github_copilot"]);

/** The models of LiteLLM's `model_prices_and_context_window_backup.json`. */
export function readLiteLlm(map: Readonly<Record<string, Fields>>): SourceModels {
  const models = new Map<string, SourceModel>();
  for (const [name, entry] of Object.entries(map)) {
    const stated = String(entry.litellm_provider);
    const provider = providerOf(stated);
    if (name === "sample_spec" || NO_MODEL.test(name) || !MODES.has(entry.mode)) continue;
    const prefix = [provider, stated].find((one) => name.startsWith(`${one}/`));
    const model = prefix === undefined ? name : name.slice(prefix.length + 1);
    const full = `${provider}/${model}`;
    // Some models have an entry with the provider's name and another one without: the former is more exact.
    if (!models.has(full) || name === full) models.set(full, readModel(provider, model, entry));
  }
  return models;
}

function providerOf(named: string): string {
  if (named.startsWith("vertex_ai-")) return "vertex_ai";
  if (named.startsWith("fireworks_ai-")) return "fireworks_ai";
  if (named === "cohere_chat") return "cohere";
  return named === "bedrock_converse" ? "bedrock" : named;
}

function readModel(provider: string, model: string, entry: Fields): SourceModel {
  const known = Object.entries(CAPABILITIES);
  const fees = entry.search_context_cost_per_query !== undefined;
  return {
    context: tokens(entry.max_input_tokens) ?? tokens(entry.max_tokens),
    output: tokens(entry.max_output_tokens),
    can: known.filter(([field]) => entry[field] === true).map(([, word]) => word),
    cannot: known.filter(([field]) => entry[field] === false).map(([, word]) => word),
    prices: SUBSCRIPTIONS.has(provider) ? null : pricesOf(entry),
    changes: changesOf(entry),
    // Every call of these models searches, and the fee for it depends on the search.
    needsRequestPrice: fees && (provider === "perplexity" || /search/.test(model)),
  };
}

const tokens = (value: unknown): number | null => (typeof value === "number" && value > 0 ? Math.floor(value) : null);

/** The components that calls of each kind can be charged by exactly, for prices that are not per token. */
const WHOLE: Readonly<Partial<Record<PriceComponent, readonly string[]>>> = {
  image: ["image_generation", "image_edit"],
  second: ["audio_transcription"],
  character: ["audio_speech"],
  request: ["rerank"],
};

/** A price for each image depends on its size or steps if the entry has one of these. */
const BY_SIZE = /_per_pixel|_per_image_(\d|above)|_per_image_premium/;

function pricesOf(entry: Fields): Prices | null {
  const { prices, faults, ignored } = new PriceMap({ entry }).read("entry");
  if (faults.length > 0 || ignored.includes("tiered_pricing")) return null;
  const mode = String(entry.mode);
  const fields = Object.keys(entry);
  const isExact = (component: string): boolean => {
    const modes = WHOLE[component as PriceComponent];
    if (modes === undefined) return true;
    if (!modes.includes(mode)) return false;
    if (component !== "image") return component !== "second" || prices.audio_input === undefined;
    // An edit's `input_cost_per_image` is for the image that is sent, not for the image that is made.
    const isForOutput = mode === "image_generation" || entry.output_cost_per_image !== undefined;
    return isForOutput && prices.image_output === undefined && !fields.some((field) => BY_SIZE.test(field));
  };
  const exact = Object.fromEntries(Object.entries(prices).filter(([component]) => isExact(component)));
  if (Object.keys(prices).length > 0 && Object.keys(exact).length === 0) return null;
  return Object.keys(prices).length === 0 ? null : withoutZeros(exact);
}

/** Prices at certain hours. The entry's own prices are those of the other hours. */
function changesOf({ off_peak_pricing: offPeak, mode }: Fields): SourceChange[] {
  if (typeof offPeak !== "object" || offPeak === null) return [];
  const { windows, ...fields } = offPeak as Fields;
  const prices = pricesOf({ ...fields, mode });
  if (!prices || !Array.isArray(windows)) return [];
  return windows.map(({ hours_utc: hours, weekdays: days }: Fields) => {
    const ranges = (Array.isArray(hours) ? hours : [hours]).map(String).filter((range) => range !== "00:00-00:00");
    return {
      ...(ranges.length > 0 ? { hours: ranges } : {}),
      ...(Array.isArray(days) ? { days: days.map(Number) } : {}),
      prices,
    };
  });
}
