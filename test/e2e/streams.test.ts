import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { writeFileSync } from "node:fs";
import { connect, type Socket } from "node:net";
import { join } from "node:path";
import { newFolder, startTurnpike, type Turnpike } from "./process.ts";

/** An upstream that streams for ever and keeps count of what it was asked for and when it was let go. */
const state = { sent: 0, cancelled: 0, bodies: [] as unknown[] };
const CHUNK = `data: ${JSON.stringify({ id: "1", object: "chat.completion.chunk", model: "x", choices: [{ index: 0, delta: { content: "y".repeat(8_000) } }] })}\n\n`;
const upstream = Bun.serve({
  port: 0,
  hostname: "127.0.0.1",
  idleTimeout: 0,
  async fetch(request) {
    state.bodies.push(await request.json());
    const mode = new URL(request.url).pathname.split("/")[1];
    if (mode === "hang")
      return new Promise<Response>((_, reject) =>
        request.signal.addEventListener("abort", () => {
          state.cancelled++;
          reject(new Error("gone"));
        }),
      );
    return new Response(
      new ReadableStream({
        async pull(controller) {
          if (mode === "slow") await Bun.sleep(20);
          state.sent += CHUNK.length;
          controller.enqueue(new TextEncoder().encode(CHUNK));
        },
        cancel() {
          state.cancelled++;
        },
      }),
      { headers: { "content-type": "text/event-stream" } },
    );
  },
});

const folder = newFolder();
let turnpike: Turnpike;
let key = "";
beforeAll(async () => {
  const model = (mode: string) =>
    `  - model_name: ${mode}\n    litellm_params: { model: openai/x, api_base: "http://127.0.0.1:${upstream.port}/${mode}", api_key: sk-up }\n    model_info: { input_cost_per_token: 0.000001, output_cost_per_token: 0.000002 }\n`;
  writeFileSync(join(folder.path, "turnpike.yaml"), `model_list:\n${model("fast")}${model("slow")}${model("hang")}`);
  turnpike = await startTurnpike(folder.path);
  key = /Demo key +(sk-\w+)/.exec(turnpike.output())?.[1] ?? "";
});
afterAll(async () => {
  turnpike?.kill("SIGKILL");
  await turnpike?.exited;
  await upstream.stop(true);
  folder.remove();
});

/** A client that controls its own reading. */
function open(model: string, stream: boolean): Promise<Socket> {
  const { hostname, port } = new URL(turnpike.url);
  const body = JSON.stringify({ model, stream, messages: [{ role: "user", content: "go" }] });
  return new Promise((resolve, reject) => {
    const socket = connect(Number(port), hostname, () => {
      socket.write(
        `POST /v1/chat/completions HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${key}\r\nContent-Type: application/json\r\nContent-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`,
      );
      resolve(socket);
    });
    socket.once("error", reject);
  });
}

const until = async (condition: () => boolean): Promise<void> => {
  while (!condition()) await Bun.sleep(25);
};

const rssMb = async (): Promise<number> => {
  const status = await Bun.file(`/proc/${turnpike.pid}/status`).text();
  return Number(/VmRSS:\s+(\d+)/.exec(status)?.[1]) / 1024;
};

describe("a client that leaves", () => {
  test.each([
    ["in the middle of a stream", "slow", true],
    ["before the first byte of a stream", "hang", true],
    ["while a plain answer is made", "hang", false],
  ])("%s ends the upstream's work", async (_, model, stream) => {
    const [asked, before] = [state.bodies.length, state.cancelled];
    const socket = await open(model, stream);
    await until(() => state.bodies.length > asked);
    if (model === "slow") await new Promise((resolve) => socket.once("data", resolve));
    socket.destroy();
    await until(() => state.cancelled === before + 1);
  });
});

/** Far more than all buffers between the two ends together. */
const LIMIT_BYTES = 128 * 1024 * 1024;

describe("a client that does not read", () => {
  test("holds up the upstream and not our memory", async () => {
    const socket = await open("fast", true);
    socket.pause();
    const [before, rss] = [state.sent, await rssMb()];
    // The upstream would send for ever: that it stops at all, once the sockets' buffers are full, is the guarantee.
    let still = 0;
    for (let last = -1; still < 20 && state.sent - before < LIMIT_BYTES; last = state.sent) {
      await Bun.sleep(25);
      still = state.sent > before && state.sent === last ? still + 1 : 0;
    }
    expect(still).toBe(20);
    expect((await rssMb()) - rss).toBeLessThan(64);
    socket.destroy();
  });
});

test("an upstream is always asked for the usage", async () => {
  const socket = await open("slow", true);
  await new Promise((resolve) => socket.once("data", resolve));
  socket.destroy();
  expect(state.bodies.at(-1)).toMatchObject({ stream: true, stream_options: { include_usage: true } });
});
