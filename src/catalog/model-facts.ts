import { readFile } from "node:fs/promises";
import { join } from "node:path";
import type { Deployment } from "../contract/deployment.ts";
import { splitModelName } from "../contract/model-families.ts";
import { isPrivateUrl } from "../lib/net/public-address.ts";
import { PROGRAM_ROOT } from "../lib/program-root.ts";
import { modeOf } from "./model-mode.ts";
import { type Capability, ModelTable, pricesAt, type TableModel } from "./model-table.ts";
import { mergePrices, readOwnPrices } from "./own-prices.ts";
import { findPrice, flatPrice, type Prices } from "./price.ts";

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

const BUILT_IN = join(PROGRAM_ROOT, "src/catalog/model-table.json");

let builtIn: Promise<ModelTable> | null = null;

/** The table of this version of the program. Read on first use, because a start does not need it. */
export function builtInTable(): Promise<ModelTable> {
  builtIn ??= readFile(BUILT_IN, "utf8").then(ModelTable.open);
  return builtIn;
}

/** Facts of the table, under what the deployment itself states. */
export class ModelBook {
  constructor(readonly table: ModelTable) {}

  /** A price may depend on the day and the hour, hence the time. */
  factsFor(deployment: DescribedModel, atMs: number): ModelFacts {
    const { info } = deployment;
    const { provider, model } = baseModel(deployment);
    const listed = this.table.find(provider, model);
    const prices = withOwn(listed && pricesAt(listed, atMs), deployment);
    return {
      mode: modeOfModel(deployment),
      maxInputTokens: numberOr(info.max_input_tokens, listed?.context),
      maxOutputTokens: numberOr(info.max_output_tokens ?? info.max_tokens, listed?.output),
      ...capabilities(info, listed),
      supportsPromptCaching:
        flag(info.supports_prompt_caching) ?? (prices?.cache_read ? true : known(listed, "caching")),
      prices,
    };
  }

  pricesFor(deployment: DescribedModel, atMs: number): Prices | null {
    return this.factsFor(deployment, atMs).prices;
  }

  /** The models that a provider is known to have. */
  knownModels(provider: string): string[] {
    return this.table.names(provider);
  }
}

/** Providers that the table cannot know: each operator has other models under them. */
const UNLISTED: ReadonlySet<string> = new Set(["openai_like", "custom_openai", "litellm_proxy"]);

/** The prices of a model that is not in the table; undefined where the table may have them. */
export function unlistedPrices(deployment: DescribedModel): Prices | null | undefined {
  const { provider } = baseModel(deployment);
  return isSelfHosted(deployment) || UNLISTED.has(provider) ? withOwn(null, deployment) : undefined;
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

function capabilities(info: Deployment["info"], listed: TableModel | null) {
  return {
    supportsVision: flag(info.supports_vision) ?? known(listed, "vision"),
    supportsFunctionCalling: flag(info.supports_function_calling) ?? known(listed, "tools"),
    supportsParallelFunctionCalling: flag(info.supports_parallel_function_calling) ?? known(listed, "parallel_tools"),
    supportsReasoning: flag(info.supports_reasoning) ?? known(listed, "reasoning"),
    supportsPdfInput: flag(info.supports_pdf_input) ?? known(listed, "pdf"),
    supportsAudioInput: flag(info.supports_audio_input) ?? known(listed, "audio_input"),
    supportsAudioOutput: flag(info.supports_audio_output) ?? known(listed, "audio_output"),
    supportsWebSearch: flag(info.supports_web_search) ?? known(listed, "web_search"),
    supportsUrlContext: flag(info.supports_url_context) ?? known(listed, "url_context"),
    supportsResponseSchema: flag(info.supports_response_schema) ?? known(listed, "schema"),
  };
}

function known(listed: TableModel | null, capability: Capability): boolean | null {
  if (listed?.can.has(capability)) return true;
  return listed?.cannot.has(capability) ? false : null;
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
