/** Where the bytes of files lie. Names are ids of ours. */
export interface BlobStore {
  put(name: string, bytes: ReadableStream<Uint8Array>): Promise<void>;
  /** Null where there is nothing of that name. */
  read(name: string): Promise<ReadableStream<Uint8Array> | null>;
  remove(name: string): Promise<void>;
  /** Names of what was put before then. */
  list(beforeMs: number): AsyncIterable<string>;
}
