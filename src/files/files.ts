import type { KeyCaller } from "../contract/caller.ts";
import type { Cursor, Owner, Slice } from "../contract/cursor.ts";
import { GatewayError } from "../contract/errors.ts";
import type { Purpose } from "../contract/files/files.ts";
import type { StorageGate } from "../contract/files/storage-gate.ts";
import { requireFound } from "../contract/require-found.ts";
import type { Clock } from "../lib/clock.ts";
import { newNamedId } from "../lib/ids.ts";
import type { Logger } from "../lib/log.ts";
import type { BlobStore } from "./blobs/blob-store.ts";
import type { StoredFile } from "./records.ts";
import type { FileStores } from "./store.ts";

export interface FileDeps {
  readonly stores: FileStores;
  readonly blobs: BlobStore;
  readonly storage: StorageGate;
  readonly clock: Clock;
  readonly log: Logger;
}

export interface Upload {
  readonly name: string;
  readonly purpose: Purpose;
  readonly expiresAfterMs: number | null;
  readonly sizeBytes: number;
  readonly read: () => ReadableStream<Uint8Array>;
}

/** What is not uploaded but made here. */
interface Made {
  readonly id: string;
  readonly name: string;
  readonly purpose: Purpose;
  readonly expiresAfterMs: number | null;
  readonly bytes: ReadableStream<Uint8Array>;
}

/** Blobs without a file are removed when they are older than any upload takes. */
const ORPHAN_MS = 60 * 60_000;
const SWEEP_BATCH = 500;

/** Files that callers have uploaded. They belong to the team of the key. */
export class Files {
  constructor(private readonly deps: FileDeps) {}

  /** The bytes first: a file that is there can be read. */
  async upload(caller: KeyCaller, given: Upload): Promise<StoredFile> {
    const { stores, blobs, storage } = this.deps;
    const file = this.newFile(caller, { ...given, id: newNamedId("file-") });
    await storage.admit(caller, file.sizeBytes, "file");
    try {
      await blobs.put(file.id, given.read());
    } catch (cause) {
      throw new GatewayError("unavailable", "The file cannot be kept at the moment; send it again.", { cause });
    }
    try {
      // Again: others may have uploaded meanwhile.
      await storage.admit(caller, file.sizeBytes, "file");
      await stores.files.insert(file);
    } catch (thrown) {
      await blobs.remove(file.id).catch(() => undefined);
      throw thrown;
    }
    return file;
  }

  /** A file that is made here, in place of one of the same id. */
  async write(owner: Owner, given: Made): Promise<void> {
    const { stores, blobs } = this.deps;
    let sizeBytes = 0;
    const count = new TransformStream<Uint8Array, Uint8Array>({
      transform(chunk, controller) {
        sizeBytes += chunk.length;
        controller.enqueue(chunk);
      },
    });
    await blobs.put(given.id, given.bytes.pipeThrough(count));
    const file = this.newFile(owner, { ...given, sizeBytes });
    await stores.transaction(async (tx) => {
      await tx.files.remove(owner, file.id);
      await tx.files.insert(file);
    });
  }

  private newFile(
    { teamId }: Owner,
    { id, name, purpose, expiresAfterMs, sizeBytes }: Omit<Made, "bytes"> & { readonly sizeBytes: number },
  ): StoredFile {
    const createdAt = this.deps.clock.nowMs();
    const expiresAt = expiresAfterMs === null ? null : createdAt + expiresAfterMs;
    return { id, teamId, createdAt, expiresAt, sizeBytes, name, purpose };
  }

  async get(owner: Owner, id: string): Promise<StoredFile> {
    const file = await this.deps.stores.files.find(owner, id);
    const isOver = (file?.expiresAt ?? Number.POSITIVE_INFINITY) <= this.deps.clock.nowMs();
    return requireFound(isOver ? null : file, "file", id);
  }

  list(owner: Owner, cursor: Cursor, purpose?: Purpose): Promise<Slice<StoredFile>> {
    return this.deps.stores.files.list(owner, cursor, purpose);
  }

  async content(owner: Owner, id: string): Promise<{ file: StoredFile; bytes: ReadableStream<Uint8Array> }> {
    const file = await this.get(owner, id);
    let bytes: ReadableStream<Uint8Array> | null;
    try {
      bytes = await this.deps.blobs.read(id);
    } catch (cause) {
      throw new GatewayError("unavailable", "The file cannot be read at the moment.", { cause });
    }
    if (!bytes) throw new GatewayError("internal", "What the file held is gone.");
    return { file, bytes };
  }

  /** What a file holds, in one piece. */
  async whole(owner: Owner, id: string, bytesMax: number): Promise<{ readonly name: string; readonly bytes: Buffer }> {
    const { name, sizeBytes } = await this.get(owner, id);
    if (sizeBytes > bytesMax) {
      throw new GatewayError("invalid_request", `The file ${id} is too long to be put into a request.`);
    }
    const { bytes } = await this.content(owner, id);
    return { name, bytes: Buffer.from(await new Response(bytes).arrayBuffer()) };
  }

  async remove(owner: Owner, id: string): Promise<void> {
    const { stores, blobs, log } = this.deps;
    requireFound((await stores.files.remove(owner, id)) ? id : null, "file", id);
    await blobs
      .remove(id)
      .catch((err) => log.warn({ fileId: id, err }, "a blob could not be removed; it will be swept"));
  }

  /** Files whose time is over, and bytes that no file has any more. Never throws. */
  async tidy(): Promise<void> {
    const { stores, blobs, clock, log } = this.deps;
    try {
      const now = clock.nowMs();
      for (const id of await stores.files.removeExpired(now)) await blobs.remove(id);
      await stores.vectorStores.clearExpired(now);
      let batch: string[] = [];
      for await (const name of blobs.list(now - ORPHAN_MS)) {
        batch.push(name);
        if (batch.length < SWEEP_BATCH) continue;
        await this.sweep(batch);
        batch = [];
      }
      await this.sweep(batch);
    } catch (thrown) {
      log.warn({ err: thrown }, "files could not be tidied up");
    }
  }

  private async sweep(names: readonly string[]): Promise<void> {
    if (names.length === 0) return;
    const known = await this.deps.stores.files.known(names);
    for (const name of names) if (!known.has(name)) await this.deps.blobs.remove(name);
  }
}
