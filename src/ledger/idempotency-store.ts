/** A call that its caller may send again without being charged again. */
export interface KeptCall {
  /** Whose it is: the id of the API key. */
  readonly scope: string;
  /** The hash of the caller's own key for the call. */
  readonly keyHash: string;
  /** The hash of what was asked. */
  readonly bodyHash: string;
  /** `running`: until `expiresAt`, unless it is renewed; `done`: the answer is kept until then. */
  readonly state: "running" | "done";
  /** Who made it, another one each time that it is begun; null for one of an earlier version. */
  readonly owner: string | null;
  readonly status: number | null;
  /** JSON text. */
  readonly headers: string | null;
  /** In base64; null for an answer that was too long to be kept. */
  readonly body: string | null;
  readonly expiresAt: number;
}

export type KeptKey = Pick<KeptCall, "scope" | "keyHash">;

/** A call as one makes it. Whoever took so long that another makes it in its place has no say in it any more. */
export interface IdempotencyClaim extends KeptKey {
  readonly owner: string;
}

export type NewCall = IdempotencyClaim & Pick<KeptCall, "bodyHash" | "expiresAt">;
export type StoredResponse = Pick<KeptCall, "status" | "headers" | "body" | "expiresAt">;

/** Everything may throw `database`. */
export interface IdempotencyStore {
  /**
   * Begins a call: null where it is now the caller's to make, else what is known of the one that was begun before. With
   * `mayLive` one that runs is left to whoever makes it, also where it seems to be over.
   */
  begin(call: NewCall, nowMs: number, mayLive?: boolean): Promise<KeptCall | null>;
  renew(claim: IdempotencyClaim, expiresAt: number): Promise<void>;
  finish(claim: IdempotencyClaim, answer: StoredResponse): Promise<void>;
  /** It may be made again. */
  forget(claim: IdempotencyClaim): Promise<void>;
  /** One that runs is removed later than it may be begun again: whoever makes it may have been unable to renew it. */
  removeExpired(nowMs: number): Promise<void>;
}
