import { type Frame, Link } from "../lib/link.ts";

type ArgsOf<T, M extends keyof T> = T[M] extends (...args: infer A) => unknown ? A : never;

/**
 * The other workers of this server. What one of them has to tell to all goes through here, so that whoever changes something
 * in one finds it changed in every one.
 */
export interface WorkerBus {
  /** Work that, whenever it is done here, is done in the other workers too; `told` makes its arguments fit for JSON. */
  broadcast<A extends unknown[], R>(
    topic: string,
    work: (...args: A) => R,
    told?: (...args: A) => readonly unknown[],
  ): (...args: A) => R;
  /** The same for a method of an object: from now on it does its work everywhere. */
  broadcastMethod<T extends object, M extends keyof T>(
    topic: string,
    target: T,
    method: M,
    told?: (...args: ArgsOf<T, M>) => readonly unknown[],
  ): void;
  /** Resolves when all that was done everywhere up to now is done in the other workers. Never throws. */
  told(): Promise<void>;
  /** Answers to `collect` of the others. */
  give<T>(topic: string, read: () => T | Promise<T>): void;
  /** What each of the others gives; one that does not answer is left out. */
  collect<T>(topic: string): Promise<readonly T[]>;
}

/** Of a process without workers beside it. */
export const SINGLE_PROCESS: WorkerBus = {
  broadcast: (_, work) => work,
  broadcastMethod: () => undefined,
  told: async () => undefined,
  give: () => undefined,
  collect: async () => [],
};

/** How long the others may take; one that takes longer cannot answer calls either. */
export const ACK_TIMEOUT_MS = 2_000;

/** The name under which the supervisor passes something on to all other workers. */
export const BROADCAST = "spread";

export class LinkedSiblings implements WorkerBus {
  private readonly open = new Set<Promise<unknown>>();

  constructor(private readonly link: Link) {}

  broadcast<A extends unknown[], R>(
    topic: string,
    work: (...args: A) => R,
    told: (...args: A) => readonly unknown[] = (...args) => args,
  ): (...args: A) => R {
    this.link.on(topic, async (...args: never[]) => {
      // What it throws is the business of whoever asked, who had it thrown there as well.
      await Promise.try(work, ...(args as unknown as A)).catch(() => undefined);
    });
    return (...args) => {
      this.tell(topic, told(...args));
      return work(...args);
    };
  }

  broadcastMethod<T extends object, M extends keyof T>(
    topic: string,
    target: T,
    method: M,
    told?: (...args: ArgsOf<T, M>) => readonly unknown[],
  ): void {
    const own = (target[method] as (...args: unknown[]) => unknown).bind(target);
    const mirrored = this.broadcast(topic, own, told as ((...args: unknown[]) => readonly unknown[]) | undefined);
    target[method] = mirrored as T[M];
  }

  async told(): Promise<void> {
    await Promise.all(this.open);
  }

  give<T>(topic: string, read: () => T | Promise<T>): void {
    this.link.on(topic, read);
  }

  async collect<T>(topic: string): Promise<readonly T[]> {
    // Longer than the supervisor waits for each: one that stands still must not take the others' answers with it.
    return this.link.call<readonly T[]>(BROADCAST, [topic, []], 2 * ACK_TIMEOUT_MS).catch(() => []);
  }

  private tell(topic: string, args: readonly unknown[]): void {
    const done: Promise<unknown> = this.link
      .call(BROADCAST, [topic, args], 2 * ACK_TIMEOUT_MS)
      .catch(() => undefined)
      .finally(() => this.open.delete(done));
    this.open.add(done);
  }
}

/** The link of this process to the supervisor that started it. */
export function linkToSupervisor(): Link {
  const link = new Link({ send: (frames) => void process.send?.(frames) });
  process.on("message", (frames: readonly Frame[]) => link.receive(frames));
  process.on("disconnect", () => link.close("the supervisor is gone"));
  return link;
}
