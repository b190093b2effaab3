import { decodeTokens } from "../catalog/tokenizer.ts";
import type { EmbeddingRequest } from "../contract/embeddings.ts";

/** Token arrays as the text that they stand for, for upstreams that take text alone. */
export async function tokensToText(input: EmbeddingRequest["input"]): Promise<string | string[]> {
  if (input === undefined || typeof input === "string") return input ?? [];
  const [first] = input;
  if (typeof first === "number") return decodeTokens(input as number[]);
  return Promise.all(
    (input as (string | number[])[]).map((one) => (typeof one === "string" ? one : decodeTokens(one))),
  );
}
