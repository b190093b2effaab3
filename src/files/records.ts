import type { ChunkingStrategy, Metadata } from "../contract/assistants/parts.ts";
import type { Purpose } from "../contract/files/files.ts";
import type { RequestSource } from "../contract/request-source.ts";

export interface StoredFile {
  readonly id: string;
  readonly teamId: string | null;
  readonly createdAt: number;
  readonly expiresAt: number | null;
  readonly sizeBytes: number;
  readonly name: string;
  readonly purpose: Purpose;
}

/** Files that are searched together. */
export interface VectorStore {
  readonly id: string;
  readonly teamId: string | null;
  readonly createdAt: number;
  readonly lastActiveAt: number;
  /** So long after it was last used. */
  readonly expiresAt: number | null;
  readonly name: string | null;
  readonly description: string | null;
  readonly metadata: Metadata;
  readonly expiresAfterDays: number | null;
  /** The group that makes its vectors. */
  readonly embeddingModel: string;
}

export type Attributes = Readonly<Record<string, string | number | boolean>>;

/** A file in a vector store. */
export interface StoreEntry {
  readonly id: string;
  readonly vectorStoreId: string;
  readonly fileId: string;
  readonly batchId: string | null;
  /** The key that pays for its vectors. */
  readonly keyId: string;
  /** The organization of the key. Null for the master key and for entries of earlier versions. */
  readonly organizationId: string | null;
  readonly createdAt: number;
  readonly status: "in_progress" | "completed" | "cancelled" | "failed";
  readonly usedBytes: number;
  readonly leaseOwner: string | null;
  readonly leaseUntil: number | null;
  readonly attempts: number;
  readonly chunking: ChunkingStrategy;
  readonly attributes: Attributes;
  readonly lastError: {
    readonly code: "server_error" | "unsupported_file" | "invalid_file";
    readonly message: string;
  } | null;
  readonly source: RequestSource;
}

export interface StoreBatch {
  readonly id: string;
  readonly vectorStoreId: string;
  readonly createdAt: number;
}

/** A piece of a file, as it is found. */
export interface Passage {
  readonly id: number;
  readonly fileId: string;
  readonly position: number;
  readonly text: string;
}
