import { afterEach, describe, expect, test } from "bun:test";
import { costOf } from "../../src/catalog/cost.ts";
import { readPriceSheet } from "../../src/catalog/price-sheet.ts";
import { MASTER_KEY, startApp } from "../app.ts";
import { restrictedKey } from "../models/restricted-key.ts";
import { type CachedApp, look, startCachedApp } from "./cached-app.ts";

let place: CachedApp;
afterEach(() => place?.close());
const start = async (params: object, more: object = {}) => {
  place = await startCachedApp(params, more);
  return place;
};

describe("settings of the cache", () => {
  test("switched off, nothing is kept", async () => {
    const { chat, upstream } = await start({}, { litellm_settings: { cache: false } });
    for (let at = 0; at < 2; at++) expect((await look(await chat("off", { caching: true }))).hit).toBe(false);
    expect(upstream.count).toBe(2);
  });

  test("off by default, only calls that ask for it use it", async () => {
    const { chat, upstream } = await start({ mode: "default_off" });
    for (let at = 0; at < 2; at++) expect((await look(await chat("asked"))).hit).toBe(false);
    for (const fields of [{ caching: true }, { cache: { "use-cache": true } }]) {
      await look(await chat("asked", fields));
      expect((await look(await chat("asked", fields))).hit).toBe(true);
    }
    expect(upstream.count).toBe(3);
  });

  test("of one operation, others are not kept", async () => {
    const { chat, post } = await start({ supported_call_types: ["aembedding", "image_generation"] });
    for (let at = 0; at < 2; at++) expect((await look(await chat("listed"))).hit).toBe(false);
    const embed = () => post("/v1/embeddings", { model: "counted", input: "listed" });
    expect([(await look(await embed())).hit, (await look(await embed())).hit]).toEqual([false, true]);
    const draw = () => post("/v1/images/generations", { model: "openai", prompt: "listed" });
    expect([(await look(await draw())).hit, (await look(await draw())).hit]).toEqual([false, true]);
    expect((await place.books.last()).images).toBe(1);
  });

  test("scope key: keys of one team do not share", async () => {
    const { chat, app } = await start({ scope: "key" });
    await look(await chat("mine"));
    const { key } = await restrictedKey(app, []);
    expect((await look(await chat("mine", {}, { key }))).hit).toBe(false);
    expect((await look(await chat("mine", {}, { key }))).hit).toBe(true);
  });

  test("scope team: keys of one team share", async () => {
    const { chat, app, stranger } = await start({ scope: "team" });
    await look(await chat("ours"));
    const { key } = await restrictedKey(app, []);
    expect((await look(await chat("ours", {}, { key }))).hit).toBe(true);
    expect((await look(await chat("ours", {}, { key: stranger }))).hit).toBe(false);
  });

  test("scope global: everybody shares, because it is configured", async () => {
    const { chat, stranger } = await start({ scope: "global" });
    const first = await look(await chat("everybody's"));
    expect(await look(await chat("everybody's", {}, { key: stranger }))).toMatchObject({ hit: true, text: first.text });
  });

  test("with little room, what was not used for the longest time leaves", async () => {
    const { chat, app } = await start({ max_size_mb: 1, max_entry_kb: 600 });
    place.upstream.filler = "x".repeat(400 * 1024);
    for (const name of ["a", "b"]) await look(await chat(name));
    expect((await look(await chat("a"))).hit).toBe(true);
    await look(await chat("c"));
    expect((await look(await chat("a"))).hit).toBe(true);
    expect((await look(await chat("b"))).hit).toBe(false);
    const seen = (await (await app.call("/api/admin/cache", { key: MASTER_KEY })).json()) as { bytes: number };
    expect(seen).toMatchObject({
      entries: 2,
      evicted: 2,
      bytesMax: 1024 ** 2,
      hits: 2,
      misses: 4,
      kept: 4,
      hitRate: 1 / 3,
    });
    expect(seen.bytes).toBeLessThanOrEqual(1024 ** 2);
  });

  test("a namespace of the file stands in the key", async () => {
    const { chat } = await start({ namespace: "app" });
    await look(await chat("named"));
    expect((await look(await chat("named"))).key).toStartWith("app:");
  });
});

describe("a hit at a share of the price", () => {
  test("is held, charged and can be computed again", async () => {
    const { chat, books } = await start({ hit_price_percent: 25 }, { general_settings: { markup_percent: 10 } });
    await look(await chat("priced"));
    const made = await books.last();
    const response = await chat("priced");
    await response.text();
    const hit = await books.last();
    expect(made.cost).toBe(22_000n);
    expect(hit).toMatchObject({ cacheHit: true, cost: 5_500n, providerCost: 0n });
    expect(response.headers.get("x-gw-response-cost")).toBe("0.0000055");
    expect(books.held.at(-1)).toMatchObject({
      amount: 5_500n,
      creditSources: [{ id: `wallet:${hit.organizationId}` }],
    });
    expect(books.closed.at(-1)).toBe(5_500n);
    expect(books.ended.at(-1)?.creditSources).toEqual([`wallet:${hit.organizationId}`]);
    expect(hit.costParts.reduce((sum, { nanoUsd }) => sum + nanoUsd, 0n)).toBe(5_500n);
    let stored = await place.app.storage.usage.findPrices(hit.priceVersion ?? "");
    while (!stored) stored = await place.app.storage.usage.findPrices(hit.priceVersion ?? "");
    const sheet = readPriceSheet(stored.prices);
    expect(sheet && costOf(sheet, hit).cost).toBe(5_500n);
  });

  test("needs credit, and is refused without", async () => {
    const { chat, books, upstream } = await start({ hit_price_percent: 100 });
    await look(await chat("broke"));
    books.credit = 0n;
    const response = await chat("broke");
    expect(response.status).toBe(429);
    expect(await response.json()).toMatchObject({ error: { code: "insufficient_quota" } });
    expect(books.ended.at(-1)?.record).toMatchObject({ status: "rejected", errorCode: "insufficient_quota", cost: 0n });
    expect(upstream.count).toBe(1);
  });

  test("of the master key is charged to nobody", async () => {
    const { chat, books } = await start({ hit_price_percent: 100 });
    for (let at = 0; at < 2; at++) await look(await chat("operator", {}, { key: MASTER_KEY }));
    expect(await books.last()).toMatchObject({ cacheHit: true, keyId: "master" });
    expect(books.held).toHaveLength(0);
  });
});

test("hits are in the usage that people see, and the books stay in order", async () => {
  const app = await startApp(`
litellm_settings: { cache: true, cache_params: { hit_price_percent: 50 } }
`);
  try {
    const key = app.first.demoKey ?? "";
    const json = { model: "echo", messages: [{ role: "user", content: "hello there" }] };
    for (let at = 0; at < 3; at++) await (await app.call("/v1/chat/completions", { key, json })).text();
    await app.service.flush();
    const logs = (await (await app.call("/api/admin/logs", { key: MASTER_KEY })).json()) as {
      data: { cacheHit: boolean; cost: number; promptTokens: number; status: string }[];
    };
    expect(logs.data.map(({ cacheHit, status }) => [cacheHit, status])).toEqual([
      [true, "succeeded"],
      [true, "succeeded"],
      [false, "succeeded"],
    ]);
    const [hit, , made] = logs.data;
    expect(hit?.promptTokens).toBe(made?.promptTokens as number);
    const verified = await app.call("/api/admin/ledger/verify", { key: MASTER_KEY });
    expect(await verified.json()).toMatchObject({ ok: true });
  } finally {
    await app.close();
  }
});

test("what was said in a hit is kept for organizations that want it", async () => {
  const { chat, app, books } = await start({});
  await look(await chat("kept"));
  await app.storage.accounts.organizations.update((await books.last()).organizationId ?? "", { storePrompts: true });
  const { key } = await restrictedKey(app, []);
  for (const stream of [false, true]) {
    await look(await chat("kept", { stream }, { key }));
    expect((await look(await chat("kept", { stream }, { key }))).hit).toBe(true);
    const { id } = await books.last();
    let kept = await app.storage.usage.findContents(id);
    while (!kept) kept = await app.storage.usage.findContents(id);
    expect(JSON.parse(kept.request ?? "")).toMatchObject({ messages: [{ content: "kept" }] });
    expect(JSON.stringify(JSON.parse(kept.response ?? ""))).toContain("answer");
  }
});

test("a hit counts as a request of its caller, and uses none of its tokens", async () => {
  const { chat, newKey } = await start({});
  const key = await newKey({ rpmLimit: 3, tpmLimit: 100_000 });
  const left = async () => {
    const response = await chat("limited", {}, { key });
    const names = ["requests", "tokens"].map((name) => response.headers.get(`x-ratelimit-api_key-remaining-${name}`));
    return { status: response.status, hit: (await look(response)).hit, left: names.map(Number) };
  };
  const first = await left();
  const [second, third, fourth] = [await left(), await left(), await left()];
  expect([first.hit, second.hit, third.hit]).toEqual([false, true, true]);
  expect([second.left[0], third.left[0]]).toEqual([1, 0]);
  expect(third.left[1]).toBe(second.left[1] as number);
  expect(fourth.status).toBe(429);
});
