import type { Owner } from "../contract/cursor.ts";
import type { Clock } from "../lib/clock.ts";
import type { Logger } from "../lib/log.ts";
import type { Batch } from "./records.ts";
import type { BatchStore } from "./store.ts";

/** What batches see of files. */
export interface BatchFiles {
  /** Throws `not_found` where the owner has no such file. */
  purposeOf(owner: Owner, id: string): Promise<string>;
  /** What a file holds; null where it is gone. */
  read(owner: Owner, id: string): Promise<ReadableStream<Uint8Array> | null>;
  /** In place of one of the same id, which somebody else may have begun. */
  write(owner: Owner, file: NewFile): Promise<void>;
}

export interface NewFile {
  readonly id: string;
  readonly name: string;
  readonly expiresAfterMs: number | null;
  readonly bytes: ReadableStream<Uint8Array>;
}

/** What a call is answered with, or that it has to wait. */
export type CallAnswer =
  | { readonly kind: "answer"; readonly status: number; readonly requestId: string; readonly body: unknown }
  | { readonly kind: "later"; readonly waitMs: number | null };

/** What carrying out a batch stands on. */
export interface BatchDeps {
  readonly store: BatchStore;
  readonly files: BatchFiles;
  /** Calls what the batch is for, as its key and like any call of it. */
  readonly call: (batch: Batch, body: Readonly<Record<string, unknown>>, signal: AbortSignal) => Promise<CallAnswer>;
  /** The longest line: what a request may have. */
  readonly lineBytesMax: number;
  readonly clock: Clock;
  readonly log: Logger;
}
