import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import OpenAI from "openai";
import { CountingUpstream } from "../cache/counting-upstream.ts";
import { type RedisServer, startRedis } from "../services/redis.ts";
import { newFolder, startTurnpike, type Turnpike } from "./process.ts";

const MASTER_KEY = "sk-master-of-the-cache-0123";
const upstream = new CountingUpstream();
const folders = [newFolder(), newFolder()];
const running: Turnpike[] = [];
let redis: RedisServer | null = null;

const settings = (cache: boolean) => `
model_list:
  - model_name: counted
    litellm_params: { model: hosted_vllm/m, api_base: "${upstream.url}" }
    model_info: { input_cost_per_token: 0.000001, output_cost_per_token: 0.000002 }
litellm_settings: { cache: ${cache}, cache_params: { type: redis } }
general_settings: { redis_url: "${redis?.url}", max_event_loop_delay: 0 }
`;

beforeAll(async () => {
  redis = await startRedis();
  const env = { TURNPIKE_MASTER_KEY: MASTER_KEY, TURNPIKE_SECRET: "a-secret-of-two-processes-0123456789" };
  for (const { path } of folders) {
    writeFileSync(join(path, "turnpike.yaml"), settings(true));
    running.push(await startTurnpike(path, env));
  }
});
afterAll(async () => {
  for (const turnpike of running) {
    turnpike.kill("SIGKILL");
    await turnpike.exited;
  }
  upstream.stop();
  await redis?.stop();
  for (const folder of folders) folder.remove();
});

const clientOf = (index: number) =>
  new OpenAI({ baseURL: `${running[index]?.url}/v1`, apiKey: MASTER_KEY, maxRetries: 0 });
/** Nobody waits until an answer is kept. */
async function kept(entries: number): Promise<void> {
  const headers = { authorization: `Bearer ${MASTER_KEY}` };
  const count = async () => (await (await fetch(`${running[0]?.url}/api/admin/cache`, { headers })).json()) as object;
  while (((await count()) as { entries: number }).entries < entries) await Bun.sleep(1);
}
const ask = (content: string) => ({ model: "counted", messages: [{ role: "user" as const, content }] });

describe("two processes with one cache", () => {
  test("give a client of OpenAI's each other's answers, streamed and not", async () => {
    const [one, two] = [clientOf(0), clientOf(1)];
    const first = await one.chat.completions.create(ask("plain"));
    await kept(1);
    const { data, response } = await two.chat.completions.create(ask("plain")).withResponse();
    expect(data).toEqual(first);
    expect(response.headers.get("x-gw-cache-hit")).toBe("true");
    const read = async (client: OpenAI) => {
      const chunks: unknown[] = [];
      for await (const chunk of await client.chat.completions.create({ ...ask("stream"), stream: true }))
        chunks.push(chunk);
      return chunks;
    };
    const streamed = await read(one);
    expect(streamed.length).toBeGreaterThan(3);
    await kept(2);
    expect(await read(two)).toEqual(streamed);
    expect(upstream.count).toBe(2);
  });

  test("make one call of many at the same time each, though the first of them hangs up", async () => {
    const before = upstream.count;
    const { promise, resolve } = Promise.withResolvers<void>();
    upstream.gate = promise;
    const post = (signal: AbortSignal | null = null) =>
      fetch(`${running[0]?.url}/v1/chat/completions`, {
        method: "POST",
        headers: { authorization: `Bearer ${MASTER_KEY}`, "content-type": "application/json" },
        body: JSON.stringify(ask("together")),
        signal,
      });
    const leaving = new AbortController();
    const first = post(leaving.signal).catch(() => null);
    await upstream.arrived(before + 1);
    const others = Array.from({ length: 10 }, () => post());
    // Whoever waits is counted by nobody; an eleventh call of another kind comes after them on the same machine.
    await fetch(`${running[0]?.url}/health/liveliness`);
    leaving.abort();
    await first;
    await upstream.arrived(before + 2);
    upstream.gate = null;
    resolve();
    const texts = await Promise.all(others.map(async (other) => (await other).text()));
    expect(new Set(texts).size).toBe(1);
    expect(upstream.count).toBe(before + 2);
  });

  test("take over a file that switches it off", async () => {
    writeFileSync(join(folders[0]?.path ?? "", "turnpike.yaml"), settings(false));
    const reloaded = await fetch(`${running[0]?.url}/api/admin/config/reload`, {
      method: "POST",
      headers: { authorization: `Bearer ${MASTER_KEY}` },
    });
    expect(await reloaded.json()).toMatchObject({ needRestart: [] });
    const { response } = await clientOf(0).chat.completions.create(ask("plain")).withResponse();
    expect(response.headers.get("x-gw-cache-hit")).toBeNull();
    const { response: kept } = await clientOf(1).chat.completions.create(ask("plain")).withResponse();
    expect(kept.headers.get("x-gw-cache-hit")).toBe("true");
  });
});
