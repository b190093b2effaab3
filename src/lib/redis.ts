import { RedisClient } from "bun";
import { systemTimers, type Timers } from "./timers.ts";

/** A command that is not answered for this long counts as lost, and the connection with it. */
const ANSWER_WITHIN_MS = 200;
/** Looked at so often in that time: a pause of this process alone is over after two looks. */
const LOOKS = 3;
const CONNECT_WITHIN_MS = 1000;
const RETRY_FIRST_MS = 50;
const RETRY_LAST_MS = 2000;

/** Redis cannot be asked now. Whoever gets this does without it; the connection comes back by itself. */
export class RedisAway extends Error {
  override readonly name = "RedisAway";

  constructor(cause?: unknown) {
    super("Redis is away", { cause });
  }
}

export interface RedisListener {
  /** The first connection and each one after a loss. */
  connected?(): void;
  /** Once for each loss, and once when the first connection fails. */
  lost?(cause: unknown): void;
}

export interface RedisOptions {
  readonly listener?: RedisListener;
  readonly timers?: Timers;
  readonly answerWithinMs?: number;
}

/**
 * One connection for the whole process. Nothing waits for it: while it is away each command is refused at once, and one
 * that a stopped server does not answer is refused after a short while together with all others that wait.
 */
export class Redis {
  private client: RedisClient | null = null;
  private state: "new" | "up" | "away" | "closed" = "new";
  private retryMs = RETRY_FIRST_MS;
  private sent = 0;
  private answered = 0;
  private readonly timers: Timers;
  private readonly watchEveryMs: number;
  private readonly listener: RedisListener;

  constructor(
    private readonly url: string,
    options: RedisOptions = {},
  ) {
    this.timers = options.timers ?? systemTimers;
    this.watchEveryMs = (options.answerWithinMs ?? ANSWER_WITHIN_MS) / LOOKS;
    this.listener = options.listener ?? {};
  }

  get connected(): boolean {
    return this.state === "up";
  }

  /** Resolves after the first try, whether Redis is there or not; from then on it is tried until it is. */
  async start(): Promise<void> {
    await this.connect();
  }

  /** Rejects with `RedisAway`, or with the server's own error when it answered with one. */
  async send(command: string, args: readonly string[]): Promise<unknown> {
    const { client } = this;
    if (client === null || this.state !== "up") throw new RedisAway();
    this.sent++;
    try {
      return await client.send(command, args as string[]);
    } catch (error) {
      throw isServerError(error) ? error : new RedisAway(error);
    } finally {
      if (client === this.client) this.answered++;
    }
  }

  close(): void {
    this.state = "closed";
    const { client } = this;
    // First: its end is nobody's loss, and nothing to connect again after.
    this.client = null;
    client?.close();
  }

  private async connect(): Promise<void> {
    // What Bun's client would do by itself is done here, where a server that is stopped counts as lost too.
    const client = new RedisClient(this.url, {
      autoReconnect: false,
      enableOfflineQueue: false,
      connectionTimeout: CONNECT_WITHIN_MS,
    });
    this.client = client;
    this.sent = 0;
    this.answered = 0;
    client.onclose = (cause) => this.lose(client, cause);
    try {
      await client.connect();
    } catch (cause) {
      this.lose(client, cause);
      return;
    }
    if (client !== this.client) return;
    this.state = "up";
    this.retryMs = RETRY_FIRST_MS;
    this.watch(client);
    this.listener.connected?.();
  }

  /**
   * `due` commands had been sent two looks ago, `sent` at the last one. Answers come in order, so that a server which answers
   * all the time, but each command later than the one before, is found out too.
   */
  private watch(client: RedisClient, due = 0, sent = 0): void {
    this.timers.after(this.watchEveryMs, () => {
      if (client !== this.client) return;
      if (this.answered < due) this.lose(client, new Error("no answer in time"));
      else this.watch(client, sent, this.sent);
    });
  }

  private lose(client: RedisClient, cause: unknown): void {
    if (client !== this.client) return;
    this.client = null;
    if (this.state !== "away") this.listener.lost?.(cause);
    this.state = "away";
    client.close();
    this.timers.after(this.retryMs, () => {
      if (this.state === "away") void this.connect();
    });
    this.retryMs = Math.min(RETRY_LAST_MS, this.retryMs * 2);
  }
}

function isServerError(error: unknown): boolean {
  return error instanceof Error && "code" in error && error.code === "ERR_REDIS_SERVER_ERROR";
}
