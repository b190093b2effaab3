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
  readonly createdAt: number;
  readonly updatedAt: number;
}

export interface Organization {
  readonly id: string;
  readonly name: string;
  readonly slug: string;
  readonly ownerId: number;
  readonly createdAt: number;
  readonly updatedAt: number;
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

export interface ApiKey {
  readonly id: string;
  readonly teamId: string;
  readonly name: string;
  /** HMAC of the whole key: the key itself is never stored. */
  readonly hash: string;
  readonly last4: string;
  readonly status: "active" | "disabled";
  /** Groups that the key may call; empty means all that the team may. */
  readonly models: readonly string[];
  readonly expiresAt: number | null;
  readonly createdBy: number | null;
  readonly createdAt: number;
  readonly updatedAt: number;
}

export interface Session {
  readonly id: string;
  readonly userId: number;
  readonly createdAt: number;
  readonly expiresAt: number;
  readonly revokedAt: number | null;
}
