import { afterAll, describe, expect, test } from "bun:test";
import { RedisIndex } from "../../src/cache/redis-index.ts";
import { RedisStore } from "../../src/cache/redis-store.ts";
import { unitVector } from "../../src/cache/semantic-index.ts";
import { Redis } from "../../src/lib/redis.ts";
import { startRedis } from "../services/redis.ts";
import { newAnswer } from "./new-answer.ts";

const server = await startRedis();
if (!server) throw new Error("Neither Redis nor Valkey is installed.");
const redis = new Redis(server.url);
await redis.start();
afterAll(async () => {
  redis.close();
  await server.stop();
});
const KEY = new Uint8Array(32).fill(7);
const faults: unknown[] = [];
const newStore = (prefix: string, key = KEY, nowMs = () => 0) =>
  new RedisStore(redis, prefix, key, nowMs, (fault) => faults.push(fault));

describe("answers on Redis", () => {
  test("come back as they were, until their time is over", async () => {
    let now = 0;
    const store = newStore("t1:", KEY, () => now);
    const answer = newAnswer({ expiresAtMs: 60_000 });
    await store.keep("ns:abc", answer);
    expect(await store.find("ns:abc")).toEqual(answer);
    expect(await store.find("other")).toBeNull();
    expect(Number(await redis.send("PTTL", ["t1:ns:abc"]))).toBeGreaterThan(1);
    now = 60_000;
    expect(await store.find("ns:abc")).toBeNull();
  });

  test("cannot be read there, nor opened under another key or by another installation", async () => {
    const store = newStore("t2:");
    await store.keep("a", newAnswer({ body: "very private" }));
    const raw = String(await redis.send("GET", ["t2:a"]));
    expect(raw).not.toContain("private");
    expect(Buffer.from(raw.split(".")[1] ?? "", "base64url").toString("latin1")).not.toContain("private");
    await redis.send("SET", ["t2:b", raw]);
    expect(await store.find("b")).toBeNull();
    expect(await newStore("t2:", new Uint8Array(32).fill(8)).find("a")).toBeNull();
    await redis.send("SET", ["t2:c", "nonsense"]);
    expect(await store.find("c")).toBeNull();
    expect(faults).toHaveLength(3);
  });

  test("are counted and removed without those of others", async () => {
    const [store, other] = [newStore("t*:"), newStore("t3:")];
    for (let at = 0; at < 1_200; at++) await store.keep(`k${at}`, newAnswer());
    await other.keep("k1", newAnswer());
    expect(await store.size()).toEqual({ entries: 1_200, bytes: null, evicted: 0 });
    expect(await store.delete(["k1", "k2", "none"])).toBe(2);
    expect(await store.delete([])).toBe(0);
    expect(await store.clear()).toBe(1_198);
    expect(await store.find("k3")).toBeNull();
    expect(await other.find("k1")).not.toBeNull();
    await store.ping();
    expect(await store.info()).toMatchObject({ role: "master", tcp_port: new URL(server.url).port });
  });

  test("are just not there while Redis is away", async () => {
    const away = { connected: false, send: async () => Promise.reject(new Error("must not be asked")) };
    const lost = { connected: true, send: async () => Promise.reject(new Error("lost")) };
    for (const link of [away, lost]) {
      const told: unknown[] = [];
      const store = new RedisStore(
        link,
        "x:",
        KEY,
        () => 0,
        (fault) => told.push(fault),
      );
      const index = new RedisIndex(
        link,
        "y:",
        KEY,
        () => 1_000,
        (fault) => told.push(fault),
      );
      expect(await store.find("a")).toBeNull();
      await store.keep("a", newAnswer());
      expect(await index.nearest("b", new Float32Array([1]))).toBeNull();
      await index.add("b", "a", new Float32Array([1]));
      expect(told).toHaveLength(link.connected ? 4 : 0);
    }
  });
});

describe("vectors on Redis", () => {
  test("are found by meaning, the newest so many of a bucket", async () => {
    const index = new RedisIndex(
      redis,
      "v1:",
      KEY,
      () => 60_000,
      (fault) => faults.push(fault),
    );
    const vector = (...numbers: number[]) => unitVector(numbers) as Float32Array;
    await index.add("b", "east", vector(1, 0, 0));
    await index.add("b", "north", vector(0, 1, 0));
    const near = await index.nearest("b", vector(1, 0.1, 0));
    expect(near?.key).toBe("east");
    expect(near?.similarity).toBeCloseTo(1 / Math.hypot(1, 0.1), 5);
    expect(await index.nearest("c", vector(1, 0, 0))).toBeNull();
    for (let at = 0; at < 127; at++) await index.add("b", `k${at}`, vector(0, 0, 1));
    expect(Number(await redis.send("LLEN", ["v1:b"]))).toBe(128);
    expect((await index.nearest("b", vector(1, 0, 0)))?.key).not.toBe("east");
    expect(Number(await redis.send("PTTL", ["v1:b"]))).toBeGreaterThan(1);
    await index.clear();
    expect(await index.nearest("b", vector(1, 0, 0))).toBeNull();
  });

  test("are found beside what is not ours", async () => {
    const told: unknown[] = [];
    const index = new RedisIndex(
      redis,
      "v2:",
      KEY,
      () => 60_000,
      (fault) => told.push(fault),
    );
    const east = unitVector([1, 0]) as Float32Array;
    await redis.send("LPUSH", ["v2:b", "nonsense"]);
    await index.add("b", "east", east);
    await redis.send("LPUSH", ["v2:b", "v1.AAAA"]);
    expect(await index.nearest("b", east)).toMatchObject({ key: "east" });
    expect(told).toHaveLength(2);
  });
});
