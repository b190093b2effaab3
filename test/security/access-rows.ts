import type { TokenScope } from "../../src/contract/management-tokens.ts";

/** Everybody who may knock, good or bad. */
export const CALLERS = [
  "none",
  "malformed key",
  "unknown key",
  "disabled key",
  "expired key",
  "key of a blocked team",
  "member's key",
  "master key",
  "member session",
  "organization admin session",
  "platform admin session",
  "revoked session",
  "session of a disabled user",
  "management token",
  "management token without scopes",
  "expired management token",
] as const;
export type CallerKind = (typeof CALLERS)[number];

export type Outcome = 401 | 403 | "through";
export type AccessRow = {
  readonly auth: "none" | "key" | "session" | "admin" | "any";
  /** What a management token must have been made for; a route without one takes none. */
  readonly scope?: TokenScope;
  /** The key may stand in the address, as `key`. No other route takes one from there. */
  readonly keyInAddress?: true;
} & Readonly<Record<CallerKind, Outcome>>;

const NOBODY = {
  none: 401,
  "malformed key": 401,
  "unknown key": 401,
  "disabled key": 401,
  "expired key": 401,
  "key of a blocked team": 401,
  "member's key": 401,
  "master key": 401,
  "member session": 401,
  "organization admin session": 401,
  "platform admin session": 401,
  "revoked session": 401,
  "session of a disabled user": 401,
  "management token": 401,
  "management token without scopes": 401,
  "expired management token": 401,
} as const;

/** Where sessions are taken, a token that is good is known, and refused. */
const NO_TOKEN = { "management token": 403, "management token without scopes": 403 } as const;

export const OPEN: AccessRow = {
  auth: "none",
  none: "through",
  "malformed key": "through",
  "unknown key": "through",
  "disabled key": "through",
  "expired key": "through",
  "key of a blocked team": "through",
  "member's key": "through",
  "master key": "through",
  "member session": "through",
  "organization admin session": "through",
  "platform admin session": "through",
  "revoked session": "through",
  "session of a disabled user": "through",
  "management token": "through",
  "management token without scopes": "through",
  "expired management token": "through",
};

export const KEY: AccessRow = {
  ...NOBODY,
  auth: "key",
  "key of a blocked team": 403,
  "member's key": "through",
  "master key": "through",
};

/** Google's interface, whose clients may have the key in the address. */
export const GOOGLE_KEY: AccessRow = { ...KEY, keyInAddress: true };

export const SESSION: AccessRow = {
  ...NOBODY,
  ...NO_TOKEN,
  auth: "session",
  "member session": "through",
  "organization admin session": "through",
  "platform admin session": "through",
};

export const OPERATOR: AccessRow = {
  ...NOBODY,
  ...NO_TOKEN,
  auth: "admin",
  "key of a blocked team": 403,
  "member's key": 403,
  "master key": "through",
  "member session": 403,
  "organization admin session": 403,
  "platform admin session": "through",
};

/** Any key or session gets in; what it may do, the handler asks. */
export const ANYBODY: AccessRow = {
  ...NOBODY,
  ...NO_TOKEN,
  auth: "any",
  "key of a blocked team": 403,
  "member's key": "through",
  "master key": "through",
  "member session": "through",
  "organization admin session": "through",
  "platform admin session": "through",
};

/** Declared as open because it takes a token that has just ended; its handler asks for one all the same. */
export const OWN_CHECK: AccessRow = {
  ...SESSION,
  auth: "none",
  "management token": 401,
  "management token without scopes": 401,
};

export const scoped = (scope: TokenScope): AccessRow => ({ ...SESSION, scope, "management token": "through" });
