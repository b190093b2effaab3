import { GatewayError } from "../../contract/errors.ts";
import type { ClientEars, ClientSocket } from "../../http/client-socket.ts";
import { newNamedId } from "../../lib/ids.ts";
import { CALLER_LEFT } from "../metering/outcome.ts";
import { type Event, errorEvent, isPlainSound, parseEvent } from "./events.ts";
import { type Frame, Lane } from "./lane.ts";
import type { SessionParts } from "./session-parts.ts";
import { UpstreamEvents } from "./upstream-events.ts";

/** More than this is not given to an upstream that does not take it: the caller is not read meanwhile. */
const WAITING_BYTES = 1024 * 1024;
const POLL_MS = 20;
/** As long as callers may send it. */
const FRAME_BYTES_MAX = 16 * 1024 * 1024;

/** One realtime session: two WebSockets, and what passes between them. */
export class RealtimeSession implements ClientEars {
  private client: ClientSocket | null = null;
  private readonly fromClient: Lane;
  private readonly fromUpstream: Lane;
  private readonly events: UpstreamEvents;
  private waitsForClient = false;
  private waitsForUpstream = false;
  private over: Promise<void> | null = null;
  private lingersUntilMs: number | null = null;
  private heardAtMs: number;
  private saidAtMs: number;
  private renewedAtMs: number;
  private pingedAtMs: number;

  constructor(private readonly parts: SessionParts) {
    const now = this.nowMs();
    this.heardAtMs = now;
    this.saidAtMs = now;
    this.renewedAtMs = now;
    this.pingedAtMs = now;
    this.fromClient = new Lane(
      (frame) => (this.over === null ? this.takeFromClient(frame) : null),
      () => this.client,
    );
    this.fromUpstream = new Lane(
      (frame) => (this.over === null ? this.events.take(frame) : null),
      () => parts.upstream,
    );
    this.events = new UpstreamEvents(parts, {
      send: (frame) => this.toClient(frame),
      tell: (failure) => this.tell(failure),
      fail: (failure) => this.refuse(failure),
      holdClient: (work) => this.holdClient(work),
      responseEnded: () => this.leaveWhenQuiet(),
    });
  }

  /** Resolved once everything is in the books. */
  get finished(): Promise<void> | null {
    return this.over;
  }

  opened(socket: ClientSocket): void {
    this.client = socket;
    this.parts.upstream.listen({
      message: (data) => this.hear(data),
      alive: () => {
        this.heardAtMs = this.nowMs();
      },
      closed: (code, reason) => this.upstreamClosed(code, reason),
    });
  }

  message(data: string | Uint8Array): void {
    if (this.over !== null) return;
    this.saidAtMs = this.nowMs();
    this.fromClient.push(data);
  }

  drained(): void {
    if (!this.waitsForClient) return;
    this.waitsForClient = false;
    this.heardAtMs = this.nowMs();
    this.fromUpstream.unblock();
  }

  /** Of a response that is under way the upstream is asked to stop, and to say what it has used. */
  closed(): void {
    this.client = null;
    if (this.waitsForClient) this.drained();
    if (this.over !== null) return;
    if (!this.parts.books.isAtWork) {
      this.end(1000, "", null);
      return;
    }
    this.lingersUntilMs = this.nowMs() + this.parts.times.lingerMs;
    for (const id of this.parts.books.openIds) {
      this.parts.upstream.send(JSON.stringify({ type: "response.cancel", response_id: id }));
    }
  }

  goingAway(): void {
    this.end(1001, "The server is shutting down.", null);
  }

  /** To be called every moment. */
  tick(): void {
    if (this.over !== null) return;
    const now = this.nowMs();
    const { times, upstream } = this.parts;
    if (this.lingersUntilMs !== null && now >= this.lingersUntilMs) {
      this.end(1000, "", CALLER_LEFT);
      return;
    }
    // While the caller does not read, neither is the upstream.
    if (!this.waitsForClient && now - this.heardAtMs >= times.silentMs) {
      this.upstreamClosed(1011, LOST);
      return;
    }
    if (now - this.saidAtMs >= times.idleMs) {
      this.end(1001, "Nothing was said for too long.", null);
      return;
    }
    if (now - this.pingedAtMs >= times.pingMs) {
      this.pingedAtMs = now;
      upstream.ping();
    }
    if (now - this.renewedAtMs >= times.renewMs) {
      this.renewedAtMs = now;
      void this.renew();
    }
  }

  /** What may not be gone on with: the caller is told why, and the session ends. */
  refuse(failure: GatewayError): void {
    this.tell(failure);
    this.end(REFUSED.has(failure.kind) ? 1008 : 1013, failure.message, null);
  }

  private hear(data: string | Uint8Array): void {
    if (this.over !== null) return;
    this.heardAtMs = this.nowMs();
    this.saidAtMs = this.heardAtMs;
    if (data.length > FRAME_BYTES_MAX) {
      this.end(1009, "The model sent more at once than passes here.", lost());
      return;
    }
    this.fromUpstream.push(data);
  }

  private upstreamClosed(code: number, reason: string): void {
    if (this.over !== null) return;
    const isWell = code === 1000 || code === 1001 || code === 1005 || (code >= 3000 && code <= 4999);
    if (isWell) {
      this.end(code === 1005 ? 1000 : code, reason, null);
      return;
    }
    this.tell(lost());
    this.end(code, reason === "" ? LOST : reason, lost());
  }

  private takeFromClient(frame: Frame): Promise<void> | null {
    if (typeof frame !== "string") {
      this.tell(new GatewayError("invalid_request", "Events are sent as text frames, and not as binary ones."));
      return null;
    }
    if (isPlainSound(frame)) {
      this.toUpstream(frame);
      return null;
    }
    const event = parseEvent(frame);
    if (event === null) {
      this.tell(new GatewayError("invalid_request", "An event is a JSON object with a `type`."));
      return null;
    }
    if (event.type === "session.update") this.pass(this.withModel(event));
    else if (event.type === "response.create") return this.beginResponse(event);
    else this.pass(event);
    return null;
  }

  /** What was parsed is written anew: an event that has something twice means one thing to all who read it. */
  private pass(event: Event | null): void {
    if (event !== null) this.toUpstream(JSON.stringify(event));
  }

  /** The model is the one that was checked and is charged; by the caller's name for it, it may be said again. */
  private withModel(event: Event): Event | null {
    const { session } = event;
    if (typeof session !== "object" || session === null || !("model" in session)) return event;
    const { model, ...others } = session as Record<string, unknown>;
    if (model === this.parts.call.model || model === null) return { ...event, session: others };
    this.tell(
      new GatewayError("invalid_request", "The model of a session cannot be changed; open another one.", {
        param: "session.model",
      }),
      event.event_id,
    );
    return null;
  }

  private async beginResponse(event: Event): Promise<void> {
    try {
      await this.parts.books.reserve();
      this.pass(event);
    } catch (thrown) {
      const failure = asFailure(thrown);
      if (failure.kind === "rate_limit") this.tell(failure, event.event_id);
      else this.refuse(failure);
    }
  }

  private toUpstream(text: string): void {
    const { upstream } = this.parts;
    if (this.over !== null) return;
    upstream.send(text);
    if (upstream.buffered <= WAITING_BYTES || this.waitsForUpstream) return;
    this.waitsForUpstream = true;
    this.fromClient.block();
    this.pollUpstream();
  }

  /** The runtime does not say when something has left. */
  private pollUpstream(): void {
    setTimeout(() => {
      if (this.over === null && this.parts.upstream.buffered > WAITING_BYTES / 2) {
        this.pollUpstream();
        return;
      }
      this.waitsForUpstream = false;
      this.fromClient.unblock();
    }, POLL_MS).unref();
  }

  private toClient(frame: Frame): void {
    if (this.client === null || this.over !== null) return;
    if (this.client.send(frame) || this.waitsForClient) return;
    this.waitsForClient = true;
    this.fromUpstream.block();
  }

  private tell(failure: GatewayError, about: unknown = null): void {
    this.toClient(errorEvent(failure, newNamedId("event_"), about));
  }

  /** Nothing that the caller says is heeded until it is done. */
  private async holdClient(work: () => Promise<void>): Promise<void> {
    this.fromClient.block();
    try {
      await work();
    } finally {
      this.fromClient.unblock();
    }
  }

  private leaveWhenQuiet(): void {
    if (this.lingersUntilMs !== null && !this.parts.books.isAtWork) this.end(1000, "", null);
  }

  private async renew(): Promise<void> {
    try {
      this.parts.books.renew(await this.parts.renew());
    } catch (thrown) {
      // That it cannot be known right now is no reason to end anything.
      if (thrown instanceof GatewayError && REFUSED.has(thrown.kind)) this.refuse(thrown);
    }
  }

  private end(code: number, reason: string, thrown: unknown): void {
    this.over ??= this.close(code, reason, thrown);
  }

  private async close(code: number, reason: string, thrown: unknown): Promise<void> {
    const { upstream, books, ended } = this.parts;
    this.client?.close(code, reason);
    upstream.close(1000, "");
    const left = this.client === null || thrown === CALLER_LEFT;
    await books.breakOff(left ? "cancelled" : "partial", thrown ?? lost());
    await ended(thrown);
  }

  private nowMs(): number {
    return this.parts.deps.clock.monotonicMs();
  }
}

/** What the caller may not do, or cannot pay for. */
const REFUSED: ReadonlySet<string> = new Set([
  "authentication",
  "permission",
  "team_blocked",
  "insufficient_quota",
  "budget_exceeded",
  "invalid_request",
  "not_found",
]);

const LOST = "The connection to the model broke off.";
const lost = (): GatewayError => new GatewayError("upstream", LOST);

const asFailure = (thrown: unknown): GatewayError =>
  thrown instanceof GatewayError ? thrown : new GatewayError("internal", "Internal error.", { cause: thrown });
