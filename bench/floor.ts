// The cost of the runtime alone: read a request, parse it, forward it and relay the response, without keys or a ledger.
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
    const response = await fetch(upstream + pathname, {
      method: "POST",
      headers: { "content-type": "application/json", authorization: "Bearer sk-upstream" },
      body,
    });
    return new Response(response.body, {
      status: response.status,
      headers: { "content-type": response.headers.get("content-type") ?? "application/json" },
    });
  },
});
console.log(server.url.origin);
