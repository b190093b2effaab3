import { afterAll, describe, expect, test } from "bun:test";
import { MASTER_KEY } from "../app.ts";
import { restrictedKey } from "../models/restricted-key.ts";
import { look, startCachedApp } from "./cached-app.ts";

const place = await startCachedApp();
afterAll(() => place.close());
const { chat, clock, upstream, books } = place;

describe("a call that was answered before", () => {
  test("gets the same answer without the model, for free, and is in the log as a hit", async () => {
    const first = await look(await chat("same"));
    expect(first).toMatchObject({ hit: false, key: null });
    clock.step(5_000);
    const response = await chat("same");
    expect(response.headers.get("content-type")).toContain("application/json");
    expect(response.headers.get("x-gw-response-cost")).toBe("0");
    expect(response.headers.get("x-gw-model-group")).toBe("counted");
    expect(response.headers.get("age")).toBe("5");
    const second = await look(response);
    expect(second).toEqual({ hit: true, key: expect.stringMatching(/^[0-9a-f]{64}$/), text: first.text });
    expect(upstream.count).toBe(1);
    const [made, hit] = books.ended.slice(-2).map(({ record }) => record);
    expect(made).toMatchObject({ cacheHit: false, cost: 20_000n, promptTokens: 10, completionTokens: 5 });
    expect(hit).toMatchObject({
      cacheHit: true,
      status: "succeeded",
      statusCode: 200,
      cost: 0n,
      providerCost: 0n,
      priceVersion: null,
      promptTokens: 10,
      completionTokens: 5,
      model: "counted",
      deploymentId: made?.deploymentId ?? "",
      provider: "hosted_vllm",
      attempts: [],
      keyId: made?.keyId ?? "",
    });
    expect(hit?.id).not.toBe(made?.id ?? "");
  });

  test.each<[string, object]>([
    ["/v1/completions", { model: "counted", prompt: "same" }],
    ["/v1/embeddings", { model: "counted", input: "same" }],
    ["/v1/moderations", { model: "openai", input: "same" }],
    ["/v1/rerank", { model: "counted", query: "same", documents: ["a"] }],
    ["/v1/chat/completions", { model: "nickname", messages: [{ role: "user", content: "same" }] }],
  ])("is known for %s", async (path, json) => {
    const before = upstream.count;
    const [first, second] = [await look(await place.post(path, json)), await look(await place.post(path, json))];
    expect([first.hit, second.hit, second.text]).toEqual([false, true, first.text]);
    expect(upstream.count).toBe(before + 1);
  });

  test("is not for pictures, which people want to be different, unless they are listed", async () => {
    const json = { model: "openai", prompt: "a hill" };
    for (let at = 0; at < 2; at++) {
      const response = await place.post("/v1/images/generations", json);
      expect([response.status, (await look(response)).hit]).toEqual([200, false]);
    }
  });

  test("is given by a name of its own: an alias has its own answer", async () => {
    const named = await look(await chat("alias"));
    const asked = await look(await chat("alias", { model: "nickname" }));
    expect(asked.hit).toBe(false);
    expect(JSON.parse(named.text).model).toBe("counted");
    expect(JSON.parse(asked.text).model).toBe("nickname");
  });

  test("is forgotten when its time is over", async () => {
    await look(await chat("ttl"));
    clock.step(599_999);
    expect((await look(await chat("ttl"))).hit).toBe(true);
    clock.step(1);
    expect((await look(await chat("ttl"))).hit).toBe(false);
  });
});

describe("nobody gets another tenant's answer", () => {
  test("the same body of two organizations is two calls", async () => {
    const before = upstream.count;
    const mine = await look(await chat("tenant"));
    const theirs = await look(await chat("tenant", {}, { key: place.stranger }));
    const masters = await look(await chat("tenant", {}, { key: MASTER_KEY }));
    expect([mine.hit, theirs.hit, masters.hit]).toEqual([false, false, false]);
    expect(new Set([mine.text, theirs.text, masters.text]).size).toBe(3);
    expect(upstream.count).toBe(before + 3);
    const again = await look(await chat("tenant", {}, { key: place.stranger }));
    expect([again.hit, again.text]).toEqual([true, theirs.text]);
  });

  test("two keys of one organization share, but for what one of them may not call", async () => {
    const mine = await look(await chat("shared"));
    const { key } = await restrictedKey(place.app, ["counted"]);
    expect(await look(await chat("shared", {}, { key }))).toMatchObject({ hit: true, text: mine.text });
    const { key: other } = await restrictedKey(place.app, ["other"]);
    expect((await chat("shared", {}, { key: other })).status).toBe(403);
  });
});

describe("a call says", () => {
  test.each<[string, object, Record<string, string>]>([
    ["no-cache", { cache: { "no-cache": true } }, {}],
    ["Cache-Control: no-cache", {}, { "cache-control": "no-cache" }],
  ])("%s: it asks the model, and what is kept is renewed", async (name, fields, headers) => {
    const old = await look(await chat(name));
    const fresh = await look(await chat(name, fields, { headers }));
    expect(fresh.hit).toBe(false);
    expect(fresh.text).not.toBe(old.text);
    expect(await look(await chat(name))).toMatchObject({ hit: true, text: fresh.text });
  });

  test.each<[string, object, Record<string, string>]>([
    ["no-store", { cache: { "no-store": true } }, {}],
    ["Cache-Control: no-store", {}, { "cache-control": "no-store" }],
  ])("%s: its answer is not kept", async (name, fields, headers) => {
    await look(await chat(name, fields, { headers }));
    const second = await look(await chat(name));
    expect(second.hit).toBe(false);
    expect(await look(await chat(name, fields, { headers }))).toMatchObject({ hit: true, text: second.text });
  });

  test("caching: false, and neither is done", async () => {
    await look(await chat("bypass", { caching: false }));
    const kept = await look(await chat("bypass"));
    const bypassed = await look(await chat("bypass", { caching: false }));
    expect([kept.hit, bypassed.hit]).toEqual([false, false]);
    expect(await look(await chat("bypass"))).toMatchObject({ hit: true, text: kept.text });
  });

  test("ttl: how long its answer is kept", async () => {
    await look(await chat("own ttl", { cache: { ttl: 10 } }));
    clock.step(9_999);
    expect((await look(await chat("own ttl"))).hit).toBe(true);
    clock.step(1);
    expect((await look(await chat("own ttl"))).hit).toBe(false);
  });

  test.each<[string, object, Record<string, string>]>([
    ["s-maxage", { cache: { "s-maxage": 10 } }, {}],
    ["s-max-age", { cache: { "s-max-age": 10 } }, {}],
    ["Cache-Control: max-age", {}, { "cache-control": "max-age=10" }],
    ["Cache-Control: s-maxage", {}, { "cache-control": "s-maxage=10" }],
  ])("%s: how old what it is given may be", async (name, fields, headers) => {
    const first = await look(await chat(name));
    clock.step(9_999);
    expect((await look(await chat(name, fields, { headers }))).hit).toBe(true);
    clock.step(1);
    expect(await look(await chat(name))).toMatchObject({ hit: true, text: first.text });
    expect((await look(await chat(name, fields, { headers }))).hit).toBe(false);
  });

  test("namespace: answers are kept apart", async () => {
    const cache = { namespace: "mine" };
    await look(await chat("apart"));
    expect((await look(await chat("apart", { cache }))).hit).toBe(false);
    const { hit, key } = await look(await chat("apart", { cache }));
    expect([hit, key]).toEqual([true, expect.stringMatching(/^mine:[0-9a-f]{64}$/)]);
  });

  test.each<[unknown, string]>([
    [{ "no-cache": "yes" }, "no-cache"],
    [{ ttl: -1 }, "ttl"],
    [{ "s-maxage": "soon" }, "s-maxage"],
    [{ namespace: "a b" }, "namespace"],
    [{ no_cache: true }, "no_cache"],
    ["no-cache", "cache"],
  ])("%j, which means nothing, and is told so", async (cache, name) => {
    const response = await chat("nonsense", { cache });
    expect(response.status).toBe(422);
    expect(JSON.stringify(await response.json())).toContain(name);
  });

  test("a header that means nothing, and is told so", async () => {
    const response = await chat("nonsense", {}, { headers: { "cache-control": "max-age=soon" } });
    expect(response.status).toBe(422);
    expect(await response.json()).toMatchObject({ detail: [{ loc: ["header", "cache-control"] }] });
  });

  test("a header of more seconds than anything is kept for is no nonsense", async () => {
    const headers = { "cache-control": "max-age=99999999999" };
    await (await chat("any age", {}, { headers })).text();
    const again = await chat("any age", {}, { headers });
    expect([again.status, again.headers.get("x-gw-cache-hit")]).toEqual([200, "true"]);
  });

  test("a header that means nothing, which keeps no place in the limits of its caller", async () => {
    const key = await place.newKey({ parallelLimit: 1 });
    const nonsense = () => chat("nonsense", {}, { key, headers: { "cache-control": "max-age=soon" } });
    expect([(await nonsense()).status, (await nonsense()).status, (await chat("sense", {}, { key })).status]).toEqual([
      422, 422, 200,
    ]);
  });
});

describe("what is not kept", () => {
  test("a failure", async () => {
    upstream.failures = 1;
    expect((await chat("failed", { num_retries: 0 })).status).toBeGreaterThanOrEqual(500);
    upstream.failures = 0;
    expect(await look(await chat("failed"))).toMatchObject({ hit: false });
    expect((await look(await chat("failed"))).hit).toBe(true);
  });

  test("an answer of a group that stood in", async () => {
    upstream.failures = 1;
    const fields = { fallbacks: ["other"], num_retries: 0 };
    const stood = await chat("stand in", fields);
    expect([stood.status, stood.headers.get("x-gw-model-group")]).toEqual([200, "other"]);
    await stood.text();
    expect((await look(await chat("stand in", fields))).hit).toBe(false);
  });

  test("an answer that says nothing", async () => {
    upstream.silent = true;
    const [first, second] = [await look(await chat("silent")), await look(await chat("silent"))];
    upstream.silent = false;
    expect([first.hit, second.hit]).toEqual([false, false]);
    expect((await look(await chat("silent"))).text).toContain("answer");
    expect((await look(await chat("silent"))).hit).toBe(true);
  });

  test("a long answer", async () => {
    upstream.filler = "x".repeat(1024 * 1024);
    for (const stream of [false, true]) {
      await look(await chat(`long ${stream}`, { stream }));
      expect((await look(await chat(`long ${stream}`, { stream }))).hit).toBe(false);
    }
    upstream.filler = "";
  });
});

describe("a stream", () => {
  test.each([{}, { stream_options: { include_usage: true } }])(
    "is given again byte for byte, as a stream: %j",
    async (fields) => {
      const name = `stream ${JSON.stringify(fields)}`;
      const first = await look(await chat(name, { stream: true, ...fields }));
      const response = await chat(name, { stream: true, ...fields });
      expect(response.headers.get("content-type")).toBe("text/event-stream; charset=utf-8");
      const second = await look(response);
      expect([second.hit, second.text]).toEqual([true, first.text]);
      expect(second.text).toContain("grüße");
      expect(second.text).toEndWith("data: [DONE]\n\n");
      expect(second.text.includes('"usage"')).toBe("stream_options" in fields);
      expect(await books.last()).toMatchObject({ cacheHit: true, stream: true, promptTokens: 10, completionTokens: 5 });
      expect((await look(await chat(name, fields))).hit).toBe(false);
    },
  );

  test("whose reader leaves at the last frame is kept all the same", async () => {
    const response = await chat("last frame", { stream: true });
    const reader = (response.body as ReadableStream<Uint8Array>).getReader();
    let text = "";
    while (!text.includes("[DONE]")) text += Buffer.from((await reader.read()).value ?? []).toString();
    await reader.cancel();
    expect(await look(await chat("last frame", { stream: true }))).toMatchObject({ hit: true, text });
  });

  test("that broke off, or was left, is not kept", async () => {
    upstream.cut = true;
    expect((await look(await chat("cut", { stream: true }))).text).not.toContain("[DONE]");
    upstream.cut = false;
    expect((await look(await chat("cut", { stream: true }))).hit).toBe(false);
    const { promise, resolve } = Promise.withResolvers<void>();
    upstream.streamGate = promise;
    const left = await chat("left", { stream: true });
    const reader = (left.body as ReadableStream<Uint8Array>).getReader();
    await reader.read();
    await reader.cancel();
    resolve();
    upstream.streamGate = null;
    expect((await look(await chat("left", { stream: true }))).hit).toBe(false);
  });
});
