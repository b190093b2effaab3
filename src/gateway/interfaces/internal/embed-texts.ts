import { unitVector } from "../../../cache/semantic-index.ts";
import { GatewayError } from "../../../contract/errors.ts";
import { isRecord } from "../../../lib/json.ts";
import type { GatewayDeps } from "../../call/gateway.ts";
import { embed } from "../../operations/embeddings.ts";
import { internalCall } from "../../pipeline/internal-call.ts";

/** Vectors of length one, in the order of the texts: a call like any other, in the name of a key. */
export async function embedTexts(
  deps: GatewayDeps,
  asked: Parameters<typeof internalCall>[1],
  texts: readonly string[],
): Promise<readonly Float32Array[]> {
  const request = { model: asked.model, input: [...texts], encoding_format: "float" as const };
  const answer: unknown = await (await embed(deps, internalCall(deps, asked), request)).json();
  const data = isRecord(answer) && Array.isArray(answer.data) ? answer.data : [];
  const vectors: Float32Array[] = [];
  data.forEach((one: unknown, place) => {
    const index = isRecord(one) && typeof one.index === "number" ? one.index : place;
    const vector = isRecord(one) ? toVector(one.embedding) : null;
    if (vector) vectors[index] = vector;
  });
  if (vectors.length !== texts.length || vectors.includes(undefined as never)) {
    throw new GatewayError("upstream", "The embedding model did not answer with a vector for each text.");
  }
  return vectors;
}

const toVector = (numbers: unknown): Float32Array | null =>
  Array.isArray(numbers) && numbers.length > 0 && numbers.every((number) => typeof number === "number")
    ? unitVector(numbers)
    : null;
