import type { StoreEntry } from "../../src/files/records.ts";
import { newNamedId } from "../../src/lib/ids.ts";
import type { Storage } from "../../src/storage/open.ts";

/** A file of the master key that waits in a store to be read. */
export async function newEntry({ files }: Storage, vectorStoreId: string): Promise<StoreEntry> {
  const now = Date.now();
  const fileId = newNamedId("file-");
  await files.files.insert({
    id: fileId,
    teamId: null,
    createdAt: now,
    expiresAt: null,
    sizeBytes: 1,
    name: "a.txt",
    purpose: "assistants",
  });
  const entry: StoreEntry = {
    id: newNamedId("vsf_"),
    vectorStoreId,
    fileId,
    batchId: null,
    keyId: "k",
    organizationId: null,
    createdAt: now,
    status: "in_progress",
    usedBytes: 0,
    leaseOwner: null,
    leaseUntil: null,
    attempts: 0,
    chunking: { type: "auto" },
    attributes: {},
    lastError: null,
    source: { address: null, userAgent: null, tags: null },
  };
  await files.entries.put(entry);
  return entry;
}

/** An empty store of the master key. */
export async function newStore({ files }: Storage): Promise<string> {
  const id = newNamedId("vs_");
  const now = Date.now();
  await files.vectorStores.insert({
    id,
    teamId: null,
    createdAt: now,
    lastActiveAt: now,
    expiresAt: null,
    name: null,
    description: null,
    metadata: {},
    expiresAfterDays: null,
    embeddingModel: "m",
  });
  return id;
}
