import { afterAll, describe, expect, test } from "bun:test";
import { MASTER_KEY } from "../app.ts";
import { startRedis } from "../services/redis.ts";
import { look, startCachedApp } from "./cached-app.ts";

const redis = await startRedis();
if (!redis) throw new Error("Neither Redis nor Valkey is installed.");
const local = await startCachedApp();
const onRedis = await startCachedApp({ type: "redis", host: "127.0.0.1", port: Number(new URL(redis.url).port) });
const off = await startCachedApp({}, { litellm_settings: { cache: false } });
afterAll(async () => {
  for (const place of [local, onRedis, off]) await place.close();
  await redis.stop();
});

describe.each([
  ["in memory", local],
  ["on Redis", onRedis],
])("an operator of a cache %s", (where, { app, chat }) => {
  const call = async (path: string, json?: object) => {
    const response = await app.call(path, { key: MASTER_KEY, ...(json ? { json } : {}) });
    return { status: response.status, body: (await response.json()) as Record<string, unknown> };
  };
  const post = async (path: string) => {
    const response = await app.call(path, { key: MASTER_KEY, method: "POST" });
    return (await response.json()) as Record<string, unknown>;
  };

  test("asks whether it works", async () => {
    const { status, body } = await call("/cache/ping");
    expect(status).toBe(200);
    expect(body).toMatchObject({ status: "healthy", cache_type: where === "in memory" ? "local" : "redis" });
  });

  test("forgets answers by their keys", async () => {
    await look(await chat("one"));
    await look(await chat("two"));
    const { key } = await look(await chat("one"));
    expect((await call("/cache/delete", { keys: [key, "0".repeat(64)] })).body).toEqual({
      status: "success",
      deleted: 1,
    });
    expect((await look(await chat("one"))).hit).toBe(false);
    expect((await look(await chat("two"))).hit).toBe(true);
    for (const keys of [[], ["*"], ["../x"], "all"]) expect((await call("/cache/delete", { keys })).status).toBe(422);
  });

  test.each(["/cache/flushall", "/api/admin/cache/flush"])(
    "forgets everything with %s, and the audit log has it",
    async (path) => {
      await look(await chat("all"));
      const before = (await call("/api/admin/cache")).body.entries as number;
      expect(before).toBeGreaterThan(0);
      const flushed = await post(path);
      expect(flushed.deleted ?? flushed.entries).toBe(before);
      expect((await call("/api/admin/cache")).body.entries).toBe(0);
      expect((await look(await chat("all"))).hit).toBe(false);
      const audit = (await call("/api/admin/audit-logs?action=cache.flush")).body.data as object[];
      expect(audit[0]).toMatchObject({
        action: "cache.flush",
        actor: "master_key",
        targetType: "cache",
        details: { entries: before },
      });
    },
  );

  test("sees how it does, here and in the metrics", async () => {
    const { body } = await call("/api/admin/cache");
    expect(body).toMatchObject({
      enabled: true,
      mode: "default_on",
      scope: "organization",
      namespace: null,
      ttlSeconds: 600,
      hitPricePercent: 0,
      semantic: null,
    });
    const text = await (await app.call("/metrics", { key: MASTER_KEY })).text();
    expect(text).toContain(`turnpike_cache_hits ${body.hits}`);
    expect(text).toContain(`turnpike_cache_misses ${body.misses}`);
    expect(text.includes("turnpike_cache_bytes")).toBe(where === "in memory");
  });
});

test("what Redis tells of itself is told only where it is used", async () => {
  const info = await onRedis.app.call("/cache/redis/info", { key: MASTER_KEY });
  expect(await info.json()).toMatchObject({ num_clients: expect.any(Number), info: { role: "master" } });
  expect((await local.app.call("/cache/redis/info", { key: MASTER_KEY })).status).toBe(400);
});

test("a cache that is off says so", async () => {
  expect((await off.app.call("/cache/ping", { key: MASTER_KEY })).status).toBe(503);
  expect(await (await off.app.call("/api/admin/cache", { key: MASTER_KEY })).json()).toMatchObject({
    enabled: false,
    hitRate: null,
  });
});
