// The provider of the benchmarks. It responds at once, in the format of the path. It is a separate process, so that its
// work is not counted as work of the gateway. Run it with Bun; it prints its address.

import { buildResponses, CHUNKS, PACES_MS } from "./responses.ts";

const responses = buildResponses();
const json = { "content-type": "application/json" };
const events = { "content-type": "text/event-stream", "cache-control": "no-cache" };
const encoder = new TextEncoder();

const server = Bun.serve({
  port: 0,
  hostname: "127.0.0.1",
  idleTimeout: 0,
  maxRequestBodySize: 64 * 1024 * 1024,
  async fetch(request) {
    const { pathname, search } = new URL(request.url);
    // Some gateways read the list of models before they accept calls.
    if (pathname.endsWith("/models")) return new Response(responses.models, { headers: json });
    if (request.method === "GET") return new Response("alive");
    const body = await request.text();
    for (const [words, paceMs] of Object.entries(PACES_MS)) {
      if (body.includes(words)) return new Response(paced(responses.openAiFrames, paceMs), { headers: events });
    }
    if (pathname.endsWith("/embeddings")) return new Response(responses.embeddings, { headers: json });
    if (pathname.endsWith("/messages")) {
      return isStream(body)
        ? new Response(responses.anthropicStream, { headers: events })
        : new Response(responses.anthropic, { headers: json });
    }
    if (pathname.includes(":streamGenerateContent")) {
      return new Response(responses.geminiStream, { headers: search.includes("alt=sse") ? events : json });
    }
    if (pathname.includes(":generateContent")) return new Response(responses.gemini, { headers: json });
    return isStream(body)
      ? new Response(responses.openAiStream, { headers: events })
      : new Response(responses.openAi, { headers: json });
  },
});

const isStream = (body: string): boolean => /"stream"\s*:\s*true/.test(body);

/** One piece at a time, as a model speaks. */
function paced(frames: readonly string[], paceMs: number): ReadableStream<Uint8Array> {
  let next = 0;
  let timer: ReturnType<typeof setInterval> | null = null;
  return new ReadableStream<Uint8Array>({
    start(controller) {
      timer = setInterval(() => {
        const frame = frames[next++];
        if (frame !== undefined) controller.enqueue(encoder.encode(frame));
        if (next < frames.length) return;
        if (timer) clearInterval(timer);
        controller.close();
      }, paceMs);
    },
    cancel() {
      if (timer) clearInterval(timer);
    },
  });
}

if (responses.openAiFrames.length < CHUNKS) throw new Error("the stream has too few chunks");
console.log(server.url.origin);
