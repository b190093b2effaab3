// A provider that counts what it served, in a process of its own: what it knows survives every end of the gateway.
// Run with Bun; prints its address. `GET /served` gives the count.

/** What one marked request was given. */
export interface Served {
  /** How often it was asked for. */
  requests: number;
  /** The answer was handed over whole, as far as the provider can tell. */
  finished: boolean;
}

const served = new Map<string, Served>();
const encoder = new TextEncoder();

/** Tokens are a function of the marker, so that the harness can tell what each call must cost. */
export function tokensOf(marker: string): { readonly prompt: number; readonly completion: number } {
  const number = Number(/\d+/.exec(marker)?.[0] ?? 0);
  return { prompt: 3 + (number % 17), completion: 5 + (number % 23) };
}

async function answer(request: Request): Promise<Response> {
  const body = (await request.json()) as { user: string; stream?: boolean; model: string };
  const { prompt, completion } = tokensOf(body.user);
  const usage = { prompt_tokens: prompt, completion_tokens: completion, total_tokens: prompt + completion };
  const entry = served.get(body.user) ?? { requests: 0, finished: false };
  entry.requests += 1;
  served.set(body.user, entry);
  const id = `chatcmpl-${body.user}`;
  if (body.stream !== true) {
    await Bun.sleep(Math.random() * 20);
    entry.finished = true;
    const message = { role: "assistant", content: "word ".repeat(completion) };
    return Response.json({
      id,
      object: "chat.completion",
      created: 1,
      model: body.model,
      choices: [{ index: 0, message, finish_reason: "stop" }],
      usage,
    });
  }
  return new Response(stream(id, body.model, completion, usage, entry), {
    headers: { "content-type": "text/event-stream" },
  });
}

function stream(
  id: string,
  model: string,
  words: number,
  usage: Readonly<Record<string, number>>,
  entry: Served,
): ReadableStream<Uint8Array> {
  let sent = 0;
  const frame = (data: unknown) =>
    encoder.encode(`data: ${typeof data === "string" ? data : JSON.stringify(data)}\n\n`);
  const chunk = (choices: unknown[], more = {}) =>
    frame({ id, object: "chat.completion.chunk", created: 1, model, choices, ...more });
  return new ReadableStream({
    async pull(controller) {
      await Bun.sleep(Math.random() * 6);
      if (sent < words) {
        const delta = sent === 0 ? { role: "assistant", content: "word " } : { content: "word " };
        controller.enqueue(chunk([{ index: 0, delta, finish_reason: null }]));
        sent += 1;
        return;
      }
      controller.enqueue(chunk([{ index: 0, delta: {}, finish_reason: "stop" }]));
      controller.enqueue(chunk([], { usage }));
      controller.enqueue(frame("[DONE]"));
      entry.finished = true;
      controller.close();
    },
  });
}

if (import.meta.main) {
  const server = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    idleTimeout: 0,
    routes: {
      "/v1/chat/completions": { POST: answer },
      "/served": { GET: () => Response.json(Object.fromEntries(served)) },
    },
  });
  console.log(server.url.origin);
}
