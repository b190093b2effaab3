import type { EmbeddingAnswer, EmbeddingRequest } from "../../contract/embeddings.ts";
import { GatewayError } from "../../contract/errors.ts";
import { isRecord } from "../../lib/json.ts";
import type { Dialect } from "../dialect.ts";
import { extraFields } from "../extra-fields.ts";
import { broken } from "../gemini/candidate.ts";
import { findError } from "../gemini/failure.ts";
import { count } from "../gemini/usage.ts";
import { checkedAnswer, textsOf } from "../gemini/vectors.ts";
import { TITLE, vertexPlatform } from "./address.ts";

type Fields = Readonly<Record<string, unknown>>;

/** Text models are asked by `predict`; the Gemini ones after the first by `embedContent`, a text at a time. */
export const vertexEmbedding: Dialect<EmbeddingRequest, EmbeddingAnswer> = {
  encode(request, target) {
    const texts = textsOf(request);
    const fields = ownFields(request);
    if (isContentModel(target.upstreamModel)) {
      if (texts.length !== 1) throw tooMany(target.upstreamModel);
      return vertexPlatform.request(target, "embedContent", {
        content: { role: "user", parts: [{ text: texts[0] }] },
        ...(Object.keys(fields).length > 0 ? { embedContentConfig: fields } : {}),
      });
    }
    const { taskType, title, ...parameters } = fields;
    return vertexPlatform.request(target, "predict", {
      instances: texts.map((content) => defined({ content, task_type: taskType, title })),
      ...(Object.keys(parameters).length > 0 ? { parameters } : {}),
    });
  },
  decode(body, request, facts) {
    const error = findError(body, TITLE);
    if (error !== null) throw error;
    if (!isRecord(body)) throw broken(TITLE, "is not a JSON object");
    if (isRecord(body.embedding)) {
      const tokens = isRecord(body.usageMetadata) ? count(body.usageMetadata.promptTokenCount) : 0;
      return checkedAnswer([body.embedding.values], tokens, request, facts.model, TITLE);
    }
    if (!Array.isArray(body.predictions)) throw broken(TITLE, "has no predictions");
    const found = body.predictions.map(readPrediction);
    const tokens = found.reduce((sum, { tokens }) => sum + tokens, 0);
    return checkedAnswer(
      found.map(({ values }) => values),
      tokens,
      request,
      facts.model,
      TITLE,
    );
  },
};

const isContentModel = (model: string): boolean => model.startsWith("gemini-") && model !== "gemini-embedding-001";

function readPrediction(prediction: unknown): { values: unknown; tokens: number } {
  const embeddings = isRecord(prediction) && isRecord(prediction.embeddings) ? prediction.embeddings : {};
  const statistics = isRecord(embeddings.statistics) ? embeddings.statistics : {};
  return { values: embeddings.values, tokens: count(statistics.token_count) };
}

/** In Google's spelling, whichever the caller's is. */
function ownFields(request: EmbeddingRequest): Fields {
  const { task_type, auto_truncate, output_dimensionality, ...rest } = extraFields("embedding", request);
  return defined({
    outputDimensionality: output_dimensionality ?? request.dimensions ?? undefined,
    autoTruncate: auto_truncate,
    taskType: task_type,
    ...rest,
  });
}

const defined = (fields: Fields): Fields =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined));

const tooMany = (model: string): GatewayError =>
  new GatewayError("invalid_request", `${model} takes one text per request at Vertex AI.`, { param: "input" });
