// An upstream of OpenAI's form whose mood a test sets, and which counts what it served.

/** How it answers from now on. `hang`: never. `wait`: well, but not before. `cut`: so many pieces of a stream, then the connection ends. */
export type Mood =
  | { readonly kind: "well" }
  | { readonly kind: "status"; readonly status: number; readonly body?: object; readonly retryAfter?: string }
  | { readonly kind: "hang" }
  | { readonly kind: "slow"; readonly ms: number }
  | { readonly kind: "wait"; readonly until: Promise<unknown> }
  | { readonly kind: "cut"; readonly after: number };

export const WELL: Mood = { kind: "well" };
export const status = (code: number, more: { body?: object; retryAfter?: string } = {}): Mood => ({
  kind: "status",
  status: code,
  ...more,
});

export class Moody {
  mood: Mood = WELL;
  /** Calls that came, and those that were answered whole. */
  calls = 0;
  served = 0;
  /** Whether it tells how many tokens there were. */
  counts = true;
  /** The last request's body. */
  seen: Record<string, unknown> = {};
  private readonly server: Bun.Server<undefined>;

  constructor(readonly name: string) {
    this.server = Bun.serve({
      port: 0,
      hostname: "127.0.0.1",
      development: false,
      idleTimeout: 0,
      fetch: (request) => this.answer(request),
    });
  }

  get address(): string {
    return `http://127.0.0.1:${this.server.port}/v1`;
  }

  async stop(): Promise<void> {
    await this.server.stop(true);
  }

  private async answer(request: Request): Promise<Response> {
    this.calls++;
    const { mood } = this;
    const type = request.headers.get("content-type") ?? "";
    this.seen = type.includes("json") ? ((await request.json()) as Record<string, unknown>) : {};
    if (mood.kind === "hang") return new Promise(() => undefined);
    if (mood.kind === "slow") await Bun.sleep(mood.ms);
    if (mood.kind === "wait") await mood.until;
    if (mood.kind === "status") {
      const body = mood.body ?? { error: { message: `mood ${mood.status}`, type: "server_error", code: null } };
      const headers: Record<string, string> = mood.retryAfter === undefined ? {} : { "retry-after": mood.retryAfter };
      return Response.json(body, { status: mood.status, headers });
    }
    if (this.seen.stream === true) return this.stream(mood.kind === "cut" ? mood.after : null);
    this.served++;
    if (new URL(request.url).pathname.endsWith("/embeddings")) {
      const data = [{ object: "embedding", index: 0, embedding: [1, 0] }];
      return Response.json({ object: "list", data, model: "m", usage: { prompt_tokens: 2, total_tokens: 2 } });
    }
    if (type.includes("multipart")) {
      const file = (await request.formData()).get("file") as unknown as File;
      return Response.json({ text: `${this.name} heard ${file.size} bytes` });
    }
    const choices = [{ index: 0, message: { role: "assistant", content: `I am ${this.name}` }, finish_reason: "stop" }];
    const usage = this.counts ? { usage: USAGE } : {};
    return Response.json({ ...HEAD, object: "chat.completion", id: `c-${this.name}`, choices, ...usage });
  }

  private stream(cutAfter: number | null): Response {
    const words = ["I", " am", " ", this.name];
    const frame = (choices: object[], more: object = {}) =>
      `data: ${JSON.stringify({ ...HEAD, id: `c-${this.name}`, object: "chat.completion.chunk", choices, ...more })}\n\n`;
    const pieces = words.map((content) => frame([{ index: 0, delta: { content }, finish_reason: null }]));
    const end = [
      frame([{ index: 0, delta: {}, finish_reason: "stop" }]),
      ...(this.counts ? [frame([], { usage: USAGE })] : []),
      "data: [DONE]\n\n",
    ];
    const sent = cutAfter === null ? [...pieces, ...end] : [...pieces, ...end].slice(0, cutAfter);
    if (cutAfter === null) this.served++;
    const body = new ReadableStream<Uint8Array>({
      async pull(controller) {
        const next = sent.shift();
        if (next !== undefined) return controller.enqueue(new TextEncoder().encode(next));
        if (cutAfter === null) return controller.close();
        // What was said has to be on its way first.
        await Bun.sleep(150);
        controller.error(new Error("cut"));
      },
    });
    return new Response(body, { headers: { "content-type": "text/event-stream" } });
  }
}

const HEAD = { created: 1, model: "m" };
const USAGE = { prompt_tokens: 10, completion_tokens: 5, total_tokens: 15 };
