import type { EmbeddingAnswer, EmbeddingRequest } from "../../contract/embeddings.ts";
import { isRecord, ownField } from "../../lib/json.ts";
import type { AnswerFacts, Dialect } from "../dialect.ts";
import { embeddingAnswer, isVector } from "../embedding-format.ts";
import { extraFields } from "../extra-fields.ts";
import { inputTexts } from "../openai-form/embedding-input.ts";
import { tokenCount } from "../openai-form/token-count.ts";
import { malformed } from "./answer.ts";
import { cohereRequest } from "./requests.ts";
import { countOf } from "./usage.ts";

export const cohereEmbedding: Dialect<EmbeddingRequest, EmbeddingAnswer> = {
  encode: (request, target) =>
    cohereRequest(target, "embed", {
      texts: inputTexts(request, "Cohere") ?? undefined,
      // Cohere wants to know what the vectors are for; texts are most often embedded to be found later.
      input_type: "search_document",
      embedding_types: ["float"],
      output_dimension: request.dimensions ?? undefined,
      ...extraFields("embedding", request),
    }),

  decode(body: unknown, request: EmbeddingRequest, facts: AnswerFacts): EmbeddingAnswer {
    if (!isRecord(body)) throw malformed("is not an object");
    const vectors = vectorsOf(body.embeddings, request);
    const texts = inputTexts(request, "Cohere");
    if (texts !== null && vectors.length !== texts.length) throw malformed("has not one embedding for each input");
    const tokens = tokensIn(body.meta);
    return embeddingAnswer(vectors, tokens, request, facts.model);
  },
};

/** Vectors of the first type that the caller asked for; strings are Cohere's own base64. */
function vectorsOf(embeddings: unknown, request: EmbeddingRequest): readonly (readonly number[] | string)[] {
  const { embedding_types: types }: Readonly<Record<string, unknown>> = request;
  const type = Array.isArray(types) && typeof types[0] === "string" ? types[0] : "float";
  const vectors = isRecord(embeddings) ? ownField(embeddings, type) : embeddings;
  if (!Array.isArray(vectors) || !vectors.every(isVectorOrText)) throw malformed(`has no embeddings of type ${type}`);
  return vectors;
}

const isVectorOrText = (value: unknown): value is readonly number[] | string =>
  typeof value === "string" || isVector(value);

function tokensIn(meta: unknown): number {
  if (!isRecord(meta)) return 0;
  const images = isRecord(meta.billed_units) ? tokenCount(meta.billed_units.image_tokens) : 0;
  return countOf(meta, "input_tokens") + images;
}
