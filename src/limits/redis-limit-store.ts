import type { Redis } from "../lib/redis.ts";
import type { AcquireReply, Change, LimitRequest, LimitStore, SyncReply } from "./limit-store.ts";
import { namesOf, type Script, TAKE, TELL } from "./scripts.ts";

export interface RedisHouseOptions {
  readonly redis: Pick<Redis, "connected" | "send">;
  /** The same for all processes that count together, and for no others. */
  readonly installation: string;
  /** Of tests; else Redis's own time counts. */
  readonly redisTime?: () => number;
}

/** Limits in Redis, each question one script. */
export class RedisLimitStore implements LimitStore {
  private readonly names: ReturnType<typeof namesOf>;

  constructor(private readonly options: RedisHouseOptions) {
    this.names = namesOf(options.installation);
  }

  get connected(): boolean {
    return this.options.redis.connected;
  }

  async take(process: string, asks: readonly LimitRequest[]): Promise<AcquireReply> {
    const args = asks.flatMap(({ counted, limit, amount, running }) => [
      counted,
      String(limit),
      String(amount),
      String(running),
    ]);
    const reply = await this.run(TAKE, process, asks, args);
    const [epoch, now, admitted, ...numbers] = reply as [string, number, number, ...number[]];
    const every = (offset: number): number[] => numbers.filter((_, index) => index % 3 === offset);
    return { epoch, now, admitted: admitted === 1, used: every(0), waits: every(1), resets: every(2) };
  }

  async tell(process: string, changes: readonly Change[]): Promise<SyncReply> {
    const args = changes.flatMap(({ at, amount }) => [String(at), String(amount)]);
    const [epoch, now, processes] = (await this.run(TELL, process, changes, args)) as [string, number, number];
    return { epoch, now, processes };
  }

  leave(process: string): Promise<unknown> {
    return this.options.redis.send("ZREM", [this.names.processes, process]);
  }

  private async run(
    script: Script,
    process: string,
    limits: readonly { readonly id: string }[],
    args: readonly string[],
  ): Promise<unknown> {
    const { redis, redisTime } = this.options;
    const time = redisTime ? String(redisTime()) : "";
    const { processes, epoch } = this.names;
    const keys = limits.map(({ id }) => this.names.ofMeter(id));
    const rest = [String(keys.length + 2), processes, epoch, ...keys, time, process, ...args];
    try {
      return await redis.send("EVALSHA", [script.sha, ...rest]);
    } catch (error) {
      if (!(error instanceof Error && error.message.includes("NOSCRIPT"))) throw error;
      return redis.send("EVAL", [script.text, ...rest]);
    }
  }
}
