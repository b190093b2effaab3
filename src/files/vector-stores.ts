import type { ChunkingStrategy, Metadata } from "../contract/assistants/parts.ts";
import type { KeyCaller } from "../contract/caller.ts";
import type { Cursor, Owner, Slice } from "../contract/cursor.ts";
import { GatewayError } from "../contract/errors.ts";
import type { Filter } from "../contract/files/vector-stores.ts";
import { requireFound } from "../contract/require-found.ts";
import type { Clock } from "../lib/clock.ts";
import { newNamedId } from "../lib/ids.ts";
import type { Files } from "./files.ts";
import type { Indexer } from "./indexer.ts";
import type { Attributes, Passage, StoreBatch, StoreEntry, VectorStore } from "./records.ts";
import { type SearchHit, searchPassages } from "./search/search.ts";
import { VectorCache } from "./search/vector-cache.ts";
import type { FileCounts, FileStores } from "./store.ts";

export interface VectorStoreDeps {
  readonly stores: FileStores;
  readonly files: Files;
  readonly indexer: Indexer;
  /** The group that makes vectors where a store names none; null where there is none. */
  readonly embeddingModel: () => string | null;
  /** Throws unless the caller may call the model. */
  readonly requireModel: (caller: KeyCaller, model: string) => void;
  /** The vector of a question, in the name of whoever asks. */
  readonly embedQuery: (asker: Asker, model: string, text: string, signal: AbortSignal) => Promise<Float32Array>;
  /** Waits, unless the signal ends it sooner; then its reason is thrown. */
  readonly sleep: (ms: number, signal: AbortSignal) => Promise<void>;
  readonly clock: Clock;
}

export type Source = StoreEntry["source"];

/** In whose name something is done. */
export interface Asker extends Owner {
  readonly keyId: string;
  readonly source: Source;
  /** Told what the vector of the question has cost, in nano-USD. */
  readonly onCost: (cost: bigint) => void;
}

export interface NewStore {
  readonly name: string | null;
  readonly description: string | null;
  readonly metadata: Metadata;
  readonly expiresAfterDays: number | null;
  readonly embeddingModel: string | null;
}

export interface NewEntry {
  readonly fileId: string;
  readonly attributes: Attributes;
  readonly chunking: ChunkingStrategy | null;
}

export interface StoreSearch {
  readonly query: string;
  readonly limit: number;
  readonly threshold: number;
  readonly filter: Filter | null;
}

export interface CountedStore {
  readonly store: VectorStore;
  readonly counts: FileCounts;
}

const DAY_MS = 24 * 60 * 60_000;
const AUTO: ChunkingStrategy = { type: "auto" };
const FILES_MAX = 10_000;
/** How long a run waits for files of its stores to be read. */
const READ_WAIT_MAX_MS = 60_000;
const READ_LOOK_MS = 100;

/** Files that are searched together, and the search. They belong to the team of the key. */
export class VectorStores {
  private readonly cache: VectorCache;

  constructor(private readonly deps: VectorStoreDeps) {
    this.cache = new VectorCache(deps.stores.passages);
  }

  async create(caller: KeyCaller, given: NewStore): Promise<VectorStore> {
    const { stores, clock } = this.deps;
    const model = given.embeddingModel ?? this.deps.embeddingModel();
    if (model === null) {
      throw new GatewayError("invalid_request", "No embedding model is configured, so files cannot be searched.");
    }
    this.deps.requireModel(caller, model);
    const now = clock.nowMs();
    const store: VectorStore = {
      ...given,
      id: newNamedId("vs_"),
      teamId: caller.teamId,
      createdAt: now,
      lastActiveAt: now,
      expiresAt: endOf(given.expiresAfterDays, now),
      embeddingModel: model,
    };
    await stores.vectorStores.insert(store);
    return store;
  }

  async get(owner: Owner, id: string): Promise<VectorStore> {
    return requireFound(await this.deps.stores.vectorStores.find(owner, id), "vector store", id);
  }

  async counted(store: VectorStore): Promise<CountedStore> {
    return { store, counts: await this.deps.stores.vectorStores.countsOf({ vectorStoreId: store.id }) };
  }

  async list(owner: Owner, cursor: Cursor): Promise<Slice<CountedStore & { readonly id: string }>> {
    const { rows, more } = await this.deps.stores.vectorStores.list(owner, cursor);
    const counted = await Promise.all(rows.map((store) => this.counted(store)));
    return { rows: counted.map((one) => ({ ...one, id: one.store.id })), more };
  }

  async update(owner: Owner, id: string, changes: Partial<Omit<NewStore, "embeddingModel">>): Promise<VectorStore> {
    return this.deps.stores.transaction(async (tx) => {
      const present = requireFound(await tx.vectorStores.hold(owner, id), "vector store", id);
      const next = { ...present, ...changes };
      const touched = { ...next, expiresAt: endOf(next.expiresAfterDays, next.lastActiveAt) };
      await tx.vectorStores.update(touched);
      return touched;
    });
  }

  async remove(owner: Owner, id: string): Promise<void> {
    requireFound((await this.deps.stores.vectorStores.remove(owner, id)) ? id : null, "vector store", id);
  }

  /** Puts files in; they are read behind the call. */
  async add(
    caller: KeyCaller,
    id: string,
    given: readonly NewEntry[],
    source: Source,
    batchId: string | null = null,
  ): Promise<readonly StoreEntry[]> {
    const { stores, files, indexer, clock } = this.deps;
    const store = await this.open(caller, id);
    for (const { chunking } of given) checkChunking(chunking);
    for (const { fileId } of given) await files.get(caller, fileId);
    const { in_progress, completed } = await stores.vectorStores.countsOf({ vectorStoreId: id });
    if (in_progress + completed + given.length > FILES_MAX) {
      throw new GatewayError("invalid_request", `A vector store has at most ${FILES_MAX} files.`);
    }
    const entries = given.map(
      ({ fileId, attributes, chunking }): StoreEntry => ({
        id: newNamedId("vsf_"),
        vectorStoreId: id,
        fileId,
        batchId,
        keyId: caller.keyId,
        organizationId: caller.organizationId,
        createdAt: clock.nowMs(),
        status: "in_progress",
        usedBytes: 0,
        ...indexer.lease(),
        attempts: 0,
        chunking: chunking ?? AUTO,
        attributes,
        lastError: null,
        source,
      }),
    );
    const fileIds = entries.map(({ fileId }) => fileId).sort();
    await stores.transaction(async (tx) => {
      // Seen above, and held here: files first, then the store, as everybody does who removes one of them.
      const held = await tx.files.hold(caller, fileIds);
      for (const fileId of fileIds) requireFound(held.has(fileId) ? fileId : null, "file", fileId);
      requireFound((await this.touch(tx, store)) ? id : null, "vector store", id);
      if (batchId !== null)
        await tx.vectorStores.insertBatch({ id: batchId, vectorStoreId: id, createdAt: clock.nowMs() });
      for (const entry of entries) await tx.entries.put(entry);
    });
    indexer.start(entries);
    return entries;
  }

  /** The same of files that are not in there yet: what was read once is not read, and paid for, again. */
  async addAbsent(caller: KeyCaller, id: string, fileIds: readonly string[], source: Source): Promise<void> {
    await this.open(caller, id);
    const absent: NewEntry[] = [];
    for (const fileId of fileIds) {
      const status = (await this.deps.stores.entries.find(id, fileId))?.status;
      const isThere = status === "completed" || status === "in_progress";
      if (!isThere) absent.push({ fileId, attributes: {}, chunking: null });
    }
    if (absent.length > 0) await this.add(caller, id, absent, source);
  }

  async getEntry(owner: Owner, id: string, fileId: string): Promise<StoreEntry> {
    await this.get(owner, id);
    return requireFound(await this.deps.stores.entries.find(id, fileId), "file", fileId);
  }

  async listEntries(
    owner: Owner,
    id: string,
    cursor: Cursor,
    filter: { readonly status?: StoreEntry["status"]; readonly batchId?: string } = {},
  ): Promise<Slice<StoreEntry>> {
    await this.get(owner, id);
    return this.deps.stores.entries.list(id, cursor, filter);
  }

  async updateEntry(owner: Owner, id: string, fileId: string, attributes: Attributes): Promise<StoreEntry> {
    const { id: entryId } = await this.getEntry(owner, id, fileId);
    return requireFound(
      await this.deps.stores.entries.change(entryId, (found) => ({ ...found, attributes })),
      "file",
      fileId,
    );
  }

  /** Out of the store; the file itself stays. */
  async removeEntry(owner: Owner, id: string, fileId: string): Promise<void> {
    await this.get(owner, id);
    requireFound((await this.deps.stores.entries.remove(id, fileId)) ? id : null, "file", fileId);
  }

  async entryContent(owner: Owner, id: string, fileId: string): Promise<readonly Passage[]> {
    const entry = await this.getEntry(owner, id, fileId);
    return this.deps.stores.passages.listOf(entry.id);
  }

  async addBatch(caller: KeyCaller, id: string, given: readonly NewEntry[], source: Source): Promise<StoreBatch> {
    const batchId = newNamedId("vsfb_");
    await this.add(caller, id, given, source, batchId);
    return this.getBatch(caller, id, batchId);
  }

  async getBatch(owner: Owner, id: string, batchId: string): Promise<StoreBatch> {
    await this.get(owner, id);
    return requireFound(await this.deps.stores.vectorStores.findBatch(id, batchId), "batch", batchId);
  }

  countsOfBatch(batchId: string): Promise<FileCounts> {
    return this.deps.stores.vectorStores.countsOf({ batchId });
  }

  /** Files that were read already stay. */
  async cancelBatch(owner: Owner, id: string, batchId: string): Promise<StoreBatch> {
    const batch = await this.getBatch(owner, id, batchId);
    await this.deps.stores.entries.cancelBatch(batchId);
    return batch;
  }

  async search(asker: Asker, id: string, asked: StoreSearch, signal: AbortSignal): Promise<SearchHit[]> {
    const { stores, embedQuery } = this.deps;
    const store = await this.open(asker, id);
    const vector = await embedQuery(asker, store.embeddingModel, asked.query, signal);
    const hits = await searchPassages(stores, this.cache, id, { ...asked, vector });
    await this.touch(stores, store);
    return hits;
  }

  /** Waits for files that were just put in, but not for ever. */
  async whenRead(id: string, signal: AbortSignal): Promise<void> {
    const { stores, sleep } = this.deps;
    for (let waited = 0; waited < READ_WAIT_MAX_MS; waited += READ_LOOK_MS) {
      const { in_progress } = await stores.vectorStores.countsOf({ vectorStoreId: id });
      if (in_progress === 0) return;
      await sleep(READ_LOOK_MS, signal);
    }
  }

  /** A store that can be used: one whose time is over says so. */
  private async open(owner: Owner, id: string): Promise<VectorStore> {
    const store = await this.get(owner, id);
    if ((store.expiresAt ?? Number.POSITIVE_INFINITY) > this.deps.clock.nowMs()) return store;
    throw new GatewayError("invalid_request", `The vector store ${id} has expired.`);
  }

  private touch({ vectorStores }: FileStores, { id, expiresAfterDays }: VectorStore): Promise<boolean> {
    const now = this.deps.clock.nowMs();
    return vectorStores.touch(id, now, endOf(expiresAfterDays, now));
  }
}

const endOf = (days: number | null, lastActiveAt: number): number | null =>
  days === null ? null : lastActiveAt + days * DAY_MS;

function checkChunking(chunking: ChunkingStrategy | null): void {
  if (chunking?.type !== "static") return;
  const { max_chunk_size_tokens: size, chunk_overlap_tokens: overlap } = chunking.static;
  if (overlap <= size / 2) return;
  throw new GatewayError("invalid_request", "Chunks overlap by at most half of their size.", {
    param: "chunking_strategy",
  });
}
