/**
 * Reports more tokens than a prompt has bytes, as a provider with a long template does. A call costs
 * more than its hold. All test files of a process share it.
 */
const server = Bun.serve({
  port: 0,
  hostname: "127.0.0.1",
  fetch: () =>
    Response.json({
      id: "chatcmpl-1",
      object: "chat.completion",
      created: 1,
      model: "m",
      choices: [{ index: 0, message: { role: "assistant", content: "yes" }, finish_reason: "stop" }],
      usage: { prompt_tokens: 2000, completion_tokens: 1 },
    }),
});
server.unref();

export const longPromptAddress = `http://127.0.0.1:${server.port}/v1`;
