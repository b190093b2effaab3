import type { BudgetWindow } from "../contract/duration.ts";

/** Who exists. Times are milliseconds since 1970 in UTC. */
export type UserRole = "user" | "admin";
export type OrganizationRole = "owner" | "admin" | "member" | "viewer";
export type TeamRole = "admin" | "member";

/** What may be spent in a window of time, in nano-USD; null means no limit of its own. */
export interface SpendLimit {
  readonly budget: bigint | null;
  readonly budgetWindow: BudgetWindow | null;
}

/** A budget next to the main one: of another window, or of one model. All of them are enforced. */
export interface FurtherBudget {
  /** In nano-USD. */
  readonly limit: number;
  readonly window: BudgetWindow;
  /** The name of its group; null: any model. */
  readonly model: string | null;
}

interface WithFurtherBudgets {
  readonly furtherBudgets: readonly FurtherBudget[];
}

/** Requests and tokens a minute; null means no limit of its own. */
export interface RateLimit {
  readonly rpmLimit: number | null;
  readonly tpmLimit: number | null;
}

export interface Limits extends SpendLimit, RateLimit {
  /** Passing it is told, and refuses nothing. */
  readonly softBudget: bigint | null;
  /** Calls at one time. */
  readonly parallelLimit: number | null;
}

/** Limits for single models, by the name that callers use. */
export type ModelLimits = Readonly<Record<string, { readonly rpm?: number; readonly tpm?: number }>>;

/** Names of the caller's own for groups. */
export type Aliases = Readonly<Record<string, string>>;

export interface User extends SpendLimit, RateLimit, WithFurtherBudgets {
  readonly id: number;
  /** The id that the operator chose, never of digits alone; null for users who have only the number. */
  readonly externalId: string | null;
  /** Empty for a record without sign-in: it receives no email, and no password can be set. */
  readonly email: string;
  readonly name: string;
  readonly role: UserRole;
  /** May only read: an administrator in the whole server, a user in every organization that they join. */
  readonly viewer: boolean;
  readonly status: "active" | "disabled";
  readonly passwordHash: string | null;
  /** When it was shown that mail to the address reaches the person; null until then. */
  readonly emailVerifiedAt: number | null;
  readonly lastLoginAt: number | null;
  /** Groups that the user's keys may call, within the lists of the key and the team; empty means all. */
  readonly models: readonly string[];
  /** Concurrent calls of all of the user's keys. */
  readonly parallelLimit: number | null;
  readonly metadata: Readonly<Record<string, unknown>>;
  readonly budgetId: string | null;
  readonly createdAt: number;
  readonly updatedAt: number;
}

/** A new user has no limits unless told. */
export type NewUser = Omit<User, "id" | UserSetting> & Partial<Pick<User, UserSetting>>;
type UserSetting =
  | keyof SpendLimit
  | keyof RateLimit
  | "externalId"
  | "viewer"
  | "models"
  | "parallelLimit"
  | "metadata"
  | "budgetId"
  | "furtherBudgets";

export interface Organization extends Limits {
  readonly id: string;
  readonly name: string;
  readonly slug: string;
  readonly ownerId: number;
  readonly billingEmail: string | null;
  /** When its reader confirmed it. Until then it receives nothing but the request to do so. */
  readonly billingEmailVerifiedAt: number | null;
  /** IANA name; days and months of reports begin in it. */
  readonly timezone: string;
  readonly dataRetentionDays: number | null;
  /** An invoiced organization needs no credit and is never blocked for the lack of it. */
  readonly billing: "prepaid" | "invoiced";
  /** Blocked by an administrator: nothing of it may be called. */
  readonly status: "active" | "blocked";
  /** Groups that the organization may call; empty means all. */
  readonly models: readonly string[];
  /** Addresses and CIDR ranges from which its keys and management tokens may be used; empty means any. */
  readonly allowedIps: readonly string[];
  readonly metadata: Readonly<Record<string, unknown>>;
  /** Whether requests and answers are kept with the usage log. */
  readonly storePrompts: boolean;
  readonly budgetId: string | null;
  readonly createdAt: number;
  readonly updatedAt: number;
}

export interface OrganizationMember {
  readonly organizationId: string;
  readonly userId: number;
  readonly role: OrganizationRole;
  readonly joinedAt: number;
}

export interface Team extends Limits, MemberDefaults, WithFurtherBudgets {
  readonly id: string;
  readonly organizationId: string;
  readonly name: string;
  readonly status: "active" | "blocked";
  readonly blockedReason: "balance" | "admin" | null;
  /** Groups that the team may call; empty means all. */
  readonly models: readonly string[];
  readonly modelAliases: Aliases;
  readonly modelLimits: ModelLimits;
  /** Names of guardrails that look at every call of the team. */
  readonly guardrails: readonly string[];
  readonly tags: readonly string[];
  readonly metadata: Readonly<Record<string, unknown>>;
  readonly budgetId: string | null;
  readonly createdAt: number;
  readonly updatedAt: number;
}

/** Limits of each member of a team who has none. */
export interface MemberDefaults {
  readonly memberBudget: bigint | null;
  readonly memberBudgetWindow: BudgetWindow | null;
  readonly memberRpmLimit: number | null;
  readonly memberTpmLimit: number | null;
}

/** A member's limits within the team. */
export interface TeamMember extends SpendLimit, RateLimit {
  readonly teamId: string;
  readonly userId: number;
  readonly role: TeamRole;
  readonly joinedAt: number;
}

/** A new member has no limits unless told. */
export type NewTeamMember = Omit<TeamMember, MemberSetting> & Partial<Pick<TeamMember, MemberSetting>>;
type MemberSetting = keyof SpendLimit | keyof RateLimit;

/** A member with what people want to see of them. */
export interface NamedMember<Role> {
  readonly userId: number;
  readonly externalId: string | null;
  readonly email: string;
  readonly name: string;
  readonly role: Role;
  readonly joinedAt: number;
}

export type NamedTeamMember = NamedMember<TeamRole> & SpendLimit & RateLimit;

/** Somebody whom an organization makes calls for, by the name that these tell. Callers may name others, too, who have no record. */
export interface EndUser extends Limits {
  readonly organizationId: string;
  readonly id: string;
  readonly alias: string | null;
  /** Calls for them are refused. */
  readonly blocked: boolean;
  readonly budgetId: string | null;
  readonly createdAt: number;
  readonly updatedAt: number;
}

/** Limits that several organizations, teams, users, end users and keys have in common: each of them has all of it for itself. */
export interface Budget extends Limits, WithFurtherBudgets {
  readonly id: string;
  /** Null: the operator's. */
  readonly organizationId: string | null;
  readonly modelLimits: ModelLimits;
  readonly createdAt: number;
  readonly updatedAt: number;
}

/** When a key gets a new value by itself, and when it got the last one. */
export interface Rotation {
  /** A duration such as `30d`; null: it is rotated by hand alone. */
  readonly rotationInterval: string | null;
  /** For how long the value before goes on; null: a week, or the interval where that is shorter. */
  readonly rotationGraceSeconds: number | null;
  readonly rotationAt: number | null;
  readonly rotationCount: number;
  readonly rotatedAt: number | null;
  /** When the present value was made, while it waits for somebody to pick it up. */
  readonly unseenAt: number | null;
}

/** What was taken off a key's spend by hand, in nano-USD. The books have it all the same. */
export interface WaivedSpend {
  /** Of all that it ever spent. */
  readonly waivedSpend: bigint;
  /** Of what its budget counts in the window that began at `waivedWindowAt`, and in no other. */
  readonly waivedBudget: bigint;
  readonly waivedWindowAt: number | null;
}

export interface ApiKey extends Limits, Rotation, WaivedSpend, WithFurtherBudgets {
  readonly id: string;
  readonly teamId: string;
  readonly name: string;
  /** HMAC of the whole key: the key itself is never stored. */
  readonly hash: string;
  /** The HMAC that was valid before the last rotation, and until when it still is. */
  readonly previousHash: string | null;
  readonly previousUntil: number | null;
  /** SHA-256 of the key, by which lists and other programs name it; it opens nothing. */
  readonly handle: string;
  readonly last4: string;
  readonly status: "active" | "disabled";
  /** Groups that the key may call; empty means all that the team may. */
  readonly models: readonly string[];
  readonly modelLimits: ModelLimits;
  readonly aliases: Aliases;
  readonly budgetId: string | null;
  /** Addresses and CIDR ranges from which the key may be used; empty means any. */
  readonly allowedIps: readonly string[];
  /** Names of guardrails that look at every call of the key, beside those of its team. */
  readonly guardrails: readonly string[];
  readonly tags: readonly string[];
  readonly metadata: Readonly<Record<string, unknown>>;
  readonly expiresAt: number | null;
  readonly lastUsedAt: number | null;
  readonly createdBy: number | null;
  readonly createdAt: number;
  readonly updatedAt: number;
}

export interface Session {
  readonly id: string;
  readonly userId: number;
  /** The organization that the session works in, where it has chosen one. */
  readonly organizationId: string | null;
  readonly userAgent: string;
  readonly address: string | null;
  readonly createdAt: number;
  readonly lastSeenAt: number;
  readonly expiresAt: number;
  readonly revokedAt: number | null;
  /** Where an administrator sees the platform as this person: the session of their own that it was begun from. */
  readonly adminSessionId: string | null;
}

/** What somebody is to become: an administrator or a member of the team, or a member who is a viewer in the organization. */
export type InvitationRole = TeamRole | "viewer";

export interface Invitation {
  readonly id: string;
  readonly organizationId: string;
  readonly teamId: string;
  readonly email: string;
  readonly role: InvitationRole;
  /** SHA-256 of the token in the link; null while the mail that will have it is not on its way. */
  readonly tokenHash: string | null;
  /** One that is pending but past its time is over as well. */
  readonly status: "pending" | "accepted" | "revoked";
  readonly invitedBy: number | null;
  /** When the present token was mailed: whoever has it reads the mail of the address. Null for a link that was handed over. */
  readonly mailedAt: number | null;
  readonly expiresAt: number;
  readonly acceptedAt: number | null;
  readonly acceptedBy: number | null;
  readonly createdAt: number;
  readonly updatedAt: number;
}

/** What one link lets somebody do with an account, once. */
export interface LinkToken {
  readonly id: string;
  readonly userId: number;
  readonly purpose: "password_reset" | "verify_email";
  readonly email: string;
  readonly tokenHash: string;
  readonly expiresAt: number;
  readonly createdAt: number;
}

/** Who changed what; written in the transaction of the change itself. */
export interface AuditEntry {
  readonly id: string;
  readonly at: number;
  readonly actor: "user" | "master_key" | "system";
  readonly userId: number | null;
  /** Such as `team.create`. */
  readonly action: string;
  readonly organizationId: string | null;
  readonly targetType: string;
  readonly targetId: string;
  readonly details: Readonly<Record<string, unknown>>;
  readonly address: string | null;
}

/** As it is read: both are null until the row is sealed, about a second after it was written. */
export interface LoggedEntry extends AuditEntry {
  readonly seq: number | null;
  readonly hash: string | null;
}
