import { afterAll, afterEach, describe, expect, test } from "bun:test";
import { MASTER_KEY } from "../app.ts";
import { startRedis } from "../services/redis.ts";
import { type CachedApp, look, startCachedApp } from "./cached-app.ts";

const redis = await startRedis();
if (!redis) throw new Error("Neither Redis nor Valkey is installed.");
afterAll(() => redis.stop());
let place: CachedApp;
afterEach(() => place?.close());

const VECTORS = {
  model_name: "vectors",
  litellm_params: { model: "echo/embedding" },
  model_info: { input_cost_per_token: 1e-6 },
};

async function start(params: object = {}, onRedis = false, vectors: object = VECTORS): Promise<CachedApp> {
  place = await startCachedApp(
    { type: onRedis ? "redis-semantic" : "semantic", similarity_threshold: 0.8, embedding_model: "vectors", ...params },
    onRedis ? { general_settings: { redis_url: redis?.url } } : {},
    [vectors],
  );
  return place;
}

const QUESTION = "How do I change the password of my account on the website?";
const ALIKE = "How do I change the password of my account on the website please?";
const OTHER = "Which rivers flow through the city of Basel in Switzerland?";

describe.each([false, true])("questions that mean the same (on Redis: %p)", (onRedis) => {
  test("get the answer of the other one, and what is unlike does not", async () => {
    const { chat, upstream } = await start({}, onRedis);
    const first = await look(await chat(QUESTION));
    const response = await chat(ALIKE);
    const similarity = Number(response.headers.get("x-gw-semantic-similarity"));
    expect(similarity).toBeGreaterThanOrEqual(0.8);
    expect(similarity).toBeLessThan(1);
    const alike = await look(response);
    expect([alike.hit, alike.text]).toEqual([true, first.text]);
    expect((await look(await chat(OTHER))).hit).toBe(false);
    expect(upstream.count).toBe(2);
    const same = await chat(QUESTION);
    expect(same.headers.get("x-gw-semantic-similarity")).toBeNull();
    expect(await look(same)).toEqual({ hit: true, key: alike.key, text: first.text });
  });

  test("are compared only where all else is the same: tenant, namespace, settings, what was said before", async () => {
    const { chat, stranger, upstream } = await start({}, onRedis);
    await look(await chat(QUESTION));
    expect((await look(await chat(ALIKE, {}, { key: stranger }))).hit).toBe(false);
    expect((await look(await chat(ALIKE, { cache: { namespace: "n" } }))).hit).toBe(false);
    expect((await look(await chat(ALIKE, { temperature: 0.1 }))).hit).toBe(false);
    expect((await look(await chat(ALIKE, { stream: true }))).hit).toBe(false);
    const messages = [
      { role: "system", content: "You are a pirate." },
      { role: "user", content: ALIKE },
    ];
    expect((await look(await chat("", { messages }))).hit).toBe(false);
    expect(upstream.count).toBe(6);
  });

  test("are found behind one whose answer is gone", async () => {
    const { chat, post, upstream } = await start({}, onRedis);
    const first = await look(await chat(QUESTION));
    // Asks for an answer of its own, which is kept beside the other one.
    const next = await look(await chat(ALIKE, { cache: { "s-maxage": 0 } }));
    const nearest = await look(await chat(`${QUESTION}!`));
    expect(nearest.text).toBe(first.text);
    await post("/cache/delete", { keys: [nearest.key] }, { key: MASTER_KEY });
    for (let times = 0; times < 2; times++) {
      expect(await look(await chat(`${QUESTION}!`))).toMatchObject({ hit: true, text: next.text });
    }
    expect(upstream.count).toBe(2);
  });

  test("and their streams are given again as streams", async () => {
    const { chat } = await start({}, onRedis);
    const first = await look(await chat(QUESTION, { stream: true }));
    expect(await look(await chat(ALIKE, { stream: true }))).toMatchObject({ hit: true, text: first.text });
  });
});

describe("comparing by meaning", () => {
  test("goes by the threshold", async () => {
    const { chat } = await start({ similarity_threshold: 0.999 });
    await look(await chat(QUESTION));
    expect((await look(await chat(ALIKE))).hit).toBe(false);
  });

  test("honours the age that a call asks for, and what is gone is gone", async () => {
    const { chat, clock, app } = await start();
    await look(await chat(QUESTION));
    clock.step(5_000);
    expect((await look(await chat(ALIKE, { cache: { "s-maxage": 4 } }))).hit).toBe(false);
    await app.call("/cache/flushall", { method: "POST", key: MASTER_KEY });
    expect((await look(await chat(`${ALIKE} Now`))).hit).toBe(false);
    await look(await chat(OTHER));
    clock.step(600_000);
    expect((await look(await chat(`${OTHER} Please`))).hit).toBe(false);
  });

  test("honours the age that a call asks for, though it waits for one that did not, and tells what was found", async () => {
    const { chat, clock, upstream } = await start();
    await look(await chat(QUESTION));
    clock.step(5_000);
    const asked = [chat(ALIKE), chat(ALIKE), chat(ALIKE, { cache: { "s-maxage": 4 } })];
    const [first, same, young] = await Promise.all(asked);
    expect(first?.headers.get("x-gw-semantic-similarity")).toBeString();
    for (const name of ["x-gw-semantic-similarity", "x-gw-cache-key", "age"]) {
      expect(same?.headers.get(name)).toBe(first?.headers.get(name) ?? "");
    }
    expect(young?.headers.get("x-gw-cache-hit")).toBeNull();
    expect(upstream.count).toBe(2);
  });

  test("is charged to nobody, unless the settings say so", async () => {
    const { chat, books } = await start();
    await look(await chat(QUESTION));
    const vector = books.ended.map(({ record }) => record).find(({ operation }) => operation === "embedding");
    expect(vector).toMatchObject({ organizationId: null, keyId: "master", model: "vectors", cacheHit: false });
    expect(books.held).toHaveLength(1);
    await place.close();
    const charging = await start({ charge_embeddings: true });
    await look(await charging.chat(QUESTION));
    const charged = charging.books.ended.map(({ record }) => record).find(({ operation }) => operation === "embedding");
    expect(charged?.organizationId).toBe((await charging.books.last()).organizationId);
    expect(charged?.cost).toBeGreaterThan(0n);
    expect(charging.books.held).toHaveLength(2);
  });

  test("that fails is a miss, and the call is answered", async () => {
    const broken = {
      model_name: "vectors",
      litellm_params: { model: "hosted_vllm/m", api_base: "http://127.0.0.1:1/v1" },
    };
    const { chat, upstream } = await start({}, false, broken);
    for (const question of [QUESTION, ALIKE]) {
      const response = await chat(question, { num_retries: 0 });
      expect([response.status, (await look(response)).hit]).toEqual([200, false]);
    }
    expect(upstream.count).toBe(2);
    expect((await look(await chat(QUESTION, { num_retries: 0 }))).hit).toBe(true);
  });

  test("asks for no vector where it is no use: no-cache, other operations, pictures", async () => {
    const { chat, post, books } = await start();
    await look(await chat(QUESTION, { cache: { "no-cache": true } }));
    await look(await post("/v1/completions", { model: "counted", prompt: QUESTION }));
    const content = [{ type: "image_url", image_url: { url: "https://example.com/a.png" } }];
    await look(await chat("", { messages: [{ role: "user", content }] }));
    expect(books.ended.some(({ record }) => record.operation === "embedding")).toBe(false);
  });
});
