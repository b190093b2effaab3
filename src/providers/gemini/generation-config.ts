import type { ChatRequest } from "../../contract/chat.ts";
import { GatewayError } from "../../contract/errors.ts";
import { isRecord } from "../../lib/json.ts";
import { requireKnownFormat } from "../openai-form/wishes.ts";
import type { ModelTraits } from "./model.ts";
import { encodeSchema } from "./schema.ts";
import { thinkingConfig } from "./thinking.ts";
import { offersFunctions } from "./tools.ts";

type Fields = Record<string, unknown>;

/** OpenAI's parameters in Google's words. */
export function generationConfig(request: ChatRequest, traits: ModelTraits): Fields {
  const { stop } = request;
  const fields: Fields = {};
  put(fields, "temperature", request.temperature);
  put(fields, "topP", request.top_p);
  put(fields, "maxOutputTokens", (request as Fields).max_completion_tokens ?? request.max_tokens);
  put(fields, "stopSequences", typeof stop === "string" ? [stop] : stop);
  put(fields, "candidateCount", request.n);
  put(fields, "seed", request.seed);
  put(fields, "presencePenalty", request.presence_penalty);
  put(fields, "frequencyPenalty", request.frequency_penalty);
  put(fields, "responseLogprobs", request.logprobs);
  put(fields, "logprobs", request.logprobs === true ? request.top_logprobs : null);
  put(fields, "responseModalities", modalities((request as Fields).modalities));
  putResponseFormat(fields, request, traits);
  put(fields, "thinkingConfig", thinkingConfig(request, traits));
  return fields;
}

function put(fields: Fields, name: string, value: unknown): void {
  if (value !== null && value !== undefined) fields[name] = value;
}

function modalities(given: unknown): string[] | null {
  if (!Array.isArray(given)) return null;
  return given.map((name: unknown) => {
    if (typeof name === "string") return name.toUpperCase();
    throw new GatewayError("invalid_request", "modalities is a list of names.", { param: "modalities" });
  });
}

function putResponseFormat(fields: Fields, request: ChatRequest, traits: ModelTraits): void {
  const schema = jsonSchemaOf(request);
  if (schema === null || isByInstruction(request, traits)) return;
  fields.responseMimeType = "application/json";
  if (schema === "any") return;
  const encoded = encodeSchema(schema, traits);
  if ("json" in encoded) put(fields, "responseJsonSchema", encoded.json);
  else put(fields, "responseSchema", encoded.own);
}

/**
 * Before its third generation Gemini refuses to be held to JSON while it may call functions. There the schema is asked
 * for in words: a forced function would keep the model from calling the caller's.
 */
export function formatInstruction(request: ChatRequest, traits: ModelTraits): string | null {
  const schema = jsonSchemaOf(request);
  if (schema === null || !isByInstruction(request, traits)) return null;
  const wanted = "When you answer in words, write one JSON value and nothing else, without a code fence.";
  return schema === "any" ? wanted : `${wanted} It has to fit this JSON Schema: ${JSON.stringify(schema)}`;
}

const isByInstruction = (request: ChatRequest, traits: ModelTraits): boolean =>
  !traits.mixesJsonAndTools && offersFunctions(request);

function jsonSchemaOf(request: ChatRequest): Fields | "any" | null {
  const format = request.response_format as Fields | null | undefined;
  requireKnownFormat(format);
  if (format?.type === "json_object") return isRecord(format.response_schema) ? format.response_schema : "any";
  if (format?.type !== "json_schema") return null;
  const named = isRecord(format.json_schema) ? format.json_schema.schema : null;
  return isRecord(named) ? named : "any";
}
