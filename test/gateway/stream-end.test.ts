import { afterAll, beforeEach, describe, expect, test } from "bun:test";
import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { startApp } from "../app.ts";

/** Says one word and that it is done; when its answers end is up to the test. */
const answers: ServerResponse[] = [];
const connections = new Set<number | undefined>();
const upstream = createServer((request, response) => {
  connections.add(request.socket.remotePort);
  const chunk = { id: "c", object: "chat.completion.chunk", created: 1, model: "m" };
  const said = { ...chunk, choices: [{ index: 0, delta: { content: "word" }, finish_reason: "stop" }] };
  request.resume().on("end", () => {
    response.writeHead(200, { "content-type": "text/event-stream" });
    response.write(`data: ${JSON.stringify(said)}\n\ndata: [DONE]\n\n`);
    answers.push(response);
  });
});
await new Promise<void>((resolve) => upstream.listen(0, "127.0.0.1", resolve));
const { port } = upstream.address() as AddressInfo;
const app = await startApp(
  JSON.stringify({
    model_list: [
      {
        model_name: "m",
        litellm_params: { model: "hosted_vllm/m", api_base: `http://127.0.0.1:${port}/v1` },
        model_info: { free: true },
      },
    ],
  }),
);
afterAll(async () => {
  await app.close();
  upstream.closeAllConnections();
  upstream.close();
});
beforeEach(() => {
  answers.length = 0;
  connections.clear();
});

async function stream(): Promise<string> {
  const messages = [{ role: "user", content: "?" }];
  const response = await app.call("/v1/chat/completions", {
    key: app.first.demoKey ?? "",
    json: { model: "m", stream: true, messages },
  });
  return response.text();
}

const closing = (response: ServerResponse): Promise<void> =>
  new Promise((resolve) => {
    response.once("close", resolve);
    if (response.closed) resolve();
  });

describe("an upstream that has said all and ends a little later", () => {
  test("keeps nobody waiting, and its connection is used again", async () => {
    const calls = 20;
    for (let call = 0; call < calls; call++) {
      expect(await stream()).toEndWith("data: [DONE]\n\n");
      expect(answers).toHaveLength(call + 1);
      answers.at(-1)?.end();
      // Nobody is told when a connection is free again.
      await Bun.sleep(20);
    }
    expect(connections.size).toBeLessThan(calls / 2);
  });

  test("is let go of where it never does", async () => {
    await stream();
    await closing(answers[0] as ServerResponse);
  }, 30_000);

  test("is let go of where it goes on instead", async () => {
    await stream();
    const [answer] = answers as [ServerResponse];
    const writing = setInterval(() => answer.write(`: ${"x".repeat(32 * 1024)}\n\n`), 1);
    await closing(answer);
    clearInterval(writing);
  }, 30_000);
});
