import { threadFile } from "../../lib/thread-file.ts";
import type { OpenSettings } from "./protocol.ts";
import { WorkerLink } from "./worker-link.ts";

export type SpawnWorker = (role: OpenSettings["role"]) => Worker;

/** Keeps a worker there: a lost one is replaced at the next call. */
export class SupervisedWorker {
  #link: WorkerLink | null = null;

  constructor(
    private readonly settings: OpenSettings,
    private readonly spawn: SpawnWorker,
  ) {}

  /** Begins with it before anybody asks. */
  start(): void {
    this.#link ??= this.#begin();
  }

  async link(): Promise<WorkerLink> {
    const lost = this.#link;
    if (lost !== null && !lost.lost) return lost;
    // The old thread may still hold the file's write lock until it has ended.
    if (lost !== null) await lost.closed;
    if (this.#link === lost) this.#link = this.#begin();
    return this.link();
  }

  async close(): Promise<void> {
    await this.#link?.close();
    this.#link = null;
  }

  #begin(): WorkerLink {
    return new WorkerLink(this.spawn(this.settings.role), this.settings);
  }
}

export function spawnSqliteWorker(role: OpenSettings["role"]): Worker {
  return new Worker(threadFile(import.meta.url, "worker"), { name: `sqlite-${role}` });
}
