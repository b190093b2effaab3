import { GatewayError } from "../contract/errors.ts";
import { type SocketEars, sendableCode, sendableReason } from "../lib/web-socket.ts";

/** What is heard from an upstream. */
export interface UpstreamEars extends SocketEars {
  /** It has shown that it is there. */
  alive(): void;
}

/** A WebSocket to an upstream, which is open. */
export interface UpstreamSocket {
  /** To be called once: nothing that came before is lost. */
  listen(ears: UpstreamEars): void;
  send(data: string | Uint8Array): void;
  /** Bytes that were given to `send` and have not left. */
  readonly buffered: number;
  /** Nothing more is read until `resume`. */
  pause(): void;
  resume(): void;
  ping(): void;
  close(code: number, reason: string): void;
}

/** An upstream answered the opening with this status, and not with a WebSocket. */
export class SocketRefused extends Error {
  override readonly name = "SocketRefused";

  constructor(readonly status: number) {
    super(`the upstream answered the opening of a WebSocket with ${status}`);
  }
}

export type OpenSocket = (
  url: string,
  headers: Readonly<Record<string, string>>,
  signal: AbortSignal,
) => Promise<UpstreamSocket>;

/** So long an upstream has to answer a close: else its connection would stay. */
const GOODBYE_MS = 5_000;
/** How the runtime begins to tell of a failure. There may be a secret in the address, which belongs in no log. */
const ADDRESS = / to '[^']*'/;
const STATUS = /status code:? (\d{3})/;

/** By the runtime's client. Nothing is compressed: a small frame cannot unfold into a large one. */
export const createOpenSocket =
  (proxyFor: (url: string) => string | null): OpenSocket =>
  (url, headers, signal) => {
    const { promise, resolve, reject } = Promise.withResolvers<UpstreamSocket>();
    const proxy = proxyFor(url);
    const options = { headers, perMessageDeflate: false, ...(proxy !== null && { proxy }) };
    let socket: WebSocket;
    try {
      socket = new WebSocket(url, options as Bun.WebSocketOptions);
    } catch (cause) {
      return Promise.reject(new GatewayError("connection", "The provider cannot be reached.", { cause }));
    }
    const opened = new OpenedSocket(socket);
    const settle = (): void => signal.removeEventListener("abort", onAbort);
    const onAbort = (): void => {
      settle();
      reject(signal.reason);
      socket.terminate();
    };
    socket.addEventListener("open", () => {
      settle();
      resolve(opened);
    });
    socket.addEventListener("error", (event) => {
      settle();
      const told = event instanceof ErrorEvent ? event.message : "the WebSocket failed";
      const cause = new Error(told.replace(ADDRESS, ""));
      const status = STATUS.exec(cause.message)?.[1];
      reject(
        status === undefined
          ? new GatewayError("connection", "The provider cannot be reached.", { cause })
          : new SocketRefused(Number(status)),
      );
    });
    signal.addEventListener("abort", onAbort, { once: true });
    if (signal.aborted) onAbort();
    return promise;
  };

/** What is heard before anybody listens waits at the upstream: nothing is read until then. */
class OpenedSocket implements UpstreamSocket {
  private ears: UpstreamEars | null = null;
  private readonly early: (string | Uint8Array)[] = [];
  private ended: readonly [code: number, reason: string] | null = null;
  private goodbye: ReturnType<typeof setTimeout> | undefined;

  constructor(private readonly socket: WebSocket) {
    socket.binaryType = "nodebuffer";
    socket.addEventListener("open", () => {
      if (this.ears === null) socket.pause();
    });
    socket.addEventListener("message", ({ data }) => {
      if (this.ears) this.ears.message(data);
      else this.early.push(data);
    });
    for (const sign of ["ping", "pong"] as const) {
      socket.addEventListener(sign as "message", () => this.ears?.alive());
    }
    socket.addEventListener("close", ({ code, reason }) => {
      clearTimeout(this.goodbye);
      this.ended = [code, reason];
      this.ears?.closed(code, reason);
    });
  }

  listen(ears: UpstreamEars): void {
    this.ears = ears;
    for (const data of this.early.splice(0)) ears.message(data);
    if (this.ended) ears.closed(...this.ended);
    else this.socket.resume();
  }

  send(data: string | Uint8Array): void {
    if (this.socket.readyState === WebSocket.OPEN) this.socket.send(data as string);
  }

  get buffered(): number {
    return this.socket.bufferedAmount;
  }

  pause(): void {
    this.socket.pause();
  }

  resume(): void {
    this.socket.resume();
  }

  ping(): void {
    if (this.socket.readyState === WebSocket.OPEN) this.socket.ping();
  }

  close(code: number, reason: string): void {
    // What is not read would keep the other side's answer to the close from being seen.
    this.socket.resume();
    this.socket.close(sendableCode(code), sendableReason(reason));
    if (this.ended === null) this.goodbye ??= setTimeout(() => this.socket.terminate(), GOODBYE_MS).unref();
  }
}
