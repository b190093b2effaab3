import { afterAll, expect, test } from "bun:test";
import { writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";
import { newFolder, startTurnpike } from "./process.ts";

/** A proxy that answers itself, for a host that nobody but it could find. */
const asked: string[] = [];
const proxy = createServer((socket) => {
  socket.on("error", () => undefined);
  socket.once("data", (data) => {
    asked.push(data.toString("latin1").split("\r\n")[0] ?? "");
    const choices = [{ index: 0, message: { role: "assistant", content: "from inside" }, finish_reason: "stop" }];
    const body = JSON.stringify({ id: "1", object: "chat.completion", model: "x", choices });
    socket.end(`HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: ${body.length}\r\n\r\n${body}`);
  });
}).listen(0, "127.0.0.1");
await new Promise((resolve) => proxy.once("listening", resolve));
const { port } = proxy.address() as { port: number };

const folder = newFolder();
writeFileSync(
  join(folder.path, "turnpike.yaml"),
  "model_list: [{ model_name: far, litellm_params: { model: openai/x, api_base: 'http://only-by-proxy.invalid/v1', api_key: k }, model_info: { free: true } }]",
);
const turnpike = await startTurnpike(folder.path, { HTTP_PROXY: `http://127.0.0.1:${port}` });
afterAll(async () => {
  turnpike.kill("SIGKILL");
  await turnpike.exited;
  proxy.close();
  folder.remove();
});

test("a provider that only the proxy of the environment can reach is reached by it", async () => {
  const key = /Demo key +(sk-\w+)/.exec(turnpike.output())?.[1] ?? "";
  const response = await fetch(`${turnpike.url}/v1/chat/completions`, {
    method: "POST",
    headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
    body: JSON.stringify({ model: "far", messages: [{ role: "user", content: "hi" }] }),
  });
  expect(await response.text()).toContain("from inside");
  expect(asked).toEqual(["POST http://only-by-proxy.invalid/v1/chat/completions HTTP/1.1"]);
});
