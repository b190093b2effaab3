/** An upstream of OpenAI's form that streams what a test has it say, and then breaks off. */
export class Opening {
  /** Fields of each chunk beside those that all of them have. */
  chunks: readonly object[] = [];
  /** In place of those, such as what is no JSON. */
  raw: string | null = null;

  private readonly server = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    development: false,
    fetch: () => new Response(this.frames(), { headers: { "content-type": "text/event-stream" } }),
  });

  get address(): string {
    return `http://127.0.0.1:${this.server.port}/v1`;
  }

  async stop(): Promise<void> {
    await this.server.stop(true);
  }

  private frames(): string {
    const head = { id: "c-opening", object: "chat.completion.chunk", created: 1, model: "m" };
    return this.raw ?? this.chunks.map((fields) => `data: ${JSON.stringify({ ...head, ...fields })}\n\n`).join("");
  }
}

/** A chunk that says something and goes on. */
export const saying = (delta: object) => ({ choices: [{ index: 0, delta, finish_reason: null }] });
