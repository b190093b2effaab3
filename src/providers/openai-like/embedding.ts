import type { EmbeddingAnswer } from "../../contract/embeddings.ts";
import { GatewayError } from "../../contract/errors.ts";
import { isRecord } from "../../lib/json.ts";
import type { AnswerFacts } from "../dialect.ts";
import { isVector } from "../embedding-format.ts";

type Item = EmbeddingAnswer["data"][number];

/** Embeddings as OpenAI has them, except that the usage is a total: for embeddings that is the prompt. */
export function decodeTotalUsage(body: unknown, facts: AnswerFacts, title: string): EmbeddingAnswer {
  const list = isRecord(body) ? body.data : null;
  if (!isRecord(body) || !Array.isArray(list)) {
    throw new GatewayError("upstream", `${title}'s answer has no list of embeddings.`);
  }
  const data = list.map((item: unknown, position): Item => {
    const embedding = isRecord(item) ? item.embedding : null;
    if (typeof embedding !== "string" && !isVector(embedding))
      throw new GatewayError("upstream", `${title}'s answer has an entry without a vector.`);
    const index = isRecord(item) && typeof item.index === "number" ? item.index : position;
    return { object: "embedding", index, embedding };
  });
  const usage = isRecord(body.usage) ? body.usage : {};
  const total = count(usage.total_tokens);
  return {
    object: "list",
    model: facts.model,
    data,
    usage: { prompt_tokens: count(usage.prompt_tokens) || total, total_tokens: total },
  };
}

const count = (value: unknown): number =>
  typeof value === "number" && Number.isSafeInteger(value) && value >= 0 ? value : 0;
