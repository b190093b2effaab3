import { afterAll, beforeAll, expect, test } from "bun:test";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import OpenAI from "openai";
import { newFolder, startTurnpike, type Turnpike } from "./process.ts";

const LARGE_BYTES = 200 * 1024 * 1024;
const folder = newFolder();
let turnpike: Turnpike;
let client: OpenAI;
let beganMb = 0;

/** An upstream that reads a form of any size and forgets it. */
const upstream = Bun.serve({
  port: 0,
  hostname: "127.0.0.1",
  maxRequestBodySize: 1024 ** 3,
  async fetch(request) {
    let bytes = 0;
    for await (const chunk of (request.body ?? []) as AsyncIterable<Uint8Array>) bytes += chunk.length;
    return Response.json({ text: `${bytes} bytes` });
  },
});

beforeAll(async () => {
  const yaml = `model_list:
  - model_name: big-file
    litellm_params: { model: openai/whisper-1, api_base: "http://127.0.0.1:${upstream.port}/v1", api_key: sk-up }
`;
  writeFileSync(join(folder.path, "turnpike.yaml"), yaml);
  turnpike = await startTurnpike(folder.path);
  const apiKey = /Demo key +(sk-\w+)/.exec(turnpike.output())?.[1] ?? "";
  client = new OpenAI({ baseURL: `${turnpike.url}/v1`, apiKey, maxRetries: 0 });
  beganMb = await rssMb();
});
afterAll(async () => {
  turnpike?.kill("SIGKILL");
  await turnpike?.exited;
  await upstream.stop(true);
  folder.remove();
});

const rssMb = async (): Promise<number> =>
  Number(/VmRSS:\s+(\d+)/.exec(await Bun.file(`/proc/${turnpike.pid}/status`).text())?.[1]) / 1024;

test("a large file goes through to a provider without our memory growing with it", async () => {
  const file = new File([new Uint8Array(LARGE_BYTES)], "long.mp3", { type: "audio/mpeg" });
  await client.audio.transcriptions.create({ model: "big-file", file });
  expect((await rssMb()) - beganMb).toBeLessThan(100);
}, 60_000);

test("a large file is kept without our memory growing with it", async () => {
  const large = new File([new Uint8Array(LARGE_BYTES)], "large.bin");
  const kept = await client.files.create({ file: large, purpose: "user_data" });
  expect(kept.bytes).toBe(LARGE_BYTES);
  expect((await rssMb()) - beganMb).toBeLessThan(100);
  await client.files.delete(kept.id);
}, 60_000);
