import { MASTER } from "../../accounts/key-standing.ts";
import type { SemanticSettings } from "../../cache/response-cache.ts";
import { unitVector } from "../../cache/semantic-index.ts";
import type { KeyCaller } from "../../contract/caller.ts";
import { GatewayError } from "../../contract/errors.ts";
import { isRecord } from "../../lib/json.ts";
import { isRetryable } from "../attempts/retry-policy.ts";
import type { GatewayDeps, InferenceCall } from "../call/gateway.ts";
import { embed } from "../operations/embeddings.ts";
import { internalCall } from "../pipeline/internal-call.ts";

/** Whoever asks waits for the vector first. */
const TIMEOUT_MS = 10_000;
/** A deployment that had so long, or longer, and has not embedded the question by then has failed; one that had less time has not. */
const SLOW_MS = 1_000;
/** For so long nobody waits for vectors after one could not be made, and twice as long each time, up to the last. */
const REST_MS = 5_000;
const REST_MAX_MS = 60_000;

/** Makes the vectors of questions. Where that fails it is left alone for a while: every call would wait for what does not come. */
export class Vectors {
  private model = "";
  private restMs = 0;
  private restedAtMs = Number.NEGATIVE_INFINITY;
  /** After a rest one call shows whether vectors are made again. */
  private isTried = false;

  /**
   * The vector of a question, by the model that the settings name: a call like any other, by the operator unless callers are
   * charged for it. Null where there is none; then the question is one that nobody has asked before. Of the time that the caller
   * gives, half of what is left is for the answer.
   */
  async of(
    deps: GatewayDeps,
    call: InferenceCall,
    text: string,
    deadlineMs: number | null,
  ): Promise<Float32Array | null> {
    const { semantic } = deps.cache.settings();
    const begunAtMs = deps.clock.monotonicMs();
    if (!semantic || !this.mayAsk(semantic, begunAtMs)) return null;
    const isTrial = this.restMs > 0;
    call.connection.keepOpen();
    try {
      const vector = await ask(deps, call, semantic, text, deadlineMs);
      if (vector) this.restMs = 0;
      else this.fail(begunAtMs, deps.clock.monotonicMs());
      return vector;
    } catch (err) {
      const now = deps.clock.monotonicMs();
      if (!call.signal.aborted && speaksAgainst(err, now - begunAtMs)) this.fail(begunAtMs, now);
      deps.log.warn({ callId: call.callId, err }, "a question could not be compared by its meaning");
      return null;
    } finally {
      if (isTrial) this.isTried = false;
      call.connection.release();
    }
  }

  private mayAsk({ embeddingModel }: SemanticSettings, nowMs: number): boolean {
    if (embeddingModel !== this.model) {
      this.model = embeddingModel;
      this.restMs = 0;
    }
    if (this.restMs === 0) return true;
    if (this.isTried || nowMs - this.restedAtMs < this.restMs) return false;
    this.isTried = true;
    return true;
  }

  /** What began before the rest is no news. */
  private fail(begunAtMs: number, nowMs: number): void {
    if (this.restMs > 0 && begunAtMs < this.restedAtMs) return;
    this.restMs = Math.min(REST_MAX_MS, this.restMs === 0 ? REST_MS : this.restMs * 2);
    this.restedAtMs = nowMs;
  }
}

/** A limit that is reached, or a caller in a hurry, says nothing of the model, unless it took long to hear of it. */
function speaksAgainst(thrown: unknown, tookMs: number): boolean {
  if (!(thrown instanceof GatewayError)) return true;
  const { kind } = thrown;
  return kind === "timeout" || kind === "rate_limit" ? tookMs >= SLOW_MS : isRetryable(kind);
}

async function ask(
  deps: GatewayDeps,
  call: InferenceCall,
  { embeddingModel: model, chargesEmbeddings }: SemanticSettings,
  text: string,
  deadlineMs: number | null,
): Promise<Float32Array | null> {
  // Its text stands in the row of the call itself, where guardrails have masked what is stored.
  const standing = call.caller.standing && { ...call.caller.standing, storePrompts: false };
  const caller: KeyCaller = chargesEmbeddings
    ? { ...call.caller, models: [], within: [], aliases: null, limits: [], standing }
    : { ...MASTER, keyName: "semantic cache" };
  // The guardrails of the call have looked at the text already, and its limits have counted it.
  const { source, signal, receivedAtMs } = call;
  const own = {
    ...internalCall(deps, { caller, model, source, signal }),
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
  const request = {
    model,
    input: text,
    encoding_format: "float",
    caching: false,
    timeout: timeoutMs / 1000,
  } as const;
  return readVector(await (await embed(deps, own, request)).json());
}

function readVector(answer: unknown): Float32Array | null {
  const data = isRecord(answer) && Array.isArray(answer.data) ? answer.data[0] : null;
  const numbers: unknown = isRecord(data) ? data.embedding : null;
  const isVector = Array.isArray(numbers) && numbers.every((number) => typeof number === "number");
  return isVector ? unitVector(numbers) : null;
}
