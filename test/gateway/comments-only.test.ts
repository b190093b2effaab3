import { afterAll, beforeEach, expect, test } from "bun:test";
import { createServer, type Socket } from "node:net";
import { MASTER_KEY, startApp } from "../app.ts";
import { SteppedClock } from "../stepped-clock.ts";
import { Moody } from "../upstreams/moody.ts";

/** An upstream that says only what the test writes to its last caller. */
let caller = Promise.withResolvers<Socket>();
const sockets = new Set<Socket>();
const server = createServer((socket) => {
  sockets.add(socket);
  socket.on("error", () => undefined);
  socket.once("data", () => {
    socket.write("HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\nconnection: close\r\n\r\n");
    caller.resolve(socket);
  });
}).listen(0, "127.0.0.1");
await new Promise((resolve) => server.once("listening", resolve));
const { port } = server.address() as { port: number };
const spare = new Moody("spare");
const clock = new SteppedClock();
const app = await startApp(
  JSON.stringify({
    model_list: [
      ["g", "openai", `http://127.0.0.1:${port}/v1`, 1],
      ["g", "openai", spare.address, 2],
      ["claude", "anthropic", `http://127.0.0.1:${port}`, 1],
      ["claude", "openai", spare.address, 2],
    ].map(([model_name, provider, api_base, order]) => ({
      model_name,
      litellm_params: { model: `${provider}/m`, api_base, api_key: "k", order },
      model_info: { free: true },
    })),
    router_settings: { num_retries: 0, disable_cooldowns: true, stream_timeout: 2, timeout: 60 },
  }),
  null,
  clock,
);
afterAll(async () => {
  for (const socket of sockets) socket.destroy();
  server.close();
  await app.close();
  await spare.stop();
});
beforeEach(() => {
  caller = Promise.withResolvers();
});

const ask = (model: string) =>
  app.call("/v1/chat/completions", {
    key: MASTER_KEY,
    json: { model, stream: true, messages: [{ role: "user", content: "who?" }] },
  });
/** The upstream says something, it is read, and half a second passes; deadlines are looked at every tenth of one. */
async function say(socket: Socket, text: string): Promise<void> {
  socket.write(text);
  await Bun.sleep(120);
  clock.step(500);
  await Bun.sleep(120);
}

test.each(["g", "claude"])(
  "comments are no answer of `%s`: who says nothing else in time is passed over",
  async (model) => {
    const answer = ask(model);
    const socket = await caller.promise;
    for (const text of [": ping\n\n", ":", " working", "\r\n\r\n", "\n: x\n", ": ping\n\n"]) await say(socket, text);
    const response = await answer;
    expect([response.status, await response.text()]).toEqual([200, expect.stringContaining("spare")]);
  },
);

test("who says something in time may go on with comments for as long as it likes", async () => {
  const answer = ask("g");
  const socket = await caller.promise;
  const chunk = (content: string, finish_reason: string | null) => {
    const choices = [{ index: 0, delta: { content }, finish_reason }];
    return `data: ${JSON.stringify({ id: "1", object: "chat.completion.chunk", created: 1, model: "m", choices })}\n\n`;
  };
  await say(socket, ": ping\n\n");
  socket.write(chunk("he", null));
  const response = await answer;
  const text = response.text();
  for (let ping = 0; ping < 6; ping++) await say(socket, ": ping\n\n");
  socket.write(`${chunk("llo", "stop")}data: [DONE]\n\n`);
  expect(await text).toContain("llo");
});
