import { MASTER } from "../../accounts/key-standing.ts";
import { unitVector } from "../../cache/semantic-index.ts";
import type { KeyCaller } from "../../contract/caller.ts";
import { isRecord } from "../../lib/json.ts";
import type { GatewayDeps, InferenceCall } from "../deps.ts";
import { embed } from "../embeddings.ts";
import { ownCall } from "../own-call.ts";

/** Whoever asks waits for the vector first. */
const TIMEOUT_MS = 10_000;
/** A deployment that had so long, or longer, and has not embedded the question by then has failed; one that had less time has not. */
const SLOW_MS = 1_000;

/**
 * The vector of a question, by the model that the settings name: a call like any other, by the operator unless callers are
 * charged for it. Null where there is none; then the question is one that nobody has asked before. Of the time that the caller
 * gives, half of what is left is for the answer.
 */
export async function vectorOf(
  deps: GatewayDeps,
  call: InferenceCall,
  text: string,
  deadlineMs: number | null,
): Promise<Float32Array | null> {
  const { semantic } = deps.cache.settings();
  if (!semantic) return null;
  const { embeddingModel: model, chargesEmbeddings } = semantic;
  const caller: KeyCaller = chargesEmbeddings
    ? { ...call.caller, models: [], within: [], aliases: null, limits: [] }
    : { ...MASTER, keyName: "semantic cache" };
  // The guardrails of the call have looked at the text already, and its limits have counted it.
  const { source, signal, receivedAtMs } = call;
  const own = {
    ...ownCall(deps, { caller, model, source, signal }),
    // A call that has to stay in a region has its text stay there.
    header: (name: string) => (name === "x-gw-region" ? call.header(name) : null),
    receivedAtMs,
    slowMs: SLOW_MS,
    unguarded: true,
  };
  const passedMs = deps.clock.monotonicMs() - receivedAtMs;
  // Counted from when the request came: its guardrails, or another's answer, may have been waited for.
  const timeoutMs = Math.min(
    passedMs + TIMEOUT_MS,
    deadlineMs === null ? Number.POSITIVE_INFINITY : (deadlineMs - receivedAtMs + passedMs) / 2,
  );
  call.connection.keepOpen();
  try {
    const request = {
      model,
      input: text,
      encoding_format: "float",
      caching: false,
      timeout: timeoutMs / 1000,
    } as const;
    const answer: unknown = await (await embed(deps, own, request)).json();
    return readVector(answer);
  } catch (err) {
    deps.log.warn({ callId: call.callId, err }, "a question could not be compared by its meaning");
    return null;
  } finally {
    call.connection.release();
  }
}

function readVector(answer: unknown): Float32Array | null {
  const data = isRecord(answer) && Array.isArray(answer.data) ? answer.data[0] : null;
  const numbers: unknown = isRecord(data) ? data.embedding : null;
  const isVector = Array.isArray(numbers) && numbers.every((number) => typeof number === "number");
  return isVector ? unitVector(numbers) : null;
}
