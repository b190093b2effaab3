import type { Lead } from "../../cache/flights.ts";
import type { KeptAnswer } from "../../cache/kept-answer.ts";
import type { Errand } from "../attempts/errand.ts";
import type { GatewayDeps } from "../deps.ts";
import type { MeteredCall } from "../metering/metered-call.ts";
import type { CallEnding } from "../metering/outcome.ts";
import type { AskedCache } from "./asked-cache.ts";

/** Keeps an answer as it passes, if it comes whole, and tells those who wait for it how it went. */
export class AnswerKeeper {
  private meter: MeteredCall | null = null;
  private ending: CallEnding | null = null;
  private isDone = false;

  constructor(
    private readonly deps: GatewayDeps,
    private readonly asked: AskedCache,
    private readonly lead: Lead<KeptAnswer> | null,
    private readonly vector: Float32Array | null,
  ) {}

  /** Watches the call in the books from its beginning. */
  after(begun: Errand["begun"]): (meter: MeteredCall) => void {
    return (meter) => {
      begun?.(meter);
      this.meter = meter;
      meter.onEnd((ending) => {
        this.ending = ending;
        if (ending.status === "cancelled") this.lead?.leave();
        else if (ending.status !== "succeeded") this.lead?.fail();
      });
    };
  }

  /** The same answer to send on. */
  keep(response: Response): Response {
    const { status, headers } = response;
    if (!this.asked.controls.write || status !== 200) return this.letGo(response);
    const type = headers.get("content-type") ?? "";
    const shown = this.meter?.shown ?? null;
    if (shown !== null) {
      this.finish(Buffer.from(shown), type);
      return response;
    }
    if (!type.startsWith("text/event-stream") || !response.body) return this.letGo(response);
    return new Response(this.collect(response.body as ReadableStream<Uint8Array>, type), { status, headers });
  }

  private letGo(response: Response): Response {
    this.lead?.release();
    return response;
  }

  /** Passes a stream on, frame by frame. Its reader sets the pace. */
  private collect(source: ReadableStream<Uint8Array>, type: string): ReadableStream<Uint8Array> {
    const reader = source.getReader();
    const { entryBytesMax } = this.deps.cache.settings();
    const chunks: Uint8Array[] = [];
    let length = 0;
    const take = (chunk: Uint8Array): void => {
      length += chunk.byteLength;
      if (length <= entryBytesMax) chunks.push(chunk);
      else this.finish(null, type);
      // Many readers leave at the last frame and never see the end behind it.
      if (this.ending?.status === "succeeded" && isLast(chunk)) this.finish(Buffer.concat(chunks), type);
    };
    return new ReadableStream<Uint8Array>(
      {
        pull: async (controller) => {
          const { done, value } = await reader.read();
          if (done) {
            this.finish(this.ending?.status === "succeeded" ? Buffer.concat(chunks) : null, type);
            return controller.close();
          }
          take(value);
          controller.enqueue(value);
        },
        cancel: (reason) => {
          this.lead?.leave();
          return reader.cancel(reason);
        },
      },
      { highWaterMark: 0 },
    );
  }

  /** Null for what cannot be kept: those who wait ask for themselves. */
  private finish(body: Uint8Array | null, contentType: string): void {
    if (this.isDone) return;
    this.isDone = true;
    const answer = body && this.answerOf(body, contentType);
    if (!answer) {
      this.lead?.release();
      return;
    }
    const { cache } = this.deps;
    const { key, topic } = this.asked;
    cache.keep(key, answer);
    if (topic && this.vector) cache.unwaited(cache.index.add(topic.bucket, key, this.vector));
    this.lead?.land(answer);
  }

  private answerOf(body: Uint8Array, contentType: string): KeptAnswer | null {
    const { meter, ending, deps, asked } = this;
    const settings = deps.cache.settings();
    if (!meter || ending?.status !== "succeeded" || body.byteLength > settings.entryBytesMax) return null;
    const { deployment, fallbacks } = meter.booking.choice;
    // What stood in for a group is not the group's answer: the next call tries the group again.
    if (fallbacks > 0) return null;
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

const isLast = (chunk: Uint8Array): boolean => Buffer.from(chunk).subarray(-32).toString().trimEnd().endsWith("[DONE]");
