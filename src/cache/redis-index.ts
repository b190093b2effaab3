import { seal, unseal } from "../lib/seal.ts";
import { clearKeys, type RedisLink } from "./redis-link.ts";
import type { TellFault } from "./redis-store.ts";
import { type Nearest, nearestOf, type SemanticIndex } from "./semantic-index.ts";

/** Each look fetches the whole bucket, so it is a short one: the newest so many. */
const PER_BUCKET_MAX = 128;

/** Vectors on Redis, one list for each bucket, sealed as the answers are: a vector tells much of its text. */
export class RedisIndex implements SemanticIndex {
  constructor(
    private readonly redis: RedisLink,
    private readonly prefix: string,
    private readonly key: Uint8Array,
    private readonly ttlMs: () => number,
    private readonly tell: TellFault,
  ) {}

  async nearest(bucket: string, vector: Float32Array): Promise<Nearest | null> {
    if (!this.redis.connected) return null;
    try {
      const rows = (await this.redis.send("LRANGE", [this.nameOf(bucket), "0", "-1"])) as string[];
      return nearestOf(this.readable(bucket, rows), vector);
    } catch (fault) {
      this.tell(fault);
      return null;
    }
  }

  async add(bucket: string, key: string, vector: Float32Array): Promise<void> {
    if (!this.redis.connected) return;
    try {
      const name = this.nameOf(bucket);
      await this.redis.send("LPUSH", [name, seal(this.key, useOf(bucket), render(key, vector))]);
      await this.redis.send("LTRIM", [name, "0", String(PER_BUCKET_MAX - 1)]);
      await this.redis.send("PEXPIRE", [name, String(Math.max(1, Math.round(this.ttlMs())))]);
    } catch (fault) {
      this.tell(fault);
    }
  }

  async remove(bucket: string, { row }: Pick<Nearest, "row">): Promise<void> {
    if (!this.redis.connected || row === undefined) return;
    try {
      await this.redis.send("LREM", [this.nameOf(bucket), "0", row]);
    } catch (fault) {
      this.tell(fault);
    }
  }

  async clear(): Promise<void> {
    await clearKeys(this.redis, this.prefix);
  }

  /** A row that is not ours is left out: the others are as good as before. */
  private *readable(bucket: string, rows: readonly string[]): Generator<readonly [string, Float32Array, string]> {
    for (const row of rows) {
      let opened: string;
      try {
        opened = unseal(this.key, useOf(bucket), row);
      } catch (fault) {
        this.tell(fault);
        continue;
      }
      yield [...parse(opened), row];
    }
  }

  private nameOf(bucket: string): string {
    return `${this.prefix}${bucket}`;
  }
}

const useOf = (bucket: string): string => `cache-near:${bucket}`;

const render = (key: string, vector: Float32Array): string =>
  `${Buffer.from(vector.buffer, vector.byteOffset, vector.byteLength).toString("base64")} ${key}`;

function parse(row: string): readonly [string, Float32Array] {
  const blank = row.indexOf(" ");
  const bytes = Uint8Array.from(Buffer.from(row.slice(0, blank), "base64"));
  return [row.slice(blank + 1), new Float32Array(bytes.buffer, 0, Math.floor(bytes.byteLength / 4))];
}
