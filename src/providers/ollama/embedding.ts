import type { EmbeddingAnswer, EmbeddingRequest } from "../../contract/embeddings.ts";
import { isRecord } from "../../lib/json.ts";
import type { AnswerFacts, Dialect } from "../dialect.ts";
import { embeddingAnswer, isVector } from "../embedding-format.ts";
import { extraFields } from "../extra-fields.ts";
import { inputTexts } from "../openai-form/embedding-input.ts";
import { tokenCount } from "../openai-form/token-count.ts";
import { malformed } from "./answer.ts";
import { settings } from "./options.ts";
import { ollamaRequest } from "./requests.ts";

export const ollamaEmbedding: Dialect<EmbeddingRequest, EmbeddingAnswer> = {
  encode(request, target) {
    const { options, fields } = settings(extraFields("embedding", request), {});
    return ollamaRequest(target, "embed", {
      input: inputTexts(request, "Ollama") ?? undefined,
      dimensions: request.dimensions ?? undefined,
      options,
      ...fields,
    });
  },

  decode(body: unknown, request: EmbeddingRequest, facts: AnswerFacts): EmbeddingAnswer {
    if (!isRecord(body) || !Array.isArray(body.embeddings)) throw malformed("has no embeddings");
    const texts = inputTexts(request, "Ollama") ?? [];
    if (body.embeddings.length !== texts.length) throw malformed("has not one embedding for each input");
    const vectors = body.embeddings.filter(isVector);
    if (vectors.length !== texts.length) throw malformed("has an embedding that is not a list of numbers");
    return embeddingAnswer(vectors, tokenCount(body.prompt_eval_count), request, facts.model);
  },
};
