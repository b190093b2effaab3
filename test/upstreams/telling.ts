/** An upstream of OpenAI's form that says a word, tells of something else, and breaks off. */
export class Telling {
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
    const head = { id: "c-telling", object: "chat.completion.chunk", created: 1, model: "m" };
    const said = { ...head, choices: [{ index: 0, delta: { content: "I" }, finish_reason: null }] };
    return [said, { ...head, queue_position: 3 }].map((chunk) => `data: ${JSON.stringify(chunk)}\n\n`).join("");
  }
}
