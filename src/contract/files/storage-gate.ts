import type { Owner } from "../cursor.ts";

/** Texts lie in the database, files in the data folder or in a bucket. */
export type StoredAs = "text" | "file";

/** Decides whether more may be stored. */
export interface StorageGate {
  /** Throws `storage_quota` if the organization's storage is full, and `disk_full` if the server's disk is. */
  admit(owner: Owner, bytes: number, as: StoredAs): Promise<void>;
}
