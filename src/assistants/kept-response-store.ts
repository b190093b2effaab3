import type { Owner } from "../contract/cursor.ts";
import type { ResponseAnswer, ResponseItem } from "../contract/responses.ts";

/** An answer that later calls may go on from. */
export interface KeptResponse {
  readonly id: string;
  readonly teamId: string | null;
  readonly previousId: string | null;
  readonly createdAt: number;
  readonly expiresAt: number;
  /** What was put in with this call alone, each with an id. */
  readonly input: readonly ResponseItem[];
  readonly answer: ResponseAnswer;
}

/** One of a chain, with the length of what it holds. */
export interface Link extends Pick<KeptResponse, "id" | "previousId"> {
  readonly chars: number;
}

export interface KeptResponseStore {
  /** Null for what is another team's, or over. */
  find(owner: Owner, id: string, nowMs: number): Promise<KeptResponse | null>;
  /**
   * It and all that it goes on from, the first one first, as far as they are there, and at most so many: one that is missing
   * shows in the first one's `previousId`.
   */
  chain(owner: Owner, id: string, nowMs: number, max: number): Promise<readonly Link[]>;
  /** Of those that a chain has named, what is there, in any order. */
  findAll(ids: readonly string[]): Promise<readonly KeptResponse[]>;
  insert(response: KeptResponse): Promise<void>;
  remove(owner: Owner, id: string): Promise<boolean>;
  removeExpired(nowMs: number): Promise<void>;
}
