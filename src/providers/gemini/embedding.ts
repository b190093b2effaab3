import type { EmbeddingAnswer, EmbeddingRequest } from "../../contract/embeddings.ts";
import { isRecord } from "../../lib/json.ts";
import type { Dialect } from "../dialect.ts";
import { extraFields } from "../extra-fields.ts";
import { geminiApi, resourceName } from "./address.ts";
import { broken } from "./candidate.ts";
import { findError } from "./failure.ts";
import { count } from "./usage.ts";
import { checkedAnswer, textsOf } from "./vectors.ts";

const { title } = geminiApi;

/** One text goes to `embedContent`, which every model has; several to `batchEmbedContents`. */
export const geminiEmbedding: Dialect<EmbeddingRequest, EmbeddingAnswer> = {
  encode(request, target) {
    const requests = textsOf(request).map((text) => ({
      model: resourceName(target.upstreamModel),
      content: { parts: [{ text }] },
      ...(request.dimensions ? { outputDimensionality: request.dimensions } : {}),
      ...ownFields(request),
    }));
    const [only] = requests;
    if (only !== undefined && requests.length === 1) return geminiApi.request(target, "embedContent", only);
    return geminiApi.request(target, "batchEmbedContents", { requests });
  },
  decode(body, request, facts) {
    const error = findError(body, title);
    if (error !== null) throw error;
    if (!isRecord(body)) throw broken(title, "is not a JSON object");
    const embeddings = body.embeddings ?? [body.embedding];
    if (!Array.isArray(embeddings)) throw broken(title, "has no list of vectors");
    const vectors = embeddings.map((one: unknown) => (isRecord(one) ? one.values : null));
    // Some models do not say how many tokens they read.
    const tokens = isRecord(body.usageMetadata) ? count(body.usageMetadata.promptTokenCount) : 0;
    return checkedAnswer(vectors, tokens, request, facts.model, title);
  },
};

/** `task_type` and the like, in Google's spelling. */
function ownFields(request: EmbeddingRequest): Record<string, unknown> {
  const {
    task_type: taskType,
    output_dimensionality: outputDimensionality,
    ...rest
  } = extraFields("embedding", request);
  return {
    ...(taskType === undefined ? {} : { taskType }),
    ...(outputDimensionality === undefined ? {} : { outputDimensionality }),
    ...rest,
  };
}
