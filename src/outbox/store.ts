/** Something that is to be told to the world outside, once what caused it has been committed. */
export interface OutboxMessage {
  readonly id: string;
  /** Such as `mail.invitation`; the part before the first dot says who delivers it. */
  readonly topic: string;
  readonly payload: Readonly<Record<string, unknown>>;
  /** How often it has been tried, the present time included. */
  readonly attempts: number;
  readonly createdAt: number;
}

/** What the worker needs of a database. Whoever causes a message writes it through a store of its own, in its transaction. */
export interface OutboxStore {
  /**
   * Takes up to `limit` messages of a deliverer whose time has come, the longest waiting first. They are nobody else's until `leaseUntilMs`; a
   * process that dies with one leaves it to the next that asks after that.
   */
  claim(prefix: string, nowMs: number, leaseUntilMs: number, limit: number): Promise<readonly OutboxMessage[]>;
  /** These three do nothing when the claim was lost to somebody else. Nothing is kept of what was in a message that is done. */
  sent(message: OutboxMessage, atMs: number): Promise<void>;
  /** To be tried again later. */
  postpone(message: OutboxMessage, dueAtMs: number, error: string): Promise<void>;
  /** Given up. */
  failed(message: OutboxMessage, atMs: number, error: string): Promise<void>;
  /** Forgets what was sent or given up before then. Gives how many there were. */
  prune(beforeMs: number): Promise<number>;
}
