import type { CachedResponse, FoundAnswer } from "../../cache/cached-response.ts";
import type { Leader } from "../../cache/singleflight.ts";
import type { Operation } from "../../contract/params.ts";
import type { CallHook } from "../call/call-hooks.ts";
import type { GatewayDeps, InferenceCall } from "../call/gateway.ts";
import type { CallAccounting } from "../metering/call-accounting.ts";
import type { CallEnding } from "../metering/outcome.ts";
import { withoutCost, withoutCosts } from "../streaming/cost-frames.ts";
import { STREAM_HEADERS, type StreamRecorder } from "../streaming/write-stream.ts";
import type { CacheRequest } from "./request.ts";

/** Of every answer that is read whole. */
const JSON_TYPE = "application/json";

const SAYS_SOMETHING: ReadonlySet<Operation> = new Set<Operation>(["chat", "completion"]);

/** Keeps an answer as it passes, if it comes whole, and tells those who wait for it how it went. */
export class CacheWriter implements StreamRecorder, CallHook {
  private accounting: CallAccounting | null = null;
  private ending: CallEnding | null = null;
  private isDone = false;
  /** What was heard of a stream. */
  private heard = "";
  private heardBytes = 0;
  private readonly emptied: number;

  constructor(
    private readonly deps: GatewayDeps,
    private readonly call: InferenceCall,
    private readonly asked: CacheRequest,
    private readonly lead: Leader<FoundAnswer> | null,
    private readonly vector: Float32Array | null,
  ) {
    this.emptied = deps.cache.emptied;
  }

  begin(accounting: CallAccounting): void {
    this.accounting = accounting;
    if (this.asked.controls.write) accounting.recorder = this;
  }

  hear(text: string): void {
    if (this.isDone) return;
    this.heard += text;
    this.heardBytes += Buffer.byteLength(text);
    if (this.heardBytes <= this.deps.cache.settings().entryBytesMax) return;
    this.heard = "";
    this.finish(null, "");
  }

  /** What is neither read nor heard here is not kept. */
  end(ending: CallEnding): null {
    this.ending = ending;
    const shown = this.accounting?.shown ?? null;
    if (ending.status === "cancelled") this.lead?.leave();
    else if (ending.status !== "succeeded") this.lead?.fail();
    else if (!this.asked.controls.write) this.lead?.release();
    else if (shown !== null) this.finish(withoutCost(shown), JSON_TYPE);
    else if (this.heard !== "") this.finish(withoutCosts(this.heard), STREAM_HEADERS["content-type"]);
    else this.lead?.release();
    return null;
  }

  leave(): null {
    if (this.call.signal.aborted) this.lead?.leave();
    else this.lead?.fail();
    return null;
  }

  /** Null for what cannot be kept: those who wait ask for themselves. */
  private finish(body: string | null, contentType: string): void {
    if (this.isDone) return;
    this.isDone = true;
    const answer = body === null ? null : this.answerOf(body, contentType);
    if (!answer) {
      this.lead?.release();
      return;
    }
    const { cache } = this.deps;
    const { key, topic } = this.asked;
    if (cache.emptied === this.emptied) {
      cache.keep(key, answer);
      if (topic && this.vector) cache.unwaited(cache.index.add(topic.bucket, key, this.vector));
    }
    this.lead?.land({ answer, key, similarity: null });
  }

  private answerOf(body: string, contentType: string): CachedResponse | null {
    const { accounting, ending, deps, asked } = this;
    const settings = deps.cache.settings();
    if (!accounting || ending?.status !== "succeeded" || Buffer.byteLength(body) > settings.entryBytesMax) return null;
    const { deployment, fallbacks } = accounting.reservation.target;
    // What stood in for a group is not the group's answer, and what was pieced together is nobody's: the next call tries again.
    if (fallbacks > 0 || accounting.wasInterrupted) return null;
    // A model that said nothing may say something when it is asked again.
    if (SAYS_SOMETHING.has(asked.operation) && ending.units.completionTokens === 0) return null;
    const keptAtMs = deps.clock.nowMs();
    return {
      body,
      contentType,
      keptAtMs,
      expiresAtMs: keptAtMs + (asked.controls.ttlMs ?? settings.ttlMs),
      deploymentId: deployment.id,
      group: deployment.group,
      provider: deployment.provider,
      upstreamModel: deployment.upstreamModel,
      units: ending.units,
      estimated: ending.estimated,
    };
  }
}
