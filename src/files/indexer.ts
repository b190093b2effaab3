import { isDatabaseAway } from "../contract/database-away.ts";
import type { Clock } from "../lib/clock.ts";
import { newId } from "../lib/ids.ts";
import { isHeld, LEASE_MS, LeaseGrace } from "../lib/leased-task-runner.ts";
import type { Logger } from "../lib/log.ts";
import { retryUntil } from "../lib/retry-until.ts";
import type { BlobStore } from "./blobs/blob-store.ts";
import { ReadingInterrupted, readFile, UnreadableFile } from "./reading/read-file.ts";
import type { ReadingQueue } from "./reading/reading-queue.ts";
import type { StoreEntry } from "./records.ts";
import type { FileStores, NewPassage } from "./store.ts";

export interface IndexerDeps {
  readonly stores: FileStores;
  readonly blobs: BlobStore;
  /** Vectors of texts, by the model of a store and in the name of the key that added the file. */
  readonly embed: (
    entry: StoreEntry,
    texts: readonly string[],
    signal: AbortSignal,
  ) => Promise<readonly Float32Array[]>;
  /** Where documents wait for their reader. */
  readonly reading: ReadingQueue;
  /** Why a file could not be embedded, in words for its owner. */
  readonly explain: (thrown: unknown) => string;
  readonly clock: Clock;
  readonly log: Logger;
}

const NOBODYS = { leaseOwner: null, leaseUntil: null } as const;
/** How often a file is begun before it is given up. */
const ATTEMPTS_MAX = 3;
const DUE_MAX = 20;
/** Texts in one call of an embedding model. */
const BATCH = 64;
/** Organizations whose files are read and embedded at the same time. */
const AT_ONCE = 3;

/** Deleted, cancelled, or taken by another meanwhile. */
class LostEntry extends Error {}

/** The place where the bytes lie does not answer. */
class BlobsAway extends Error {}

interface RunningEntry {
  readonly tenant: string;
  readonly aborter: AbortController;
  readonly ended: Promise<void>;
}

/** Entries of earlier versions do not name their organization. */
const tenantOf = ({ organizationId, keyId }: StoreEntry): string => organizationId ?? keyId;

/** Reads files that were put into vector stores: text, passages, vectors. By one process each, and on by another if need be. */
export class Indexer {
  readonly owner = newId();
  private readonly running = new Map<string, RunningEntry>();
  /** Those of the running whose lease is ours: what is only about to be taken can be renewed by nobody, and is not lost. */
  private readonly taken = new Set<string>();
  private readonly waiting: StoreEntry[] = [];
  /** How often the reading of an entry was interrupted. */
  private readonly interruptions = new Map<string, number>();
  /** The number of each organization's last turn, while files wait. */
  private readonly turns = new Map<string, number>();
  private turnsHad = 0;
  private ticking: Promise<void> | null = null;
  private stopped = false;
  private failing = false;
  private readonly grace: LeaseGrace;

  constructor(private readonly deps: IndexerDeps) {
    this.grace = new LeaseGrace(deps.clock);
  }

  /** Until when an entry that is put in now is this process's. */
  lease(): Pick<StoreEntry, "leaseOwner" | "leaseUntil"> {
    return { leaseOwner: this.owner, leaseUntil: this.deps.clock.nowMs() + LEASE_MS };
  }

  start(entries: readonly StoreEntry[]): void {
    if (this.stopped) return;
    for (const entry of entries) this.waiting.push(entry);
    this.next();
  }

  /** Resolves when nothing waits and nothing is being read here. */
  async idle(): Promise<void> {
    while (this.running.size > 0) await Promise.all([...this.running.values()].map(({ ended }) => ended));
  }

  /** Called every second. Never throws. */
  tick(): Promise<void> {
    this.ticking ??= this.look().finally(() => {
      this.ticking = null;
    });
    return this.ticking;
  }

  /** Somebody else of this process could not ask the database. */
  databaseWasAway(): void {
    this.grace.failed();
  }

  /** What is not read yet is left for others to begin at once. */
  async stop(): Promise<void> {
    this.stopped = true;
    this.waiting.length = 0;
    for (const { aborter } of this.running.values()) aborter.abort();
    await this.idle();
    const { stores, log } = this.deps;
    await stores.entries
      .release(this.owner)
      .catch((err) => log.warn({ err }, "files that wait to be read are left until their lease is over"));
  }

  private next(): void {
    while (this.running.size < AT_ONCE) {
      const entry = this.takeWaiting();
      if (!entry) return;
      const aborter = new AbortController();
      const ended = this.carryOut(entry, aborter.signal).finally(() => {
        this.running.delete(entry.id);
        this.taken.delete(entry.id);
        if (!this.waiting.includes(entry)) this.interruptions.delete(entry.id);
        this.next();
      });
      this.running.set(entry.id, { tenant: tenantOf(entry), aborter, ended });
    }
  }

  /** The first file of the organization whose turn is longest ago. One whose file is being read waits. */
  private takeWaiting(): StoreEntry | undefined {
    const busy = new Set([...this.running.values()].map(({ tenant }) => tenant));
    const turnOf = (entry: StoreEntry): number => this.turns.get(tenantOf(entry)) ?? 0;
    let first: StoreEntry | undefined;
    for (const entry of this.waiting) {
      if (busy.has(tenantOf(entry))) continue;
      if (first === undefined || turnOf(entry) < turnOf(first)) first = entry;
    }
    if (first === undefined) return undefined;
    this.waiting.splice(this.waiting.indexOf(first), 1);
    this.turns.set(tenantOf(first), ++this.turnsHad);
    if (this.waiting.length === 0) this.turns.clear();
    return first;
  }

  private async look(): Promise<void> {
    const { stores, clock, log } = this.deps;
    try {
      const mayLive = this.grace.isOn();
      const now = clock.nowMs();
      if (this.running.size + this.waiting.length > 0) {
        const taken = [...this.taken];
        const ids = [...taken, ...this.waiting.map(({ id }) => id)];
        const held = new Set(await stores.entries.renew(this.owner, ids, now + LEASE_MS));
        // Removed or cancelled meanwhile, or another has it.
        for (const id of taken) if (!held.has(id)) this.running.get(id)?.aborter.abort();
      }
      if (this.stopped) return;
      const here = new Set([...this.running.keys(), ...this.waiting.map(({ id }) => id)]);
      const due = await stores.entries.listDue(now, DUE_MAX);
      this.start(
        due.filter(
          ({ id, leaseOwner }) => !here.has(id) && (leaseOwner === null || leaseOwner === this.owner || !mayLive),
        ),
      );
      this.failing = false;
    } catch (thrown) {
      this.grace.failed();
      if (!this.failing) log.warn({ err: thrown }, "files that wait to be read cannot be looked at; trying again");
      this.failing = true;
    }
  }

  private async carryOut(entry: StoreEntry, signal: AbortSignal): Promise<void> {
    const { stores, log } = this.deps;
    try {
      const taken = await this.take(entry);
      if (taken?.status !== "in_progress") return;
      this.taken.add(entry.id);
      await this.read(taken, signal);
    } catch (thrown) {
      if (thrown instanceof LostEntry) return;
      if (thrown instanceof ReadingInterrupted && !signal.aborted) return this.readLater(entry);
      if (signal.aborted) return this.stopped ? this.unbegin(entry) : undefined;
      if (isDatabaseAway(thrown) || thrown instanceof BlobsAway) {
        log.warn({ fileId: entry.fileId, err: thrown }, "a file waits to be read again");
        const leaseUntil = thrown instanceof BlobsAway ? this.deps.clock.nowMs() + LEASE_MS : null;
        return this.unbegin(entry, { leaseOwner: null, leaseUntil });
      }
      const lastError =
        thrown instanceof UnreadableFile
          ? { code: thrown.code, message: thrown.message }
          : { code: "server_error" as const, message: this.deps.explain(thrown) };
      if (lastError.code === "server_error")
        log.warn({ fileId: entry.fileId, err: thrown }, "a file could not be read");
      const failed = (found: StoreEntry): StoreEntry | null =>
        this.isOurs(found) ? { ...found, status: "failed", lastError, ...NOBODYS } : null;
      await stores
        .transaction(async (tx) => {
          if (await tx.entries.change(entry.id, failed)) await tx.passages.removeOf(entry.id);
        })
        .catch((err) => log.warn({ fileId: entry.fileId, err }, "a file waits to be read again"));
    }
  }

  private take(entry: StoreEntry): Promise<StoreEntry | null> {
    const now = this.deps.clock.nowMs();
    return this.deps.stores.entries.change(entry.id, (found) => {
      if (found.status !== "in_progress") return null;
      if (isHeld(found, now) && found.leaseOwner !== this.owner) return null;
      if (found.attempts >= ATTEMPTS_MAX) {
        const message = "The processes that read the file ended again and again.";
        return { ...found, status: "failed", lastError: { code: "server_error", message }, ...NOBODYS };
      }
      return { ...found, ...this.lease(), attempts: found.attempts + 1 };
    });
  }

  /** Neither a process that ends in order nor a database or a bucket that is away is a fault of the file that was being read. */
  private async unbegin(
    { id }: StoreEntry,
    lease: Pick<StoreEntry, "leaseOwner" | "leaseUntil"> = NOBODYS,
  ): Promise<void> {
    const { stores, log } = this.deps;
    await stores.entries
      .change(id, (found) =>
        this.isOurs(found) ? { ...found, ...lease, attempts: Math.max(0, found.attempts - 1) } : null,
      )
      .catch((err) => log.warn({ err }, "a file waits to be read again"));
  }

  /** Another organization's document comes first. The lease stays with this process. */
  private async readLater(entry: StoreEntry): Promise<void> {
    this.interruptions.set(entry.id, (this.interruptions.get(entry.id) ?? 0) + 1);
    await this.unbegin(entry, this.lease());
    if (!this.stopped) this.waiting.push(entry);
  }

  private isOurs = ({ status, leaseOwner }: StoreEntry): boolean =>
    status === "in_progress" && leaseOwner === this.owner;

  private async read(entry: StoreEntry, signal: AbortSignal): Promise<void> {
    const { stores, embed, reading } = this.deps;
    const file = await stores.entries.findNamed(entry.vectorStoreId, entry.fileId);
    if (!file) throw new UnreadableFile("invalid_file", "The file was deleted.");
    const interruptions = this.interruptions.get(entry.id) ?? 0;
    const chunks = await readFile({
      name: file.fileName,
      open: () => this.open(entry),
      chunking: entry.chunking,
      ticket: { id: entry.id, tenant: tenantOf(entry), interruptions },
      queue: reading,
      signal,
    });
    await stores.passages.removeOf(entry.id);
    let usedBytes = 0;
    for (let at = 0; at < chunks.length; at += BATCH) {
      signal.throwIfAborted();
      const part = chunks.slice(at, at + BATCH);
      // A passage is found by what it stands under too.
      const vectors = await embed(
        entry,
        part.map(({ headings, text }) => `${file.fileName}\n${headings}\n${text}`),
        signal,
      );
      const passages = part.map(
        ({ text }, index): NewPassage => ({
          position: at + index,
          text,
          vector: vectors[index] ?? new Float32Array(0),
        }),
      );
      usedBytes += passages.reduce((sum, { text, vector }) => sum + Buffer.byteLength(text) + vector.byteLength, 0);
      const isLast = at + BATCH >= chunks.length;
      const then = isLast ? { status: "completed" as const, usedBytes, lastError: null, ...NOBODYS } : {};
      // Their vectors are paid for: they are not let go of because the database is away for a moment.
      await retryUntil((isAgain) => this.keep(entry, passages, then, isAgain), isDatabaseAway, signal);
    }
  }

  private async open({ fileId }: StoreEntry): Promise<ReadableStream<Uint8Array>> {
    const bytes = await this.deps.blobs.read(fileId).catch((cause: unknown) => {
      throw new BlobsAway("the store of the files does not respond", { cause });
    });
    if (!bytes) throw new UnreadableFile("invalid_file", "The content of the file is gone.");
    return bytes;
  }

  /** A part at a time, so that neither memory nor the database has a whole book at once. Nobody finds it before it is complete. */
  private async keep(
    entry: StoreEntry,
    passages: readonly NewPassage[],
    then: Partial<StoreEntry>,
    isAgain: boolean,
  ): Promise<void> {
    const kept = await this.deps.stores.transaction(async (tx) => {
      const found = await tx.entries.change(entry.id, (found) => (this.isOurs(found) ? { ...found, ...then } : null));
      if (found && isAgain) await tx.passages.removeOf(entry.id, passages[0]?.position);
      if (found) await tx.passages.insert(entry, passages);
      return found;
    });
    if (!kept) throw new LostEntry();
  }
}
