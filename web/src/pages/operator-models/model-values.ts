import type { UseFormReturnType } from "@mantine/form";
import { parseUsd, plainUsd } from "../../components/parse-usd.ts";
import type { AdminModel } from "./admin-model.ts";
import { ALL_FIELDS, fieldsOf } from "./provider-fields.ts";

/** What the form holds: text as it was typed, flat, under the names that the server has for its faults. */
export type ModelValues = Record<string, string | number>;
export type ModelFormApi = UseFormReturnType<ModelValues>;

export const TYPES = {
  chat: "Chat",
  completion: "Text completion",
  embedding: "Embeddings",
  image: "Images",
  audio_speech: "Speech",
  audio_transcription: "Transcription",
  moderation: "Moderation",
  rerank: "Reranking",
  realtime: "Realtime sessions",
} as const;

/** Figures that are parameters of the deployment. */
export const FIGURES = ["weight", "order", "rpm", "tpm", "max_parallel_requests", "timeout"] as const;
export const PRICES = { inputPrice: "input", outputPrice: "output", cachedInputPrice: "cache_read" } as const;
const PRICE_PARAMS = {
  inputPrice: "input_cost_per_token",
  outputPrice: "output_cost_per_token",
  cachedInputPrice: "cache_read_input_token_cost",
} as const;

export function emptyValues(): ModelValues {
  const names = [...ALL_FIELDS.map(({ name }) => name), ...FIGURES, ...Object.keys(PRICES)];
  return {
    provider: "",
    inferenceModelId: "",
    name: "",
    type: "",
    credentialName: "",
    markupPercent: "",
    contextLength: "",
    maxOutputTokens: "",
    ...Object.fromEntries(names.map((name) => [name, ""])),
  };
}

/** A model that is there, as the form shows it: its own settings, not what is known of it from elsewhere. */
export function valuesOf(model: AdminModel): ModelValues {
  const { params, info } = model;
  const own = (name: string): string | number => {
    const value = params[name];
    return typeof value === "number" || typeof value === "string" ? value : "";
  };
  const prices = Object.entries(PRICE_PARAMS).map(([name, param]) => [
    name,
    params[param] === undefined ? "" : plainUsd((model[name as keyof typeof PRICES] ?? 0) as number),
  ]);
  return {
    ...emptyValues(),
    provider: model.provider,
    inferenceModelId: model.inferenceModelId ?? "",
    name: model.name,
    type: model.type ?? "",
    credentialName: own("litellm_credential_name"),
    markupPercent: typeof info.markup_percent === "number" ? info.markup_percent : "",
    ...Object.fromEntries(
      [...ALL_FIELDS.filter((field) => !field.isSecret), ...FIGURES.map((name) => ({ name }))].map(({ name }) => [
        name,
        own(name),
      ]),
    ),
    ...Object.fromEntries(prices),
  };
}

const filled = (value: string | number | undefined): boolean => value !== undefined && value !== "";

/** The parameters as the configuration file names them, for a try without keeping anything. */
export function paramsOf(values: ModelValues): Record<string, unknown> {
  const fields = fieldsOf(String(values.provider)).map(({ name }) => name);
  const names = [...fields, ...FIGURES].filter((name) => filled(values[name]));
  return {
    model: `${values.provider}/${values.inferenceModelId}`,
    ...(filled(values.credentialName) ? { litellm_credential_name: values.credentialName } : {}),
    ...Object.fromEntries(names.map((name) => [name, values[name]])),
  };
}

/** Fields that the platform has names of its own for. */
const BODY_NAMES: Readonly<Record<string, string>> = {
  api_key: "apiKey",
  api_base: "apiBase",
  api_version: "apiVersion",
};

/** What is sent: of a new model all that was filled in, of a change what is different; null takes a setting away. */
export function bodyOf(values: ModelValues, before?: ModelValues): Record<string, unknown> {
  const isSent = (name: string): boolean =>
    before === undefined ? filled(values[name]) : values[name] !== before[name];
  const value = (name: string): unknown => (filled(values[name]) ? values[name] : null);
  const body: Record<string, unknown> = {};
  const params: Record<string, unknown> = {};
  for (const name of [
    "provider",
    "inferenceModelId",
    "name",
    "type",
    "credentialName",
    "contextLength",
    "maxOutputTokens",
  ])
    if (isSent(name)) body[name] = value(name);
  for (const { name } of fieldsOf(String(values.provider))) {
    if (!isSent(name)) continue;
    const own = BODY_NAMES[name];
    if (own === undefined) params[name] = value(name);
    else body[own] = value(name);
  }
  for (const name of FIGURES) if (isSent(name)) params[name] = value(name);
  for (const name of Object.keys(PRICES)) {
    if (isSent(name)) body[name] = filled(values[name]) ? parseUsd(String(values[name])) : null;
  }
  if (isSent("markupPercent")) body.info = { markup_percent: value("markupPercent") };
  return Object.keys(params).length === 0 ? body : { ...body, params };
}

/** What can be said before the server is asked. */
export const validateModel = {
  provider: (value: unknown) => (filled(value as string) ? null : "Choose who serves it."),
  inferenceModelId: (value: unknown) => (filled(value as string) ? null : "Its name at the provider is missing."),
  ...Object.fromEntries(
    Object.keys(PRICES).map((name) => [
      name,
      (value: unknown) =>
        !filled(value as string) || parseUsd(String(value)) !== null
          ? null
          : "An amount in USD with at most nine decimals, such as 2.5.",
    ]),
  ),
};
