import type { Redis } from "../lib/redis.ts";

export type RedisLink = Pick<Redis, "connected" | "send">;

const BATCH = 500;

/** Removes every key that begins so, and says how many there were. */
export async function clearKeys(redis: RedisLink, prefix: string): Promise<number> {
  let cleared = 0;
  for await (const names of scanKeys(redis, prefix)) cleared += Number(await redis.send("UNLINK", names));
  return cleared;
}

/** Every key that begins so, in batches. */
export async function* scanKeys(redis: RedisLink, prefix: string): AsyncGenerator<string[]> {
  let cursor = "0";
  do {
    const found = await redis.send("SCAN", [cursor, "MATCH", `${escaped(prefix)}*`, "COUNT", String(BATCH)]);
    const [next, keys] = found as [string, string[]];
    cursor = String(next);
    if (keys.length > 0) yield keys;
  } while (cursor !== "0");
}

/** In a pattern these would stand for others. */
const escaped = (text: string): string => text.replace(/[*?[\]\\]/g, "\\$&");
