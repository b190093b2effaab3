import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { writeFileSync } from "node:fs";
import { createServer, type Server } from "node:net";
import { join } from "node:path";
import { newFolder, startTurnpike, type Turnpike } from "./process.ts";

const SECRET = "sk-upstream-canary-0123456789";
const answer = (text: string, headers = ""): string =>
  `HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n${headers}Content-Length: ${Buffer.byteLength(text)}\r\n\r\n${text}`;
const stream = (text: string): string =>
  `HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nConnection: close\r\n\r\n${text}`;
const whole = (content: string) =>
  JSON.stringify({
    id: "1",
    object: "chat.completion",
    model: "x",
    choices: [{ index: 0, message: { role: "assistant", content }, finish_reason: "stop" }],
  });
const event = `data: ${JSON.stringify({ id: "1", object: "chat.completion.chunk", model: "x", choices: [{ index: 0, delta: { content: "a" } }] })}\n\n`;

/** What the upstream writes, byte for byte; the socket is closed after it. */
const PLAIN: Readonly<Record<string, string | Buffer>> = {
  empty: answer(""),
  page: answer("<html><body>busy</body></html>"),
  half: answer('{"id":"1","choices":['),
  list: answer("[]"),
  word: answer('"yes"'),
  "shorter than it says": `HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 5000\r\n\r\n{"id":`,
  "bad chunk size": "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nZZ\r\n{}\r\n0\r\n\r\n",
  "no http": "garbage\r\n\r\n",
  nothing: "",
  "redirect inside": "HTTP/1.1 302 Found\r\nLocation: http://127.0.0.1:1/\r\nContent-Length: 0\r\n\r\n",
  "page with 500":
    "HTTP/1.1 500 Oops\r\nContent-Type: text/html\r\nContent-Length: 26\r\n\r\n<h1>internal secrets</h1>\r\n",
  "null choices": answer("null"),
};

const STREAMS: Readonly<Record<string, string | Buffer>> = {
  "no done": stream(event + event),
  "half an event": stream(`${event}data: {"id":"1","cho`),
  "page in the stream": stream(`${event}<html>busy</html>\n\n`),
  "not json": stream(`${event}data: hello\n\n`),
  "error in the stream": stream(`${event}data: {"error":{"message":"it broke","type":"server_error"}}\n\n`),
  "list in the stream": stream(`${event}data: [1]\n\n`),
};

let server: Server;
let port = 0;
const folder = newFolder();
let turnpike: Turnpike;
let key = "";

beforeAll(async () => {
  const all: Record<string, string | Buffer> = { ...PLAIN, ...STREAMS };
  server = createServer((socket) => {
    let seen = "";
    socket.on("error", () => undefined);
    socket.on("data", (data) => {
      seen += data.toString("latin1");
      const name = decodeURIComponent(/^POST \/([^/]+)\//.exec(seen)?.[1] ?? "");
      if (name === "twice") socket.write(answer(whole("mine")) + answer(whole("somebody else's")));
      else socket.end(all[name] ?? "");
      seen = "";
    });
  }).listen(0, "127.0.0.1");
  await new Promise((resolve) => server.once("listening", resolve));
  const address = server.address();
  port = typeof address === "object" && address ? address.port : 0;
  const models = [...Object.keys(all), "twice"].map(
    (name) =>
      `  - model_name: "${name}"\n    litellm_params: { model: openai/x, api_base: "http://127.0.0.1:${port}/${encodeURIComponent(name)}", api_key: ${SECRET} }\n    model_info: { free: true }\n`,
  );
  writeFileSync(join(folder.path, "turnpike.yaml"), `model_list:\n${models.join("")}`);
  turnpike = await startTurnpike(folder.path);
  key = /Demo key +(sk-\w+)/.exec(turnpike.output())?.[1] ?? "";
});
afterAll(async () => {
  turnpike?.kill("SIGKILL");
  await turnpike?.exited;
  server?.close();
  folder.remove();
});

const chat = (model: string, streamed: boolean) =>
  fetch(`${turnpike.url}/v1/chat/completions`, {
    method: "POST",
    headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
    body: JSON.stringify({ model, stream: streamed, messages: [{ role: "user", content: "hi" }] }),
  });

describe("an upstream that answers", () => {
  const cases = Object.keys(PLAIN).flatMap((name) => [[name, false] as const, [name, true] as const]);
  test.each(cases)("with %s (streamed: %p) is a well-formed error", async (name, streamed) => {
    const response = await chat(name, streamed);
    const text = await response.text();
    expect([502, 503]).toContain(response.status);
    expect(JSON.parse(text)).toMatchObject({ error: { message: expect.any(String), name: expect.any(String) } });
    expect(text).not.toMatch(/<html|internal secrets|canary/);
  });

  test.each(Object.keys(STREAMS))("with a stream that has %s ends it with one error frame", async (name) => {
    const text = await (await chat(name, true)).text();
    const frames = Array.from(text.matchAll(/^data: (.*)$/gm), (found) => found[1] ?? "");
    expect(JSON.parse(frames.at(-1) ?? "null")).toMatchObject({ error: { code: "upstream_error" } });
    expect(frames.filter((frame) => frame.includes('"error"'))).toHaveLength(1);
    expect(frames).not.toContain("[DONE]");
    expect(frames.length).toBeGreaterThan(1);
  });

  test("twice on one connection never gives one caller the other's answer", async () => {
    for (let round = 0; round < 10; round++) {
      const response = await chat("twice", false);
      if (response.ok) expect(await response.text()).not.toContain("somebody else's");
    }
  });

  test("with nothing of all this has put a key into the log", () => {
    expect(turnpike.output()).not.toContain("canary");
  });
});
