import type { EmbeddingAnswer, EmbeddingRequest } from "../../contract/embeddings.ts";
import { GatewayError } from "../../contract/errors.ts";
import { embeddingAnswer, isVector } from "../embedding-format.ts";
import { broken } from "./candidate.ts";

/** The texts of an embedding request; Google takes no token numbers. */
export function textsOf(request: EmbeddingRequest): readonly string[] {
  const { input } = request;
  const texts: readonly unknown[] = Array.isArray(input) ? input : [input];
  if (texts.length > 0 && texts.every((text) => typeof text === "string")) return texts;
  throw new GatewayError("invalid_request", "Google's embedding models take a text or a list of texts.", {
    param: "input",
  });
}

/** Checks the vectors and puts them in the form that was asked for; Google gives numbers only. */
export function checkedAnswer(
  vectors: readonly unknown[],
  promptTokens: number,
  request: EmbeddingRequest,
  model: string,
  title: string,
): EmbeddingAnswer {
  const { length } = textsOf(request);
  if (vectors.length !== length) throw broken(title, `has ${vectors.length} vectors for ${length} texts`);
  if (!vectors.every(isVector)) throw broken(title, "has a vector that is none");
  return embeddingAnswer(vectors, promptTokens, request, model);
}
