import { afterEach, expect, test } from "bun:test";
import { type AddressInfo, createServer } from "node:net";
import { Redis, RedisAway } from "../../src/lib/redis.ts";
import type { Timers } from "../../src/lib/timers.ts";
import { rejection } from "../storage/rejection.ts";
import { findRedis, type RedisServer, startRedis } from "./redis.ts";

const installed = findRedis() !== null;
if (!installed) console.log("skip: neither redis-server nor valkey-server is installed");

let servers: RedisServer[] = [];
let links: Redis[] = [];

afterEach(async () => {
  for (const link of links) link.close();
  await Promise.all(servers.map((server) => server.stop()));
  links = [];
  servers = [];
});

async function serve(formerUrl?: string): Promise<RedisServer> {
  const server = await startRedis(formerUrl);
  if (server === null) throw new Error("found, yet not started");
  servers.push(server);
  return server;
}

/** A link, and what it told: each entry of `next` is waited for, never slept for. */
async function link(url: string): Promise<{ redis: Redis; next(): Promise<string> }> {
  const told: string[] = [];
  let wake = (): void => undefined;
  const tell = (what: string): void => {
    told.push(what);
    wake();
  };
  const redis = new Redis(url, { listener: { connected: () => tell("connected"), lost: () => tell("lost") } });
  links.push(redis);
  await redis.start();
  return {
    redis,
    async next() {
      while (told.length === 0) await new Promise<void>((resolve) => (wake = resolve));
      return told.shift() as string;
    },
  };
}

test.skipIf(!installed)("commands are answered, and an error of the server is told as its own", async () => {
  const { redis } = await link((await serve()).url);
  expect(redis.connected).toBe(true);
  expect(await redis.send("SET", ["a", "1"])).toBe("OK");
  expect(await redis.send("GET", ["a"])).toBe("1");
  const error = await rejection(redis.send("LPUSH", ["a", "x"]));
  expect(error).not.toBeInstanceOf(RedisAway);
  expect((error as Error).message).toContain("WRONGTYPE");
});

test.skipIf(!installed)("a server that is gone is refused at once and found again when it is back, empty", async () => {
  const server = await serve();
  const { redis, next } = await link(server.url);
  expect(await next()).toBe("connected");
  await redis.send("SET", ["a", "1"]);
  const waiting = rejection(redis.send("BLPOP", ["nothing", "0"]));
  await server.stop();
  expect(await waiting).toBeInstanceOf(RedisAway);
  expect(await next()).toBe("lost");
  expect(redis.connected).toBe(false);
  expect(await rejection(redis.send("GET", ["a"]))).toBeInstanceOf(RedisAway);

  await serve(server.url);
  expect(await next()).toBe("connected");
  expect(await redis.send("GET", ["a"])).toBe(null);
});

test.skipIf(!installed)("a server that stops answering is given up, and found again when it goes on", async () => {
  const server = await serve();
  const { redis, next } = await link(server.url);
  expect(await next()).toBe("connected");
  server.pause();
  const both = [rejection(redis.send("PING", [])), rejection(redis.send("PING", []))];
  for (const error of await Promise.all(both)) expect(error).toBeInstanceOf(RedisAway);
  expect(await next()).toBe("lost");
  server.resume();
  expect(await next()).toBe("connected");
  expect(await redis.send("PING", [])).toBe("PONG");
});

/** Speaks as much of Redis as it takes, and answers one command of two. */
async function startFallingBehind(): Promise<{ readonly url: string; stop(): void }> {
  let commands = 0;
  const server = createServer((socket) => {
    socket.on("error", () => undefined);
    socket.on("data", (data) => {
      for (const [name] of data.toString().matchAll(/HELLO|PING/g)) {
        if (name === "HELLO") socket.write("%1\r\n$6\r\nserver\r\n$5\r\nredis\r\n");
        else if (++commands % 2 === 0) socket.write("+PONG\r\n");
      }
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return { url: `redis://127.0.0.1:${(server.address() as AddressInfo).port}`, stop: () => server.close() };
}

test("a server that answers all the time, but falls behind, is given up", async () => {
  const server = await startFallingBehind();
  let look = (): void => undefined;
  const timers: Timers = {
    after(_, work) {
      look = work;
      return () => undefined;
    },
  };
  const redis = new Redis(server.url, { timers });
  links.push(redis);
  await redis.start();
  const answers: Promise<unknown>[] = [];
  const ping = (): void => void answers.push(redis.send("PING", []).catch((error: unknown) => error));
  for (let looks = 0; looks < 20 && redis.connected; looks++) {
    ping();
    ping();
    expect(await answers[looks]).toBe("PONG");
    look();
  }
  expect(redis.connected).toBe(false);
  expect(await answers.at(-1)).toBeInstanceOf(RedisAway);
  server.stop();
});

test.skipIf(!installed)("a server that is not there yet at the start is found when it comes", async () => {
  const server = await serve();
  await server.stop();
  const { redis, next } = await link(server.url);
  expect(redis.connected).toBe(false);
  expect(await next()).toBe("lost");
  await serve(server.url);
  expect(await next()).toBe("connected");
  expect(await redis.send("PING", [])).toBe("PONG");
});

test.skipIf(!installed)("a closed link stays closed, and is no loss to tell of", async () => {
  const server = await serve();
  const told: string[] = [];
  const later: number[] = [];
  const redis = new Redis(server.url, {
    listener: { connected: () => void told.push("connected"), lost: () => void told.push("lost") },
    timers: {
      after(ms) {
        later.push(ms);
        return () => undefined;
      },
    },
  });
  links.push(redis);
  await redis.start();
  const watching = later.length;
  redis.close();
  await Bun.sleep(0);
  expect(told).toEqual(["connected"]);
  expect(later).toHaveLength(watching);
  expect(redis.connected).toBe(false);
  expect(await rejection(redis.send("PING", []))).toBeInstanceOf(RedisAway);
});
