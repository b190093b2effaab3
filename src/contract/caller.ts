/** Who is calling, as admission and handlers see it. Produced by `accounts`, carried by `http`. */
export interface KeyCaller {
  readonly kind: "key";
  /** The master key is the proxy's admin; it belongs to no team. */
  readonly master: boolean;
  readonly keyId: string;
  readonly keyName: string;
  readonly teamId: string | null;
  readonly organizationId: string | null;
  /** Groups that this key may call; empty means all. */
  readonly models: readonly string[];
  /** Requests and tokens a minute that the key is limited to; null means no limit of its own. */
  readonly rpmLimit: number | null;
  readonly tpmLimit: number | null;
}

export interface SessionCaller {
  readonly kind: "session";
  readonly sessionId: string;
  readonly userId: number;
  readonly email: string;
  readonly name: string;
  readonly role: "user" | "admin";
  /** The organization that the session has chosen to work in. */
  readonly organizationId: string | null;
}

/** The master key or the session of a platform admin. */
export type AdminCaller = KeyCaller | SessionCaller;

export interface CallerOf {
  none: null;
  key: KeyCaller;
  session: SessionCaller;
  admin: AdminCaller;
}

export type AuthKind = keyof CallerOf;
