import { type HttpServer, listen } from "../../src/http/server.ts";
import type { TestApp } from "../app.ts";

export type ServerEvent = Record<string, unknown> & { readonly type: string };

/** The program behind a port: WebSockets need one. */
export function listenTo(app: TestApp, drainTimeoutMs = 1_000): HttpServer {
  return listen(app.service.dispatcher, { host: "127.0.0.1", port: 0, drainTimeoutMs });
}

/** A caller of a realtime session, who keeps all that is heard. */
export class RealtimeClient {
  readonly heard: ServerEvent[] = [];
  readonly raw: (string | Buffer)[] = [];
  readonly closed: Promise<{ readonly code: number; readonly reason: string }>;
  readonly socket: WebSocket;
  private readonly waiting = new Set<() => void>();

  constructor(url: string, headers: Record<string, string> = {}, protocols: string[] = []) {
    this.socket = new WebSocket(url.replace(/^http/, "ws"), { headers, protocols } as Bun.WebSocketOptions);
    this.socket.addEventListener("message", ({ data }) => {
      this.raw.push(data);
      this.heard.push(JSON.parse(String(data)));
      for (const look of this.waiting) look();
    });
    const { promise, resolve } = Promise.withResolvers<{ code: number; reason: string }>();
    this.closed = promise;
    this.socket.addEventListener("close", ({ code, reason }) => {
      resolve({ code, reason });
      for (const look of this.waiting) look();
    });
  }

  /** How it was closed, and the error that it was told before that. */
  async ended(): Promise<{ readonly code: number; readonly error: string | undefined }> {
    const { code } = await this.closed;
    return { code, error: (this.heard.at(-1)?.error as { code?: string } | undefined)?.code };
  }

  static async open(url: string, headers: Record<string, string> = {}, protocols: string[] = []) {
    const client = new RealtimeClient(url, headers, protocols);
    await new Promise<void>((resolve, reject) => {
      client.socket.addEventListener("open", () => resolve());
      client.socket.addEventListener("error", (event) => reject(new Error((event as ErrorEvent).message)));
    });
    return client;
  }

  send(event: Record<string, unknown>): void {
    this.socket.send(JSON.stringify(event));
  }

  /** The first event of a type from a place on; waited for. */
  async next(type: string, from = 0): Promise<ServerEvent> {
    const found = () => this.heard.slice(from).find((event) => event.type === type);
    return this.until(found, type);
  }

  async until<T>(found: () => T | undefined, what = "something"): Promise<T> {
    const now = found();
    if (now !== undefined) return now;
    return new Promise<T>((resolve, reject) => {
      const look = (): void => {
        const value = found();
        if (value !== undefined) {
          this.waiting.delete(look);
          resolve(value);
        } else if (this.socket.readyState === WebSocket.CLOSED) {
          this.waiting.delete(look);
          reject(new Error(`closed before ${what}; heard ${this.heard.map(({ type }) => type).join(" ")}`));
        }
      };
      this.waiting.add(look);
    });
  }

  /** Says something and waits for the whole answer. */
  async ask(text: string, response: Record<string, unknown> = { output_modalities: ["text"] }): Promise<ServerEvent> {
    const from = this.heard.length;
    const content = [{ type: "input_text", text }];
    this.send({ type: "conversation.item.create", item: { type: "message", role: "user", content } });
    this.send({ type: "response.create", response });
    return this.next("response.done", from);
  }

  async close(): Promise<void> {
    this.socket.close(1000, "");
    await this.closed;
  }
}

/** How the opening of a WebSocket is answered, where it is not opened. */
export async function refusal(url: string, headers: Record<string, string> = {}) {
  const response = await fetch(url, {
    headers: {
      connection: "Upgrade",
      upgrade: "websocket",
      "sec-websocket-version": "13",
      "sec-websocket-key": "dGhlIHNhbXBsZSBub25jZQ==",
      ...headers,
    },
  });
  if (response.status === 101) throw new Error("a WebSocket was opened");
  const body = (await response.json()) as { error: { code: string; message: string } };
  return { status: response.status, code: body.error.code, message: body.error.message };
}
