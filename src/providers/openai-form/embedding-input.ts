import type { EmbeddingRequest } from "../../contract/embeddings.ts";
import { GatewayError } from "../../contract/errors.ts";

/** The texts to embed, for a provider that does not take token numbers; null when the request has no `input`. */
export function inputTexts({ input }: EmbeddingRequest, provider: string): readonly string[] | null {
  if (input === undefined) return null;
  if (typeof input === "string") return [input];
  return input.map((text) => {
    if (typeof text === "string") return text;
    throw new GatewayError("invalid_request", `${provider} embeds texts, not token numbers.`, { param: "input" });
  });
}
