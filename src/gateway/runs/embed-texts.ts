import { unitVector } from "../../cache/semantic-index.ts";
import type { KeyCaller } from "../../contract/caller.ts";
import { GatewayError } from "../../contract/errors.ts";
import { newId } from "../../lib/ids.ts";
import { isRecord } from "../../lib/json.ts";
import type { CallSource, GatewayDeps } from "../deps.ts";
import { embed } from "../embeddings.ts";

const NO_CONNECTION = { keepOpen: () => undefined, release: () => undefined };

/** Vectors of length one, in the order of the texts: a call like any other, in the name of a key. */
export async function embedTexts(
  deps: GatewayDeps,
  asked: {
    readonly caller: KeyCaller;
    readonly model: string;
    readonly source: CallSource;
    readonly signal: AbortSignal;
  },
  texts: readonly string[],
): Promise<readonly Float32Array[]> {
  const call = {
    ...asked,
    callId: newId(),
    receivedAtMs: deps.clock.monotonicMs(),
    header: () => null,
    told: {},
    connection: NO_CONNECTION,
  };
  const request = { model: asked.model, input: [...texts], encoding_format: "float" as const };
  const answer: unknown = await (await embed(deps, call, request)).json();
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
