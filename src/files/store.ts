import type { Cursor, Owner, Slice } from "../contract/cursor.ts";
import type { Purpose } from "../contract/files/files.ts";
import type { Passage, StoreBatch, StoredFile, StoreEntry, VectorStore } from "./records.ts";

/** What files need of a database. An `after` or `before` that names nothing of the owner's is `not_found`. */
export interface FileStores {
  readonly files: FileStore;
  readonly vectorStores: VectorStoreStore;
  readonly entries: EntryStore;
  readonly passages: PassageStore;
  transaction<T>(work: (stores: FileStores) => Promise<T>): Promise<T>;
}

export interface FileStore {
  find(owner: Owner, id: string): Promise<StoredFile | null>;
  insert(file: StoredFile): Promise<void>;
  /** With its passages in every vector store. */
  remove(owner: Owner, id: string): Promise<boolean>;
  /** Those of these that are the owner's. Inside a transaction none of them is removed before its end. */
  hold(owner: Owner, ids: readonly string[]): Promise<ReadonlySet<string>>;
  list(owner: Owner, cursor: Cursor, purpose?: Purpose): Promise<Slice<StoredFile>>;
  /** Removes those whose time is over; gives their ids. */
  removeExpired(nowMs: number): Promise<readonly string[]>;
  /** Which of these are there. */
  known(ids: readonly string[]): Promise<ReadonlySet<string>>;
}

export type FileCounts = Readonly<Record<StoreEntry["status"], number>> & { readonly usedBytes: number };

export interface VectorStoreStore {
  find(owner: Owner, id: string): Promise<VectorStore | null>;
  /** The same inside a transaction: nobody else changes it before its end. */
  hold(owner: Owner, id: string): Promise<VectorStore | null>;
  insert(store: VectorStore): Promise<void>;
  update(store: VectorStore): Promise<boolean>;
  /** It was used just now, and lives on for so long; false where it is gone. Inside a transaction it is held until its end. */
  touch(id: string, lastActiveAt: number, expiresAt: number | null): Promise<boolean>;
  remove(owner: Owner, id: string): Promise<boolean>;
  list(owner: Owner, cursor: Cursor): Promise<Slice<VectorStore>>;
  /** How many files of each state, of these stores or of this batch. */
  countsOf(where: { readonly vectorStoreId: string } | { readonly batchId: string }): Promise<FileCounts>;
  insertBatch(batch: StoreBatch): Promise<void>;
  findBatch(vectorStoreId: string, id: string): Promise<StoreBatch | null>;
  /** Lets go of the passages of stores whose time is over. */
  clearExpired(nowMs: number): Promise<number>;
}

export interface EntryStore {
  find(vectorStoreId: string, fileId: string): Promise<StoreEntry | null>;
  /** The same with how its file is called. */
  findNamed(vectorStoreId: string, fileId: string): Promise<(StoreEntry & { readonly fileName: string }) | null>;
  /** The same of several files, as far as they were read to their end. */
  listRead(
    vectorStoreId: string,
    fileIds: readonly string[],
  ): Promise<readonly (StoreEntry & { readonly fileName: string })[]>;
  /** In place of one of the same file. */
  put(entry: StoreEntry): Promise<void>;
  /** Makes it what `decide` gives, unless that is null; nobody else changes it in between. */
  change(id: string, decide: (entry: StoreEntry) => StoreEntry | null): Promise<StoreEntry | null>;
  remove(vectorStoreId: string, fileId: string): Promise<boolean>;
  list(
    vectorStoreId: string,
    cursor: Cursor,
    filter?: { readonly status?: StoreEntry["status"]; readonly batchId?: string },
  ): Promise<Slice<StoreEntry>>;
  /** Goes on holding those of these that the process holds; gives their ids. */
  renew(owner: string, ids: readonly string[], leaseUntil: number): Promise<readonly string[]>;
  /** Lets go of what the process holds, so that others have it at once. */
  release(owner: string): Promise<void>;
  /** Those that nobody reads although somebody should. */
  listDue(nowMs: number, limit: number): Promise<readonly StoreEntry[]>;
  cancelBatch(batchId: string): Promise<void>;
}

export interface NewPassage {
  readonly position: number;
  readonly text: string;
  readonly vector: Float32Array;
}

export interface PassageStore {
  insert(entry: StoreEntry, passages: readonly NewPassage[]): Promise<void>;
  /** From a position on; all of them unless told. */
  removeOf(entryId: string, fromPosition?: number): Promise<void>;
  /** Of a file, in their order. */
  listOf(entryId: string): Promise<readonly Passage[]>;
  /** Changes whenever the passages that can be found in a store do. */
  stamp(vectorStoreId: string): Promise<string>;
  /** In the order of their ids, behind this one. */
  vectors(
    vectorStoreId: string,
    after: number,
    limit: number,
  ): Promise<readonly { readonly id: number; readonly vector: Float32Array }[]>;
  /** The nearest to a vector with how near they are; null where the database does not compare vectors by itself. */
  nearest(vectorStoreId: string, vector: Float32Array, limit: number): Promise<ReadonlyMap<number, number> | null>;
  /** Those that have one of the words, the likeliest first. */
  withWords(vectorStoreId: string, words: readonly string[], limit: number): Promise<readonly Passage[]>;
  get(vectorStoreId: string, ids: readonly number[]): Promise<readonly Passage[]>;
  count(vectorStoreId: string): Promise<number>;
}
