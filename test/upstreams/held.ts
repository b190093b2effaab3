// A chat upstream of OpenAI's form that says what the test lets it say, when it does.

/** One call that the upstream was asked, by what the user said last. */
export interface HeldCall {
  readonly body: Readonly<Record<string, unknown>>;
  /** Aborted when nobody reads the answer any more. */
  readonly signal: AbortSignal;
  /** A piece of a streamed answer. */
  say(text: string): void;
  /** The end of a streamed answer, or the whole of another. */
  end(text?: string): void;
}

const USAGE = { prompt_tokens: 10, completion_tokens: 5, total_tokens: 15 };
const HEAD = { id: "c", created: 1, model: "m" };
const encoder = new TextEncoder();

export class HeldUpstream {
  private readonly calls: { said: string; call: HeldCall }[] = [];
  private waits: (() => void)[] = [];
  private readonly server = Bun.serve({
    ...{ port: 0, hostname: "127.0.0.1", idleTimeout: 0, development: false },
    fetch: (request) => this.answer(request),
  });

  get url(): string {
    return `http://127.0.0.1:${this.server.port}/v1`;
  }

  stop(): Promise<void> {
    return this.server.stop(true);
  }

  /** How often it was asked this. */
  times(said: string): number {
    return this.calls.filter((one) => one.said === said).length;
  }

  /** The call, when it was asked this so often. */
  async asked(said: string, times = 1): Promise<HeldCall> {
    for (;;) {
      const found = this.calls.filter((one) => one.said === said)[times - 1];
      if (found) return found.call;
      await new Promise<void>((resolve) => this.waits.push(resolve));
    }
  }

  private async answer(request: Request): Promise<Response> {
    const body = (await request.json()) as { stream?: boolean; messages: { role: string; content: string }[] };
    const said = body.messages.findLast(({ role }) => role === "user")?.content ?? "";
    const answer = Promise.withResolvers<Response>();
    const call = body.stream ? streamed(request, body, answer.resolve) : whole(request, body, answer.resolve);
    this.calls.push({ said, call });
    for (const wake of this.waits.splice(0)) wake();
    return answer.promise;
  }
}

function whole({ signal }: Request, body: HeldCall["body"], resolve: (answer: Response) => void): HeldCall {
  const end = (content = ""): void =>
    resolve(
      Response.json({
        ...{ ...HEAD, object: "chat.completion", usage: USAGE },
        choices: [{ index: 0, message: { role: "assistant", content }, finish_reason: "stop" }],
      }),
    );
  return { body, signal, end, say: () => undefined };
}

function streamed(request: Request, body: HeldCall["body"], resolve: (answer: Response) => void): HeldCall {
  const left = new AbortController();
  let controller: ReadableStreamDefaultController<Uint8Array> | null = null;
  const stream = new ReadableStream<Uint8Array>({
    start(opened) {
      controller = opened;
    },
    cancel: () => left.abort(),
  });
  request.signal.addEventListener("abort", () => left.abort());
  const answer = new Response(stream as unknown as Bun.BodyInit, { headers: { "content-type": "text/event-stream" } });
  const send = (data: object | string): void => {
    const text =
      typeof data === "string" ? data : JSON.stringify({ ...HEAD, object: "chat.completion.chunk", ...data });
    controller?.enqueue(encoder.encode(`data: ${text}\n\n`));
    resolve(answer);
  };
  const piece = (delta: object): void => send({ choices: [{ index: 0, delta, finish_reason: null }] });
  let hasBegun = false;
  const say = (content: string): void => {
    // As OpenAI begins: who speaks, before a word is said.
    if (!hasBegun) piece({ role: "assistant", content: "" });
    hasBegun = true;
    piece({ content });
  };
  const end = (text = ""): void => {
    if (text !== "") say(text);
    send({ choices: [{ index: 0, delta: {}, finish_reason: "stop" }] });
    send({ choices: [], usage: USAGE });
    send("[DONE]");
    controller?.close();
  };
  return { body, signal: left.signal, say, end };
}
