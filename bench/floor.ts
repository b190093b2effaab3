// What the runtime costs by itself: read a request, parse it, send it on, relay the answer. No key, no model list, no books.
// Run with Bun and the upstream's address; prints its own.

const [upstream = ""] = process.argv.slice(2);

const server = Bun.serve({
  port: 0,
  hostname: "127.0.0.1",
  idleTimeout: 0,
  maxRequestBodySize: 64 * 1024 * 1024,
  async fetch(request) {
    if (request.method === "GET") return new Response("alive");
    const body = await request.text();
    const { model } = JSON.parse(body) as { model?: unknown };
    if (typeof model !== "string") return new Response("no model", { status: 400 });
    const { pathname } = new URL(request.url);
    const answer = await fetch(upstream + pathname, {
      method: "POST",
      headers: { "content-type": "application/json", authorization: "Bearer sk-upstream" },
      body,
    });
    return new Response(answer.body, {
      status: answer.status,
      headers: { "content-type": answer.headers.get("content-type") ?? "application/json" },
    });
  },
});
console.log(server.url.origin);
