import type { EmbeddingAnswer, EmbeddingRequest } from "../../contract/embeddings.ts";
import { GatewayError } from "../../contract/errors.ts";
import { isRecord } from "../../lib/json.ts";
import type { AnswerFacts, Dialect } from "../dialect.ts";
import { embeddingAnswer, isVector } from "../embedding-format.ts";
import { extraFields } from "../extra-fields.ts";
import { type EmbeddingFamily, embeddingFamily } from "./embedding-models.ts";
import { parseModel } from "./model.ts";
import { bedrockRequest } from "./request.ts";
import { brokenAnswer, TITLE } from "./title.ts";
import { tokens } from "./usage.ts";

type Fields = Readonly<Record<string, unknown>>;

/** Embeddings have no interface of their own: each maker's body goes through InvokeModel. */
export const bedrockEmbedding: Dialect<EmbeddingRequest, EmbeddingAnswer> = {
  encode(request, target) {
    const { id } = parseModel(target.upstreamModel);
    const family = embeddingFamily(id);
    if (family === null) {
      throw new GatewayError("invalid_request", `${TITLE}'s model ${id} is not known to make embeddings.`, {
        param: "model",
      });
    }
    const { model_id: _, ...extra } = extraFields("embedding", request);
    return bedrockRequest(target, "invoke", { ...encodeBody(family, request), ...extra });
  },
  decode: decodeEmbedding,
  countedInput: readInputCount,
};

function readInputCount(headers: Headers): number | null {
  const count = Number(headers.get("x-amzn-bedrock-input-token-count") ?? Number.NaN);
  return Number.isSafeInteger(count) && count > 0 ? count : null;
}

function encodeBody(family: EmbeddingFamily, request: EmbeddingRequest): Fields {
  const texts = readTexts(request);
  const dimensions = request.dimensions ?? null;
  switch (family) {
    case "cohere-v3":
    case "cohere-v4":
      // Cohere wants to know what the vectors are for; a caller that says nothing indexes, more often than not.
      return {
        texts,
        input_type: "search_document",
        ...(dimensions === null ? {} : { output_dimension: dimensions }),
      };
    case "titan-image":
      return {
        inputText: onlyText(texts),
        ...(dimensions === null ? {} : { embeddingConfig: { outputEmbeddingLength: dimensions } }),
      };
    default:
      return { inputText: onlyText(texts), ...(dimensions === null ? {} : { dimensions }) };
  }
}

function readTexts({ input }: EmbeddingRequest): readonly string[] {
  const texts: readonly unknown[] = Array.isArray(input) ? input : [input];
  const isText = (text: unknown): text is string => typeof text === "string";
  if (texts.length > 0 && texts.every(isText)) return texts;
  throw refusedInput(`${TITLE} makes embeddings of text, not of tokens.`);
}

/** One request of ours is one request of theirs, so that several texts cannot be spread over several calls. */
function onlyText(texts: readonly string[]): string {
  const [text, ...others] = texts;
  if (text !== undefined && others.length === 0) return text;
  throw refusedInput(`Titan on ${TITLE} takes one text in a call, not ${texts.length}: send them one by one.`);
}

const refusedInput = (message: string): GatewayError =>
  new GatewayError("invalid_request", message, { param: "input" });

function decodeEmbedding(body: unknown, request: EmbeddingRequest, facts: AnswerFacts): EmbeddingAnswer {
  if (!isRecord(body)) throw brokenAnswer("is not an object");
  const vectors = readVectors(body);
  const asked = Array.isArray(request.input) ? request.input.length : 1;
  if (vectors.length !== asked) throw brokenAnswer(`has ${vectors.length} embeddings, not ${asked}`);
  // Cohere's count stands in a header alone: see `countedInput`.
  const prompt = tokens(body.inputTextTokenCount);
  return embeddingAnswer(vectors, prompt, request, facts.model);
}

/** Titan has one `embedding`; Cohere a list, or lists by type when types were asked for. */
function readVectors({ embedding, embeddings }: Fields): readonly (readonly number[])[] {
  const many = isRecord(embeddings) ? Object.values(embeddings)[0] : embeddings;
  const vectors: unknown = many ?? (embedding === undefined ? null : [embedding]);
  if (Array.isArray(vectors) && vectors.every(isVector)) return vectors;
  throw brokenAnswer("has no embeddings");
}
