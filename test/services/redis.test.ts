import { expect, test } from "bun:test";
import { RedisClient } from "bun";
import { findRedis, startRedis } from "./redis.ts";

const installed = findRedis() !== null;
if (!installed) console.log("skip: neither redis-server nor valkey-server is installed");

test.skipIf(!installed)("a private Redis answers, keeps a value, and is gone once stopped", async () => {
  const redis = await startRedis();
  if (redis === null) throw new Error("found, yet not started");
  const client = new RedisClient(redis.url);
  expect(await client.send("PING", [])).toBe("PONG");
  await client.set("lease", "42");
  expect(await client.get("lease")).toBe("42");
  client.close();

  await redis.stop();
  const late = new RedisClient(redis.url, { autoReconnect: false, connectionTimeout: 2000 });
  await expect(late.connect()).rejects.toThrow();
});

test.skipIf(!installed)("two private servers do not see each other", async () => {
  const [first, second] = await Promise.all([startRedis(), startRedis()]);
  if (first === null || second === null) throw new Error("found, yet not started");
  expect(first.url).not.toBe(second.url);
  await Promise.all([first.stop(), second.stop()]);
});
