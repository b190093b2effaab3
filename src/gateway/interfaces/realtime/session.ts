import { ERRORS, GatewayError } from "../../../contract/errors.ts";
import type { ClientEars, ClientSocket } from "../../../http/client-socket.ts";
import { toGatewayError } from "../../../http/render-error.ts";
import { newNamedId } from "../../../lib/ids.ts";
import { CLIENT_DISCONNECTED } from "../../metering/outcome.ts";
import { cancelEvent, type Event, errorEvent, isPlainSound, parseEvent, recordOf, SESSION_EXPIRED } from "./events.ts";
import { type Frame, RelayDirection } from "./relay-direction.ts";
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
  private readonly fromClient: RelayDirection;
  private readonly fromUpstream: RelayDirection;
  private readonly events: UpstreamEvents;
  /** There while the caller does not read; resolved when it does again, or has left. */
  private unread: PromiseWithResolvers<void> | null = null;
  private waitsForUpstream = false;
  private over: Promise<void> | null = null;
  private lingersUntilMs: number | null = null;
  private readonly begunAtMs: number;
  private heardAtMs: number;
  private saidAtMs: number;
  private renewedAtMs: number;
  private pingedAtMs: number;

  constructor(private readonly parts: SessionParts) {
    const now = this.nowMs();
    this.begunAtMs = now;
    this.heardAtMs = now;
    this.saidAtMs = now;
    this.renewedAtMs = now;
    this.pingedAtMs = now;
    this.fromClient = new RelayDirection(
      (frame) => (this.over === null ? this.takeFromClient(frame) : null),
      () => this.client,
    );
    this.fromUpstream = new RelayDirection(
      (frame) => (this.over === null ? this.events.take(frame) : null),
      () => parts.upstream,
    );
    this.events = new UpstreamEvents(parts, {
      send: (frame) => this.toClient(frame),
      tell: (failure) => this.tell(failure),
      fail: (failure) => this.refuse(failure),
      holdClient: (work) => this.holdClient(work),
      responseBegan: (id) => this.stopWhenLeft(id),
      responseEnded: () => this.leaveWhenQuiet(),
    });
  }

  /** Resolved once everything is in the books. */
  get finished(): Promise<void> | null {
    return this.over;
  }

  opened(socket: ClientSocket): void {
    const { upstream, config } = this.parts;
    this.client = socket;
    upstream.listen({
      message: (data) => this.hear(data),
      alive: () => {
        this.heardAtMs = this.nowMs();
      },
      closed: (code, reason) => this.upstreamClosed(code, reason),
    });
    // Before anything that the caller says.
    if (config !== null) upstream.send(JSON.stringify({ type: "session.update", session: config }));
  }

  message(data: string | Uint8Array): void {
    if (this.over !== null) return;
    this.saidAtMs = this.nowMs();
    this.fromClient.push(data);
  }

  drained(): void {
    if (this.unread === null) return;
    this.unread.resolve();
    this.unread = null;
    this.heardAtMs = this.nowMs();
    this.fromUpstream.unblock();
  }

  /** Of a response that is under way the upstream is asked to stop, and to say what it has used. */
  closed(): void {
    this.client = null;
    this.drained();
    if (this.over !== null) return;
    if (!this.parts.books.isAtWork) {
      this.end(1000, "", null);
      return;
    }
    this.lingersUntilMs = this.nowMs() + this.parts.times.lingerMs;
    for (const id of this.parts.books.openIds) this.stopWhenLeft(id);
  }

  goingAway(): void {
    this.bidFarewell(1001, new GatewayError("unavailable", "The server is shutting down; open a session anew."), null);
  }

  /** To be called every moment. */
  tick(): void {
    if (this.over !== null) return;
    const now = this.nowMs();
    const { times, upstream } = this.parts;
    if (this.lingersUntilMs !== null && now >= this.lingersUntilMs) {
      this.end(1000, "", CLIENT_DISCONNECTED);
      return;
    }
    // While the caller does not read, neither is the upstream.
    if (this.unread === null && now - this.heardAtMs >= times.silentMs) {
      this.upstreamClosed(1011, LOST);
      return;
    }
    if (now - this.saidAtMs >= times.idleMs) {
      this.bidFarewell(
        1001,
        new GatewayError("timeout", `Nothing was said for ${times.idleMs / 60_000} minutes.`),
        null,
      );
      return;
    }
    const { longestMs } = times;
    if (longestMs !== null && now - this.begunAtMs >= longestMs) {
      const failure = tooLong(longestMs);
      this.toClient(errorEvent(failure, newNamedId("event_"), null, SESSION_EXPIRED));
      this.end(1001, failure.message, null, failure);
      return;
    }
    // What is under way comes to its end.
    if (this.parts.isShut() && !this.parts.books.isAtWork) {
      this.bidFarewell(1001, shut(), null);
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
    const { deps, call } = this.parts;
    if (failure.kind === "internal") deps.log.error({ callId: call.callId, err: failure.cause }, "a session failed");
    this.bidFarewell(isRefusal(failure) ? 1008 : 1013, failure, null);
  }

  /** The caller is told why before the session ends. */
  private bidFarewell(code: number, failure: GatewayError, thrown: unknown): void {
    this.tell(failure);
    this.end(code, failure.message, thrown, failure);
  }

  private hear(data: string | Uint8Array): void {
    if (this.over !== null) return;
    this.heardAtMs = this.nowMs();
    this.saidAtMs = this.heardAtMs;
    if (data.length > FRAME_BYTES_MAX) {
      this.bidFarewell(1009, new GatewayError("upstream", "The model sent more than 16 MiB at once."), lost());
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
    if (typeof frame !== "string") return this.decline(binary());
    if (isPlainSound(frame)) {
      this.toUpstream(frame);
      return null;
    }
    const event = parseEvent(frame);
    if (event === null) return this.decline(noEvent());
    if (event.type === "response.create") return this.beginResponse(event);
    return event.type === "session.update" ? this.updateSession(event) : this.pass(event);
  }

  /** While the caller does not read what is wrong with its events, no more of them are read. */
  private decline(failure: GatewayError, about: unknown = null): Promise<void> | null {
    this.tell(failure, about);
    return this.unread?.promise ?? null;
  }

  /** What was parsed is written anew: an event that has something twice means one thing to all who read it. */
  private pass(event: Event): null {
    this.toUpstream(JSON.stringify(event));
    return null;
  }

  /** The model is the one that was checked and is charged; by the caller's name for it, it may be said again. */
  private updateSession(event: Event): Promise<void> | null {
    const session = recordOf(event, "session");
    if (session === null || !("model" in session)) return this.pass(event);
    const { model, ...others } = session;
    if (model === this.parts.call.model || model === null) return this.pass({ ...event, session: others });
    return this.decline(otherModel(), event.event_id);
  }

  private async beginResponse(event: Event): Promise<void> {
    if (this.parts.isShut()) {
      await this.decline(shut(), event.event_id);
      return;
    }
    try {
      await this.parts.books.reserve();
      this.pass(event);
    } catch (thrown) {
      const failure = toGatewayError(thrown);
      if (failure.kind !== "rate_limit") this.refuse(failure);
      else this.tell(failure, event.event_id);
      await this.unread?.promise;
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
    if (this.client.send(frame) || this.unread !== null) return;
    this.unread = Promise.withResolvers();
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

  private stopWhenLeft(id: string): void {
    if (this.lingersUntilMs !== null) this.parts.upstream.send(cancelEvent(id));
  }

  private leaveWhenQuiet(): void {
    if (this.lingersUntilMs !== null && !this.parts.books.isAtWork) this.end(1000, "", null);
  }

  private async renew(): Promise<void> {
    try {
      this.parts.books.renew(await this.parts.renew());
    } catch (thrown) {
      // That it cannot be known right now is no reason to end anything.
      if (thrown instanceof GatewayError && isRefusal(thrown)) this.refuse(thrown);
    }
  }

  /** `thrown` is how the session failed, if it did; `cause` why responses that are under way break off. */
  private end(code: number, reason: string, thrown: unknown, cause: unknown = thrown ?? lost()): void {
    this.over ??= this.close(code, reason, thrown, cause);
  }

  private async close(code: number, reason: string, thrown: unknown, cause: unknown): Promise<void> {
    const { upstream, books, ended } = this.parts;
    const hasLeft = this.client === null;
    this.client?.close(code, reason);
    upstream.close(1000, "");
    await books.breakOff(hasLeft ? "cancelled" : "partial", cause);
    await ended(thrown);
  }

  private nowMs(): number {
    return this.parts.deps.clock.monotonicMs();
  }
}

/** What the caller may not do, or cannot pay for; all else cannot be known right now. */
const isRefusal = ({ kind }: GatewayError): boolean => ERRORS[kind].status < 500;

const binary = (): GatewayError =>
  new GatewayError("invalid_request", "Events are sent as text frames, and not as binary ones.");
const noEvent = (): GatewayError =>
  new GatewayError("invalid_request", "An event is a JSON object with a `type`, of 200 levels at most.");
const otherModel = (): GatewayError =>
  new GatewayError("invalid_request", "The model of a session cannot be changed; open another one.", {
    param: "session.model",
  });

const shut = (): GatewayError =>
  new GatewayError("unavailable", "What serves this session is not to be used any more; open a session anew.");
const tooLong = (ms: number): GatewayError =>
  new GatewayError("timeout", `Your session hit the maximum duration of ${inWords(ms)}.`);

function inWords(ms: number): string {
  const [count, unit] = ms % 60_000 === 0 ? [ms / 60_000, "minute"] : [ms / 1_000, "second"];
  return `${count} ${unit}${count === 1 ? "" : "s"}`;
}

const LOST = "The connection to the model broke off.";
const lost = (): GatewayError => new GatewayError("upstream", LOST);
