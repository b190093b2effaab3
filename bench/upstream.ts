// A provider that answers at once with the same short answer; a process of its own, so that its work is not the gateway's.
// Run with Bun; prints its address.

const answer = JSON.stringify({
  id: "chatcmpl-bench",
  object: "chat.completion",
  created: 1,
  model: "bench",
  choices: [{ index: 0, message: { role: "assistant", content: "Four words of answer." }, finish_reason: "stop" }],
  usage: { prompt_tokens: 9, completion_tokens: 5, total_tokens: 14 },
});
const headers = { "content-type": "application/json" };

const server = Bun.serve({
  port: 0,
  hostname: "127.0.0.1",
  async fetch(request) {
    await request.arrayBuffer();
    return new Response(answer, { headers });
  },
});
console.log(server.url.origin);
