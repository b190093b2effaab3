/** How a family of embedding models is asked. Titan reads one text in a call, Cohere many. */
export type EmbeddingFamily = "titan-v1" | "titan-v2" | "titan-image" | "cohere-v3" | "cohere-v4";

const FAMILIES: readonly (readonly [RegExp, EmbeddingFamily])[] = [
  [/amazon\.titan-embed-image/, "titan-image"],
  [/amazon\.titan-embed-text-v2/, "titan-v2"],
  [/amazon\.titan-embed/, "titan-v1"],
  [/cohere\.embed-v[4-9]/, "cohere-v4"],
  [/cohere\.embed/, "cohere-v3"],
];

export const embeddingFamily = (id: string): EmbeddingFamily | null =>
  FAMILIES.find(([pattern]) => pattern.test(id))?.[1] ?? null;

export function embeddingParams(id: string): readonly string[] {
  const family = embeddingFamily(id);
  const hasDimensions = family === "titan-v2" || family === "titan-image" || family === "cohere-v4";
  return hasDimensions ? ["encoding_format", "dimensions"] : ["encoding_format"];
}
