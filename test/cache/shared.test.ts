import { afterEach, describe, expect, test } from "bun:test";
import { MASTER_KEY } from "../app.ts";
import { type RedisServer, startRedis } from "../services/redis.ts";
import { type CachedApp, look, startCachedApp } from "./cached-app.ts";

const places: CachedApp[] = [];
const servers: RedisServer[] = [];
afterEach(async () => {
  for (const place of places.splice(0)) await place.close();
  for (const server of servers.splice(0)) await server.stop();
});

async function newRedis(formerUrl?: string): Promise<RedisServer> {
  const server = await startRedis(formerUrl);
  if (!server) throw new Error("Neither Redis nor Valkey is installed.");
  servers.push(server);
  return server;
}

async function start(url: string, params: object = {}): Promise<CachedApp> {
  const place = await startCachedApp({ type: "redis", ...params }, { general_settings: { redis_url: url } });
  places.push(place);
  return place;
}

const cacheOf = async ({ app }: CachedApp) =>
  (await (await app.call("/api/admin/cache", { key: MASTER_KEY })).json()) as { connected: boolean; entries: number };

describe("a cache on Redis", () => {
  test("is shared by processes", async () => {
    const server = await newRedis();
    // The master key is the one tenant that two fresh installations of a test have in common.
    const options = { key: MASTER_KEY };
    const [one, two] = [await start(server.url), await start(server.url)];
    for (const [index, stream] of [false, true].entries()) {
      const first = await look(await one.chat("shared", { stream }, options));
      while ((await cacheOf(one)).entries <= index) await Bun.sleep(1);
      const second = await look(await two.chat("shared", { stream }, options));
      expect([first.hit, second.hit, second.text]).toEqual([false, true, first.text]);
    }
    expect(two.upstream.count).toBe(0);
    expect(await two.books.last()).toMatchObject({ cacheHit: true, promptTokens: 10, completionTokens: 5 });
    expect(await cacheOf(two)).toMatchObject({ store: "redis", connected: true, entries: 2, bytes: null });
  });

  test("that is away is a miss and never an error, and is used again when it is back", async () => {
    const server = await newRedis();
    const place = await start(server.url);
    await look(await place.chat("a"));
    expect((await look(await place.chat("a"))).hit).toBe(true);
    await server.stop();
    while ((await cacheOf(place)).connected) await Bun.sleep(5);
    for (let at = 0; at < 3; at++) {
      const response = await place.chat("a");
      expect([response.status, (await look(response)).hit]).toEqual([200, false]);
    }
    for (const path of ["/cache/flushall", "/api/admin/cache/flush"]) {
      expect((await place.app.call(path, { method: "POST", key: MASTER_KEY })).status).toBe(503);
    }
    expect((await place.app.call("/cache/ping", { key: MASTER_KEY })).status).toBe(503);
    expect(await cacheOf(place)).toMatchObject({ connected: false, entries: null });
    await newRedis(server.url);
    while (!(await cacheOf(place)).connected) await Bun.sleep(5);
    expect((await look(await place.chat("a"))).hit).toBe(false);
    expect((await look(await place.chat("a"))).hit).toBe(true);
  });

  test("that does not answer holds up no call for long, and fails none", async () => {
    const server = await newRedis();
    const place = await start(server.url);
    server.pause();
    const response = await place.chat("paused");
    expect([response.status, (await look(response)).hit]).toEqual([200, false]);
    server.resume();
  });

  test("that is not there at the start is none", async () => {
    const server = await newRedis();
    await server.stop();
    const place = await start(server.url);
    expect((await place.chat("start")).status).toBe(200);
  });
});
