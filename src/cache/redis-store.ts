import { isRecord } from "../lib/json.ts";
import { seal, unseal } from "../lib/seal.ts";
import type { AnswerStore, CachedResponse, StoreSize } from "./cached-response.ts";
import { clearKeys, type RedisLink, scanKeys } from "./redis-link.ts";

/** Tells of what went wrong; whoever asked for an answer does without. */
export type TellFault = (fault: unknown) => void;

/**
 * Answers on Redis, shared by all processes of an installation: under its own prefix, and sealed with its key, so that who can
 * read or write there can neither read answers nor slip some in.
 */
export class RedisStore implements AnswerStore {
  readonly kind = "redis";

  constructor(
    private readonly redis: RedisLink,
    private readonly prefix: string,
    private readonly key: Uint8Array,
    private readonly nowMs: () => number,
    private readonly tell: TellFault,
  ) {}

  async find(key: string): Promise<CachedResponse | null> {
    if (!this.redis.connected) return null;
    try {
      const sealed = await this.redis.send("GET", [this.nameOf(key)]);
      const answer = typeof sealed === "string" ? parse(unseal(this.key, useOf(key), sealed)) : null;
      return answer && answer.expiresAtMs > this.nowMs() ? answer : null;
    } catch (fault) {
      this.tell(fault);
      return null;
    }
  }

  async keep(key: string, answer: CachedResponse): Promise<void> {
    const leftMs = Math.round(answer.expiresAtMs - this.nowMs());
    if (!this.redis.connected || leftMs <= 0) return;
    try {
      const sealed = seal(this.key, useOf(key), render(answer));
      await this.redis.send("SET", [this.nameOf(key), sealed, "PX", String(leftMs)]);
    } catch (fault) {
      this.tell(fault);
    }
  }

  async delete(keys: readonly string[]): Promise<number> {
    if (keys.length === 0) return 0;
    return Number(
      await this.redis.send(
        "UNLINK",
        keys.map((key) => this.nameOf(key)),
      ),
    );
  }

  clear(): Promise<number> {
    return clearKeys(this.redis, this.prefix);
  }

  /** Redis does so by itself. */
  async removeExpired(): Promise<void> {}

  async size(): Promise<StoreSize> {
    let entries = 0;
    for await (const names of scanKeys(this.redis, this.prefix)) entries += names.length;
    return { entries, bytes: null, evicted: 0 };
  }

  async ping(): Promise<void> {
    await this.redis.send("PING", []);
  }

  get connected(): boolean {
    return this.redis.connected;
  }

  async info(): Promise<Readonly<Record<string, string>>> {
    const lines = String(await this.redis.send("INFO", [])).split(/\r?\n/);
    const pairs = lines.filter((line) => /^\w+:/.test(line)).map((line) => line.split(/:(.*)/s).slice(0, 2));
    return Object.fromEntries(pairs as [string, string][]);
  }

  private nameOf(key: string): string {
    return `${this.prefix}${key}`;
  }
}

/** Sealed for its own key: an answer that is moved to another one does not open there. */
const useOf = (key: string): string => `cache:${key}`;

const render = ({ body, ...facts }: CachedResponse): string => JSON.stringify({ ...facts, text: body });

/** What was sealed was ours; another version of the program may have had other fields. */
function parse(json: string): CachedResponse | null {
  const kept: unknown = JSON.parse(json);
  if (!isRecord(kept) || typeof kept.text !== "string" || typeof kept.expiresAtMs !== "number") return null;
  if (!isRecord(kept.units) || typeof kept.keptAtMs !== "number" || typeof kept.group !== "string") return null;
  const { text, ...facts } = kept;
  return { ...facts, body: text } as unknown as CachedResponse;
}
