import type { CallUnits } from "../contract/usage.ts";

/** An answer that may be given again, byte for byte as it was sent, with what the log needs to know of it. */
export interface CachedResponse {
  /** As the text that it was anyway. */
  readonly body: string;
  readonly contentType: string;
  readonly keptAtMs: number;
  readonly expiresAtMs: number;
  /** Where it came from. */
  readonly deploymentId: string;
  readonly group: string;
  readonly provider: string;
  readonly upstreamModel: string;
  readonly units: CallUnits;
  readonly estimated: boolean;
}

/** An answer that was found: under which key, and how alike the question was where it was not the same. */
export interface FoundAnswer {
  readonly answer: CachedResponse;
  readonly key: string;
  readonly similarity: number | null;
}

/** Where answers are kept. What is known at once is no promise; a store that is away answers with nothing. */
export interface AnswerStore {
  readonly kind: "local" | "redis";
  /** Whether it can be asked now. */
  readonly connected: boolean;
  find(key: string): CachedResponse | null | Promise<CachedResponse | null>;
  keep(key: string, answer: CachedResponse): void | Promise<void>;
  /** How many of them were there. Throws where that cannot be said. */
  delete(keys: readonly string[]): Promise<number>;
  /** Removes every answer of this installation, and says how many there were. */
  clear(): Promise<number>;
  size(): Promise<StoreSize>;
  /** Called now and then, where the store does not do it by itself. */
  removeExpired(): Promise<void>;
  /** Throws what is wrong with the store. */
  ping(): Promise<void>;
  /** What the server behind it tells of itself; null where there is none. */
  info(): Promise<Readonly<Record<string, string>>> | null;
}

export interface StoreSize {
  readonly entries: number;
  /** Null where the store does not tell. */
  readonly bytes: number | null;
  /** How many left for want of room, as far as this process knows. */
  readonly evicted: number;
}
