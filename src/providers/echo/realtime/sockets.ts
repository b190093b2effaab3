import { isRecord } from "../../../lib/json.ts";
import type { UpstreamEars, UpstreamSocket } from "../../upstream-socket.ts";
import type { Event } from "./answer.ts";
import { EchoSession } from "./session.ts";

/** Realtime sessions inside this process, each behind what looks like a WebSocket. */
export const createEchoSockets =
  (newId: () => string = () => crypto.randomUUID().replaceAll("-", "").slice(0, 16)) =>
  (url: string): UpstreamSocket =>
    new EchoSocket(new URL(url).searchParams.get("model") ?? "realtime", newId);

class EchoSocket implements UpstreamSocket {
  private readonly session: EchoSession;
  private readonly events: string[] = [];
  private waiting = 0;
  private ears: UpstreamEars | null = null;
  private isPaused = false;
  private isClosed = false;
  private isFlushing = false;

  constructor(
    model: string,
    private readonly newId: () => string,
  ) {
    this.session = new EchoSession(model, newId, (event) => this.emit(event));
  }

  listen(ears: UpstreamEars): void {
    this.ears = ears;
    this.session.begin();
  }

  send(data: string | Uint8Array): void {
    const event = typeof data === "string" ? parse(data) : null;
    if (event === null) this.session.refuse("Events are JSON objects with a `type`, in text frames.", null);
    else this.session.take(event);
  }

  /** What was sent is answered at once: the answers wait in its place. */
  get buffered(): number {
    return this.waiting;
  }

  pause(): void {
    this.isPaused = true;
  }

  resume(): void {
    this.isPaused = false;
    this.flush();
  }

  ping(): void {
    queueMicrotask(() => this.ears?.alive());
  }

  close(code: number, reason: string): void {
    if (this.isClosed) return;
    this.isClosed = true;
    queueMicrotask(() => this.ears?.closed(code, reason));
  }

  private emit(event: Event): void {
    const text = JSON.stringify({ ...event, event_id: `event_${this.newId()}` });
    this.events.push(text);
    this.waiting += text.length;
    // As over a network: nobody hears anything while he is speaking.
    if (this.isFlushing) return;
    this.isFlushing = true;
    queueMicrotask(() => {
      this.isFlushing = false;
      this.flush();
    });
  }

  private flush(): void {
    while (!this.isPaused && !this.isClosed && this.ears) {
      const event = this.events.shift();
      if (event === undefined) return;
      this.waiting -= event.length;
      this.ears.message(event);
    }
  }
}

function parse(text: string): Event | null {
  try {
    const event: unknown = JSON.parse(text);
    return isRecord(event) && typeof event.type === "string" ? (event as Event) : null;
  } catch {
    return null;
  }
}
