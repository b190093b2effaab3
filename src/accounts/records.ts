/** Who exists. Times are milliseconds since 1970 in UTC. */
export type UserRole = "user" | "admin";
export type OrganizationRole = "owner" | "admin" | "member" | "viewer";
export type TeamRole = "admin" | "member";

export interface User {
  readonly id: number;
  readonly email: string;
  readonly name: string;
  readonly role: UserRole;
  readonly status: "active" | "disabled";
  readonly passwordHash: string | null;
  readonly lastLoginAt: number | null;
  readonly createdAt: number;
  readonly updatedAt: number;
}

export interface Organization {
  readonly id: string;
  readonly name: string;
  readonly slug: string;
  readonly ownerId: number;
  readonly billingEmail: string | null;
  /** IANA name; days and months of reports begin in it. */
  readonly timezone: string;
  readonly dataRetentionDays: number | null;
  readonly createdAt: number;
  readonly updatedAt: number;
}

export interface OrganizationMember {
  readonly organizationId: string;
  readonly userId: number;
  readonly role: OrganizationRole;
  readonly joinedAt: number;
}

export interface Team {
  readonly id: string;
  readonly organizationId: string;
  readonly name: string;
  readonly status: "active" | "blocked";
  readonly blockedReason: "balance" | "admin" | null;
  /** Groups that the team may call; empty means all. */
  readonly models: readonly string[];
  readonly createdAt: number;
  readonly updatedAt: number;
}

export interface TeamMember {
  readonly teamId: string;
  readonly userId: number;
  readonly role: TeamRole;
  readonly joinedAt: number;
}

/** A member with what people want to see of them. */
export interface NamedMember<Role> {
  readonly userId: number;
  readonly email: string;
  readonly name: string;
  readonly role: Role;
  readonly joinedAt: number;
}

export type BudgetWindow = "hour" | "day" | "week" | "month" | "total";

export interface ApiKey {
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
  /** In nano-USD. */
  readonly budget: bigint | null;
  readonly budgetWindow: BudgetWindow | null;
  readonly rpmLimit: number | null;
  readonly tpmLimit: number | null;
  readonly parallelLimit: number | null;
  /** Addresses and CIDR ranges from which the key may be used; empty means any. */
  readonly allowedIps: readonly string[];
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
