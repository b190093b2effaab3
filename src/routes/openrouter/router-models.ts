import Type from "typebox";
import type { ModelBook, ModelFacts } from "../../catalog/model-facts.ts";
import { decimalText } from "../../contract/decimal-text.ts";
import { MODEL_CREATED_SECONDS } from "../../contract/models.ts";
import { RouterEndpoints, RouterModel, RouterModelsQuery } from "../../contract/openrouter.ts";
import type { PlatformModel } from "../../contract/platform-models.ts";
import { findVisible, type VisibleModel, visibleModels } from "../../gateway/info/visible-models.ts";
import { json } from "../../http/reply.ts";
import { type Route, route } from "../../http/route.ts";
import { type CatalogDeps, describeModel } from "../catalog/platform-models.ts";
import { unknownModel } from "../models/unknown-model.ts";
import { ROUTER_BASE } from "./under-api.ts";

const shared = { method: "GET", tag: "OpenRouter", auth: "key" } as const;

/** The models of a key, as OpenRouter tells of its own. */
export const routerModels = (deps: CatalogDeps): Route[] => [
  route({
    ...shared,
    paths: [`${ROUTER_BASE}/models`],
    summary: "List the models that the key may call, as OpenRouter does",
    description:
      "`GET /v1/models` lists them as OpenAI does. Here a key is needed; OpenRouter asks for none. A wildcard group appears as " +
      "the models that its provider is known to have; any other model that fits it can be called as well.",
    query: RouterModelsQuery,
    success: Type.Object({ data: Type.Array(RouterModel) }),
    errors: [],
    handle: async ({ caller, query }) => json({ data: await listed(deps, caller, query) }),
  }),
  route({
    ...shared,
    paths: [`${ROUTER_BASE}/models/count`],
    summary: "Count the models that the key may call",
    query: RouterModelsQuery,
    success: Type.Object({ data: Type.Object({ count: Type.Integer() }) }),
    errors: [],
    handle: async ({ caller, query }) => json({ data: { count: (await listed(deps, caller, query)).length } }),
  }),
  route({
    ...shared,
    paths: [`${ROUTER_BASE}/models/{model_id...}/endpoints`],
    summary: "Tell who serves a model",
    description: "Each of its deployments. A name with slashes may be sent as it is or encoded.",
    params: Type.Object({ model_id: Type.String() }),
    success: Type.Object({ data: RouterEndpoints }),
    errors: ["model_not_found"],
    async handle({ caller, params: { model_id: name } }) {
      const found = findVisible(deps.catalog(), caller, name);
      const book = await deps.prices.book();
      const whole = found && describe(deps, book, found);
      if (!whole) throw unknownModel(name);
      const { id, created, description, architecture } = whole;
      const endpoints = found.deployments.flatMap((deployment) => {
        const model = describeModel(deps, book, name, [deployment]);
        return model ? [endpointOf(model)] : [];
      });
      return json({ data: { id, name: whole.name, created, description, architecture, endpoints } });
    },
  }),
];

async function listed(
  deps: CatalogDeps,
  caller: Parameters<typeof visibleModels>[1],
  { output_modalities: outputs = "text", supported_parameters: params = "" }: RouterModelsQuery,
): Promise<RouterModel[]> {
  const [wanted, needed] = [namesIn(outputs), namesIn(params)];
  const book = await deps.prices.book();
  const models = (await visibleModels(deps, caller)).flatMap((model) => describe(deps, book, model) ?? []);
  return models.filter(
    ({ architecture, supported_parameters: taken }) =>
      (wanted.includes("all") || architecture.output_modalities.some((kind) => wanted.includes(kind))) &&
      needed.every((name) => taken.includes(name)),
  );
}

const namesIn = (list: string): string[] =>
  list
    .split(",")
    .map((name) => name.trim())
    .filter((name) => name !== "");

function describe(deps: CatalogDeps, book: ModelBook, { name, deployments }: VisibleModel): RouterModel | null {
  const model = describeModel(deps, book, name, deployments);
  const [first] = deployments;
  if (!model || !first) return null;
  return {
    id: name,
    canonical_slug: name,
    name: model.name,
    created: model.createdAt === null ? MODEL_CREATED_SECONDS : Math.floor(Date.parse(model.createdAt) / 1000),
    description: model.description ?? "",
    context_length: model.contextLength,
    architecture: architectureOf(book.factsFor(first, deps.clock.nowMs())),
    pricing: pricingOf(model),
    top_provider: {
      context_length: model.contextLength,
      max_completion_tokens: model.maxOutputTokens,
      is_moderated: false,
    },
    per_request_limits: null,
    supported_parameters: [...model.supportedParams],
  };
}

const endpointOf = (model: PlatformModel) => ({
  name: `${model.providerName} | ${model.id}`,
  model_name: model.name,
  context_length: model.contextLength,
  pricing: pricingOf(model),
  provider_name: model.providerName,
  tag: model.provider,
  quantization: null,
  max_completion_tokens: model.maxOutputTokens,
  max_prompt_tokens: null,
  supported_parameters: [...model.supportedParams],
  status: model.status === "active" ? 0 : UNWELL,
  uptime_last_30m: null,
});

const UNWELL = -5;

/** What models that are no chats answer with. */
const OUTPUTS: Readonly<Record<string, string>> = {
  embedding: "embeddings",
  image_generation: "image",
  audio_speech: "audio",
  audio_transcription: "transcription",
  moderation: "moderation",
  rerank: "rerank",
};

function architectureOf(facts: ModelFacts): RouterModel["architecture"] {
  const input = facts.mode === "audio_transcription" ? ["audio"] : ["text"];
  if (facts.supportsVision) input.push("image");
  if (facts.supportsPdfInput) input.push("file");
  if (facts.supportsAudioInput && !input.includes("audio")) input.push("audio");
  const output = [OUTPUTS[facts.mode] ?? "text"];
  if (facts.supportsAudioOutput && !output.includes("audio")) output.push("audio");
  return {
    modality: `${input.join("+")}->${output.join("+")}`,
    input_modalities: input,
    output_modalities: output,
    tokenizer: "Other",
    instruct_type: null,
  };
}

/** Prices that have a name at OpenRouter beside those of the prompt and the completion. */
const PRICES: Readonly<Record<string, string>> = {
  cache_read: "input_cache_read",
  cache_write: "input_cache_write",
  reasoning: "internal_reasoning",
  audio_input: "audio",
  image_input: "image",
  image: "image_output",
  request: "request",
};

/** How OpenRouter says that a price is not known before the call. */
const UNKNOWN = "-1";
/** Nano-USD for a million are femto-USD for one. */
const FEMTO_DIGITS = 15;

function pricingOf({ inputPrice, outputPrice, pricing }: PlatformModel): Record<string, string> {
  const usd = (price: number | null): string => (price === null ? UNKNOWN : decimalText(BigInt(price), FEMTO_DIGITS));
  const others = pricing.flatMap(({ component, price }) => {
    const name = PRICES[component];
    return name === undefined ? [] : [[name, usd(price)] as const];
  });
  return { prompt: usd(inputPrice), completion: usd(outputPrice), request: "0", ...Object.fromEntries(others) };
}
