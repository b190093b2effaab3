/** How an upstream of realtime sessions answers the opening of one. */
export type Mood = "well" | "hangs" | { readonly status: number };

export interface Opened {
  readonly url: URL;
  readonly headers: Headers;
  readonly socket: Bun.ServerWebSocket<Opened>;
  readonly heard: Record<string, unknown>[];
}

const USAGE = {
  total_tokens: 30,
  input_tokens: 20,
  output_tokens: 10,
  input_token_details: { text_tokens: 20, audio_tokens: 0, cached_tokens: 0 },
  output_token_details: { text_tokens: 10, audio_tokens: 0 },
};

/** An upstream of realtime sessions that does what a test tells it to. It answers `response.create` by itself. */
export class FakeUpstream {
  mood: Mood = "well";
  /** Sent with the end of each response; null: responses do not end. */
  usage: object | null = USAGE;
  /** Whether it confirms that responses are cancelled. */
  cancels = true;
  /** Whether it answers `response.create` with an error. */
  refuses = false;
  /** Whether it tells that a session has begun. */
  greets = true;
  /** How often it was asked to open a session. */
  asked = 0;
  readonly sessions: Opened[] = [];
  private count = 0;
  private readonly server: Bun.Server<Opened>;

  constructor(private readonly model = "fake-realtime") {
    const fake = this;
    this.server = Bun.serve<Opened>({
      port: 0,
      hostname: "127.0.0.1",
      idleTimeout: 255,
      async fetch(request, server) {
        fake.asked++;
        if (fake.mood === "hangs") await new Promise(() => undefined);
        if (typeof fake.mood === "object")
          return Response.json({ error: { message: "No." } }, { status: fake.mood.status });
        const data = { url: new URL(request.url), headers: new Headers(request.headers), heard: [] };
        server.upgrade(request, { data: data as unknown as Opened });
        return undefined;
      },
      websocket: {
        maxPayloadLength: 256 * 1024 * 1024,
        backpressureLimit: 256 * 1024 * 1024,
        open(socket) {
          Object.assign(socket.data, { socket });
          fake.sessions.push(socket.data);
          if (fake.greets)
            fake.say(socket, { type: "session.created", session: { type: "realtime", model: fake.model } });
        },
        message(socket, text) {
          const event = JSON.parse(String(text));
          socket.data.heard.push(event);
          fake.react(socket, event);
        },
      },
    });
  }

  get address(): string {
    return `http://127.0.0.1:${this.server.port}/v1`;
  }

  get last(): Opened {
    const last = this.sessions.at(-1);
    if (!last) throw new Error("no session was opened");
    return last;
  }

  say(socket: Bun.ServerWebSocket<Opened>, event: object): number {
    return socket.send(JSON.stringify(event));
  }

  /** A response that nobody asked for, as when somebody has stopped speaking. */
  speak(opened = this.last): string {
    const id = `resp_${++this.count}`;
    this.say(opened.socket, { type: "response.created", response: { id, status: "in_progress" } });
    return id;
  }

  finish(id: string, status = "completed", opened = this.last): void {
    this.say(opened.socket, {
      type: "response.done",
      response: { id, status, output: [], usage: this.usage ?? USAGE },
    });
  }

  stop(): Promise<void> {
    return this.server.stop(true);
  }

  private react(socket: Bun.ServerWebSocket<Opened>, event: Record<string, unknown>): void {
    const { type } = event;
    if (type === "session.update")
      this.say(socket, { type: "session.updated", session: { ...(event.session as object), model: this.model } });
    if (type === "response.create" && this.refuses) this.say(socket, { type: "error", error: { message: "No." } });
    else if (type === "response.create") {
      const id = this.speak(socket.data);
      if (this.usage !== null) this.finish(id, "completed", socket.data);
    }
    if (type === "response.cancel" && this.cancels) this.finish(String(event.response_id), "cancelled", socket.data);
  }
}
