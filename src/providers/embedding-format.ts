import type { EmbeddingAnswer, EmbeddingRequest } from "../contract/embeddings.ts";

export const isVector = (value: unknown): value is readonly number[] =>
  Array.isArray(value) && value.every((part) => typeof part === "number");

/** Vectors in the order of their texts, in our form. Those that come as text are encoded already. */
export const embeddingAnswer = (
  vectors: readonly (readonly number[] | string)[],
  promptTokens: number,
  { encoding_format: format }: EmbeddingRequest,
  model: string,
): EmbeddingAnswer => ({
  object: "list",
  model,
  data: vectors.map((vector, index) => ({
    object: "embedding",
    index,
    embedding: typeof vector === "string" ? vector : encodeVector(vector, format),
  })),
  usage: { prompt_tokens: promptTokens, total_tokens: promptTokens },
});

/** A vector as the request's `encoding_format` asks for it; base64 is of little-endian float32, as OpenAI has it. */
export function encodeVector(
  vector: readonly number[],
  format: "float" | "base64" | null | undefined,
): readonly number[] | string {
  if (format !== "base64") return vector;
  const bytes = new DataView(new ArrayBuffer(vector.length * 4));
  for (const [index, value] of vector.entries()) bytes.setFloat32(index * 4, value, true);
  return Buffer.from(bytes.buffer).toString("base64");
}
