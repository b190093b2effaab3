import { afterAll, describe, expect, test } from "bun:test";
import { Redis } from "../../src/lib/redis.ts";
import { MASTER_KEY, startApp, type TestApp } from "../app.ts";
import { findRedis, type RedisServer, startRedis } from "../services/redis.ts";

const installed = findRedis() !== null;
if (!installed) console.log("skip: neither redis-server nor valkey-server is installed");

const entry = (id: string, rpm: number) => ({
  model_name: "paced",
  litellm_params: { model: "echo/chat", rpm },
  model_info: { id, free: true },
});

describe.skipIf(!installed)("two gateways over one Redis", async () => {
  const redis = installed ? ((await startRedis()) as RedisServer) : null;
  const config = JSON.stringify({
    model_list: [
      entry("paced-1", 4),
      entry("paced-2", 2),
      ...["alone", "shy", "careful"].map((model_name) => ({
        model_name,
        litellm_params: { model: "echo/chat", ...(model_name === "shy" ? { max_parallel_requests: 1 } : {}) },
        model_info: { free: true },
      })),
      { model_name: "open", litellm_params: { model: "echo/chat" }, model_info: { free: true } },
    ],
    general_settings: { redis_url: redis?.url, end_user_limits: { rpm: 3 } },
    router_settings: { model_group_limits: { alone: { max_parallel_requests: 1 }, careful: { tpm: 1_000_000 } } },
    litellm_settings: { cache: true, cache_params: { mode: "default_off" } },
  });
  const apps: TestApp[] = redis ? [await startApp(config), await startApp(config)] : [];
  afterAll(async () => {
    await Promise.all(apps.map((app) => app.close()));
    await redis?.stop();
  });

  const post = async (index: number, model: string, fields: object = {}) => {
    const json = { model, messages: [{ role: "user", content: "who?" }], ...fields };
    const app = apps[index % apps.length] as TestApp;
    const response = await app.call("/v1/chat/completions", { key: MASTER_KEY, json });
    await response.text();
    return response;
  };

  test("share what deployments may do, and pass over those that the other has filled", async () => {
    const served: string[] = [];
    for (let i = 0; i < 6; i++) {
      const response = await post(i, "paced");
      expect(response.status).toBe(200);
      served.push(response.headers.get("x-gw-model-id") ?? "");
    }
    expect(served.sort()).toEqual(["paced-1", "paced-1", "paced-1", "paced-1", "paced-2", "paced-2"]);
    for (let i = 0; i < 4; i++) {
      const refused = await post(i, "paced");
      expect(refused.status).toBe(429);
      expect(Number(refused.headers.get("retry-after"))).toBeGreaterThan(0);
    }
  });

  test.each([
    ["a plain answer", "alone", {}],
    ["a stream", "alone", { stream: true }],
    ["an answer out of the cache", "alone", { caching: true }],
    ["an answer of a deployment that takes one call at a time", "shy", {}],
    ["an answer that is shorter than it might have been", "careful", { max_tokens: 900_000 }],
  ])("have room for whoever comes when %s has ended, at whichever of them", async (_, model, fields) => {
    const statuses: number[] = [];
    for (let i = 0; i < 40; i++) statuses.push((await post(i, model, fields)).status);
    expect(statuses.filter((status) => status !== 200)).toEqual([]);
  });

  test("go by the limit that a deployment is given, also where the other has used up the former one", async () => {
    const admin = async (path: string, json: object): Promise<void> => {
      for (const app of apps) expect((await app.call(path, { key: MASTER_KEY, json })).status).toBe(200);
    };
    const litellm_params = { model: "echo/chat", rpm: 1 };
    await admin("/model/new", { model_name: "raised", litellm_params, model_info: { id: "raised", free: true } });
    expect([(await post(1, "raised")).status, (await post(0, "raised")).status]).toEqual([200, 429]);
    await admin("/model/update", { model_info: { id: "raised" }, litellm_params: { rpm: 100 } });
    expect([(await post(0, "raised")).status, (await post(1, "raised")).status]).toEqual([200, 200]);
  });

  test("share what an end user may do, and tell the same of it", async () => {
    const left: (string | null)[] = [];
    for (let i = 0; i < 4; i++) {
      const { headers } = await post(i, "open", { user: "ann" });
      left.push(headers.get("x-ratelimit-end_user-remaining-requests"));
    }
    expect(left).toEqual(["2", "1", "0", "0"]);
    expect((await post(1, "open", { user: "ann" })).status).toBe(429);
    expect((await post(0, "open", { user: "bob" })).status).toBe(200);
  });

  test("do not go by a Redis that was emptied and has been told nothing yet", async () => {
    const statuses = async (index: number, count: number) =>
      (await Promise.all(Array.from({ length: count }, () => post(index, "open", { user: "eve" })))).map(
        ({ status }) => status,
      );
    expect((await statuses(1, 3)).filter((status) => status === 200)).toHaveLength(3);
    const link = new Redis(redis?.url ?? "");
    await link.start();
    await link.send("FLUSHALL", []);
    link.close();
    // The share of one of two is one call, unless the other has told by now that there is none left.
    expect((await statuses(0, 3)).filter((status) => status === 200).length).toBeLessThanOrEqual(1);
  });
});
