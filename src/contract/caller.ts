import type { BudgetWindow } from "./duration.ts";
import type { TokenScope } from "./management-tokens.ts";

/** Whose budgets and limits hold for a call. */
type CallerScope = "organization" | "team" | "user" | "member" | "key" | "end_user";

/** What may be spent in each window of time, and who it is for. */
export interface CallerBudget {
  readonly scope: CallerScope;
  readonly id: string;
  /** In nano-USD. */
  readonly limit: bigint;
  readonly window: BudgetWindow;
  /** One of several budgets of its owner, whose spend is counted separately. */
  readonly isFurther?: true;
  /** The group whose calls count; those of all groups if there is none. */
  readonly model?: string;
  /** What does not count in the window that began then. */
  readonly waived?: { readonly amount: bigint; readonly windowAt: number };
}

/** Calls and tokens a minute, and calls at one time, and who they are for; null means no limit of its own. */
export interface CallerLimit {
  readonly scope: CallerScope;
  readonly id: string;
  readonly rpm: number | null;
  readonly tpm: number | null;
  readonly parallel: number | null;
  /** Further ones for single models, by the name that callers use. */
  readonly models: Readonly<Record<string, { readonly rpm?: number; readonly tpm?: number }>> | null;
}

/** How the books see the organization of a caller; shared by all of its keys. */
export interface Standing {
  readonly organizationId: string;
  /** Needs credit before it calls; else it is charged, and pays later. */
  readonly prepaid: boolean;
  /** IANA name, in which the windows of budgets begin. */
  readonly timezone: string;
  /** Requests and answers are kept with the usage log. */
  readonly storePrompts: boolean;
}

/** Who is calling, as admission and handlers see it. Produced by `accounts`, carried by `http`. */
export interface KeyCaller {
  readonly kind: "key";
  /** The master key is the proxy's admin; it belongs to no team. */
  readonly master: boolean;
  readonly keyId: string;
  readonly keyName: string;
  readonly teamId: string | null;
  readonly organizationId: string | null;
  /** What the key itself may call: groups, patterns and access groups; empty means all. */
  readonly models: readonly string[];
  /** The lists of its team and its organization: what is called must be in each of them. */
  readonly within: readonly (readonly string[])[];
  /** Names of the key and its team for models; looked up before anything else. */
  readonly aliases: Readonly<Record<string, string>> | null;
  /** Names of guardrails that look at every call, by the key or its team. */
  readonly guardrails: readonly string[];
  /** Of the key and its team; every call has them beside its own. */
  readonly tags: readonly string[];
  /** Requests and tokens a minute that the key is limited to; null means no limit of its own. */
  readonly rpmLimit: number | null;
  readonly tpmLimit: number | null;
  /** Who made the key. */
  readonly userId: number | null;
  /** Null for the master key, whose calls are charged to nobody. */
  readonly standing: Standing | null;
  /** The widest first. */
  readonly budgets: readonly CallerBudget[];
  /** What of the key's spend is not told as such; null for most. */
  readonly waivedSpend?: bigint | null;
  /** The widest first. */
  readonly limits: readonly CallerLimit[];
  /** Whom the call is made for, where that end user's own limits and budget are among these. */
  readonly endUser?: string;
}

export interface SessionCaller {
  readonly kind: "session";
  readonly sessionId: string;
  readonly userId: number;
  readonly email: string;
  /** Whether mail to the address is known to reach the person. */
  readonly emailVerified: boolean;
  readonly name: string;
  readonly role: "user" | "admin";
  /** The organization that the session has chosen to work in. */
  readonly organizationId: string | null;
  /** Where a management token speaks for the person: `organizationId` is then the only one that is reached. */
  readonly token?: {
    readonly id: string;
    readonly scopes: readonly TokenScope[];
    /** Its person administers the server. The token does so only for its scopes, and `role` stays "user". */
    readonly ofAdministrator: boolean;
  };
  /** An administrator who may only read: operations of administrators that change something are refused. */
  readonly readsOnly?: true;
  /** Where an administrator sees the platform as this person: who really acts. */
  readonly actingAdmin?: ActingAdmin;
}

export interface ActingAdmin {
  readonly userId: number;
  readonly email: string;
  readonly name: string;
  /** Their own session, which waits and which the other one ends with. */
  readonly sessionId: string;
  readonly untilMs: number;
}

/** A key or a session; where an operator is asked for, the master key or the session of a platform admin. */
export type AdminCaller = KeyCaller | SessionCaller;

/** Who is at the other end of a call; asked only when it matters, because asking costs something. */
export interface Peer {
  readonly remoteAddress: string | null;
}

export interface CallerOf {
  none: null;
  key: KeyCaller;
  session: SessionCaller;
  admin: AdminCaller;
  /** Any key or session; the handler asks what it may do. */
  any: AdminCaller;
}

export type AuthKind = keyof CallerOf;
