import { isDatabaseAway } from "../contract/database-away.ts";
import type { Clock } from "../lib/clock.ts";
import { newId } from "../lib/ids.ts";
import { insist } from "../lib/insist.ts";
import { isHeld, LEASE_MS, LeaseGrace } from "../lib/lease-desk.ts";
import type { Logger } from "../lib/log.ts";
import type { BlobStore } from "./blobs/blob-store.ts";
import { readFile, UnreadableFile } from "./reading/read-file.ts";
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
/** Files that are read at the same time. */
const AT_ONCE = 2;

/** Deleted, cancelled, or taken by another meanwhile. */
class LostEntry extends Error {}

/** The place where the bytes lie does not answer. */
class BlobsAway extends Error {}

/** Reads files that were put into vector stores: text, passages, vectors. By one process each, and on by another if need be. */
export class Indexer {
  readonly owner = newId();
  private readonly running = new Map<string, { readonly aborter: AbortController; readonly ended: Promise<void> }>();
  /** Those of the running whose lease is ours: what is only about to be taken can be renewed by nobody, and is not lost. */
  private readonly taken = new Set<string>();
  private readonly waiting: StoreEntry[] = [];
  /** Which turn each key had last, while files wait. */
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
      if (this.running.has(entry.id)) continue;
      const aborter = new AbortController();
      const ended = this.carryOut(entry, aborter.signal).finally(() => {
        this.running.delete(entry.id);
        this.taken.delete(entry.id);
        this.next();
      });
      this.running.set(entry.id, { aborter, ended });
    }
  }

  /** The first file of the key whose turn is longest ago: a thousand files of one do not hold up the one of another. */
  private takeWaiting(): StoreEntry | undefined {
    const turnOf = (entry: StoreEntry | undefined): number => this.turns.get(entry?.keyId ?? "") ?? 0;
    let first = 0;
    this.waiting.forEach((entry, at) => {
      if (turnOf(entry) < turnOf(this.waiting[first])) first = at;
    });
    const [entry] = this.waiting.splice(first, 1);
    if (entry) this.turns.set(entry.keyId, ++this.turnsHad);
    if (this.waiting.length === 0) this.turns.clear();
    return entry;
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
      if (signal.aborted) return this.stopped ? this.unbegin(entry) : undefined;
      if (isDatabaseAway(thrown) || thrown instanceof BlobsAway) {
        log.warn({ fileId: entry.fileId, err: thrown }, "a file waits to be read again");
        return this.unbegin(entry, thrown instanceof BlobsAway ? this.deps.clock.nowMs() + LEASE_MS : null);
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
  private async unbegin({ id }: StoreEntry, leaseUntil: number | null = null): Promise<void> {
    const { stores, log } = this.deps;
    await stores.entries
      .change(id, (found) =>
        this.isOurs(found)
          ? { ...found, leaseOwner: null, leaseUntil, attempts: Math.max(0, found.attempts - 1) }
          : null,
      )
      .catch((err) => log.warn({ err }, "a file waits to be read again"));
  }

  private isOurs = ({ status, leaseOwner }: StoreEntry): boolean =>
    status === "in_progress" && leaseOwner === this.owner;

  private async read(entry: StoreEntry, signal: AbortSignal): Promise<void> {
    const { stores, embed } = this.deps;
    const file = await stores.entries.findNamed(entry.vectorStoreId, entry.fileId);
    const bytes = file && (await this.open(entry));
    if (!bytes) throw new UnreadableFile("invalid_file", "What the file held is gone.");
    const chunks = await readFile(file.fileName, bytes, { chunking: entry.chunking, signal });
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
      await insist((isAgain) => this.keep(entry, passages, then, isAgain), isDatabaseAway, signal);
    }
  }

  private async open({ fileId }: StoreEntry): Promise<ReadableStream<Uint8Array> | null> {
    try {
      return await this.deps.blobs.read(fileId);
    } catch (cause) {
      throw new BlobsAway("where files lie does not answer", { cause });
    }
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
