/** An upstream of OpenAI's form that counts: every answer has a number of its own, so that one given again is known by it. */
export class CountingUpstream {
  /** The bodies that arrived, in order. */
  readonly seen: { path: string; body: Record<string, unknown> }[] = [];
  /** While set, answers wait for it. */
  gate: Promise<void> | null = null;
  /** While set, streams pause for it after their first frames. */
  streamGate: Promise<void> | null = null;
  /** How many of the next calls fail. */
  failures = 0;
  /** Streams break off before their end. */
  cut = false;
  /** Chats are answered with nothing. */
  silent = false;
  /** What the answer says beside its number. */
  filler = "";

  private readonly server = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    development: false,
    idleTimeout: 0,
    fetch: (request) => this.answer(request),
  });

  get url(): string {
    return `http://127.0.0.1:${this.server.port}/v1`;
  }

  get count(): number {
    return this.seen.length;
  }

  /** Until so many calls have arrived in all. */
  async arrived(count: number): Promise<void> {
    while (this.count < count) await Bun.sleep(1);
  }

  stop(): void {
    void this.server.stop(true);
  }

  private async answer(request: Request): Promise<Response> {
    const body = (await request.json()) as Record<string, unknown>;
    const path = new URL(request.url).pathname.replace("/v1", "");
    this.seen.push({ path, body });
    const number = this.count;
    await this.gate;
    if (this.failures > 0) {
      this.failures--;
      return Response.json({ error: { message: "no", type: "server_error" } }, { status: 500 });
    }
    return body.stream === true ? this.stream(path, number) : Response.json(this.plain(path, number));
  }

  private plain(path: string, number: number): object {
    const usage = { prompt_tokens: 10, completion_tokens: 5, total_tokens: 15 };
    const text = `answer ${number}${this.filler}`;
    const head = { id: `id-${number}`, created: number, model: "m" };
    switch (path) {
      case "/chat/completions": {
        const message = { role: "assistant", content: this.silent ? "" : text };
        if (this.silent) Object.assign(usage, { completion_tokens: 0, total_tokens: 10 });
        return { ...head, object: "chat.completion", choices: [{ index: 0, message, finish_reason: "stop" }], usage };
      }
      case "/completions":
        return { ...head, object: "text_completion", choices: [{ index: 0, text, finish_reason: "stop" }], usage };
      case "/embeddings":
        return { object: "list", model: "m", data: [{ object: "embedding", index: 0, embedding: [number, 1] }], usage };
      case "/moderations":
        return { ...head, results: [{ flagged: false, categories: {}, category_scores: {} }] };
      case "/rerank":
        return { id: `id-${number}`, results: [{ index: 0, relevance_score: number }], usage };
      default:
        return { created: number, data: [{ b64_json: "AAAA" }], usage };
    }
  }

  private stream(path: string, number: number): Response {
    const object = path === "/completions" ? "text_completion" : "chat.completion.chunk";
    const frame = (choice: object | null, more: object = {}) => {
      const choices = choice ? [{ index: 0, finish_reason: null, ...choice }] : [];
      return `data: ${JSON.stringify({ id: `id-${number}`, object, created: number, model: "m", choices, ...more })}\n\n`;
    };
    const usage = { prompt_tokens: 10, completion_tokens: 5, total_tokens: 15 };
    const frames = [
      frame({ delta: { role: "assistant", content: "" } }),
      ...["answer", ` ${number}`, " grüße", this.filler].map((content) => frame({ delta: { content } })),
      frame({ delta: {}, finish_reason: "stop" }),
      frame(null, { usage }),
      "data: [DONE]\n\n",
    ];
    const encoder = new TextEncoder();
    const sent = this.cut ? frames.slice(0, 3) : frames;
    const { cut, streamGate } = this;
    const pauseAt = sent.length - 3;
    const body = new ReadableStream<Uint8Array>({
      async pull(controller) {
        if (sent.length === pauseAt) await streamGate;
        const next = sent.shift();
        if (next !== undefined) return controller.enqueue(encoder.encode(next));
        if (cut) controller.error(new Error("cut"));
        else controller.close();
      },
    });
    return new Response(body, { headers: { "content-type": "text/event-stream" } });
  }
}
