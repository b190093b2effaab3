import { GatewayError } from "../../contract/errors.ts";
import type { RerankAnswer } from "../../contract/rerank.ts";
import { isRecord } from "../../lib/json.ts";
import type { AnswerFacts } from "../dialect.ts";

type Result = RerankAnswer["results"][number];

/** Those who rerank agree on the request; the answer's list is `results` or `data`, and ids and usage vary. */
export function decodeRerank(body: unknown, facts: AnswerFacts, title: string): RerankAnswer {
  const list = isRecord(body) ? (body.results ?? body.data) : null;
  if (!isRecord(body) || !Array.isArray(list)) {
    throw new GatewayError("upstream", `${title}'s answer has no list of results.`);
  }
  const results = list.map((item: unknown) => {
    const result = decodeResult(item);
    if (!result) throw new GatewayError("upstream", `${title}'s answer has a result without an index or a score.`);
    return result;
  });
  const meta = decodeMeta(body);
  return {
    id: typeof body.id === "string" ? body.id : facts.id,
    results,
    ...(meta && { meta }),
  };
}

function decodeResult(item: unknown): Result | null {
  if (!isRecord(item)) return null;
  const { index, document } = item;
  const score = item.relevance_score ?? item.score;
  if (typeof index !== "number" || !Number.isInteger(index) || typeof score !== "number") return null;
  const text = isRecord(document) ? document.text : document;
  return { index, relevance_score: score, ...(typeof text === "string" && { document: { text } }) };
}

/** The tokens that were read, where the upstream tells them, under the name that Cohere's users read. */
function decodeMeta(body: Record<string, unknown>): Record<string, unknown> | undefined {
  if (isRecord(body.meta)) return body.meta;
  const tokens = isRecord(body.usage) ? (body.usage.total_tokens ?? body.usage.prompt_tokens) : null;
  return typeof tokens === "number" && tokens >= 0 ? { billed_units: { total_tokens: tokens } } : undefined;
}
