import { NO_ROTATION } from "../../src/accounts/key-rotation.ts";
import { NO_LIMITS } from "../../src/accounts/no-limits.ts";
import type {
  ApiKey,
  AuditEntry,
  Budget,
  Invitation,
  LinkToken,
  Organization,
  Session,
  Team,
  User,
} from "../../src/accounts/records.ts";
import { newId } from "../../src/lib/ids.ts";

/** A moment whose milliseconds do not fit into 32 bits. */
export const AT = 1_763_000_000_123;
let serial = 0;

/** Something that no other record of this process has. */
export const unique = (word: string): string => `${word}${++serial}x`;

export function newUser(given: Partial<User> = {}): Omit<User, "id"> {
  const name = unique("user");
  return {
    externalId: null,
    email: `${name}@example.com`,
    name,
    role: "user",
    viewer: false,
    status: "active",
    passwordHash: null,
    emailVerifiedAt: null,
    lastLoginAt: null,
    budget: null,
    budgetWindow: null,
    rpmLimit: null,
    tpmLimit: null,
    parallelLimit: null,
    models: [],
    metadata: {},
    budgetId: null,
    furtherBudgets: [],
    createdAt: AT,
    updatedAt: AT + 1,
    ...given,
  };
}

export function newOrganization(ownerId: number, given: Partial<Organization> = {}): Organization {
  const id = unique("org_");
  return {
    id,
    name: "Größe 🚀",
    slug: id,
    ownerId,
    billingEmail: null,
    billingEmailVerifiedAt: null,
    timezone: "Europe/Zurich",
    dataRetentionDays: null,
    billing: "prepaid",
    status: "active",
    ...NO_LIMITS,
    models: [],
    metadata: {},
    storePrompts: false,
    allowedIps: [],
    budgetId: null,
    createdAt: AT,
    updatedAt: AT,
    ...given,
  };
}

export function newTeam(organizationId: string, given: Partial<Team> = {}): Team {
  const id = unique("team_");
  return {
    id,
    organizationId,
    name: `Team ${id}`,
    status: "active",
    blockedReason: null,
    models: [],
    modelAliases: {},
    modelLimits: {},
    furtherBudgets: [],
    memberBudget: null,
    memberBudgetWindow: null,
    memberRpmLimit: null,
    memberTpmLimit: null,
    ...NO_LIMITS,
    guardrails: [],
    tags: [],
    metadata: {},
    budgetId: null,
    createdAt: AT,
    updatedAt: AT + 2,
    ...given,
  };
}

export function newKey(teamId: string, given: Partial<ApiKey> = {}): ApiKey {
  const id = unique("key_");
  return {
    id,
    teamId,
    name: "Key",
    hash: `hash of ${id}`,
    previousHash: null,
    previousUntil: null,
    handle: `handle of ${id}`,
    last4: "0042",
    status: "active",
    models: [],
    ...NO_LIMITS,
    ...NO_ROTATION,
    waivedSpend: 0n,
    waivedBudget: 0n,
    waivedWindowAt: null,
    modelLimits: {},
    furtherBudgets: [],
    aliases: {},
    budgetId: null,
    allowedIps: [],
    guardrails: [],
    tags: [],
    metadata: {},
    expiresAt: null,
    lastUsedAt: null,
    createdBy: null,
    createdAt: AT + 3,
    updatedAt: AT + 4,
    ...given,
  };
}

export function newBudget(given: Partial<Budget> = {}): Budget {
  return {
    id: unique("budget_"),
    organizationId: null,
    ...NO_LIMITS,
    modelLimits: {},
    furtherBudgets: [],
    createdAt: AT,
    updatedAt: AT + 5,
    ...given,
  };
}

export function newSession(userId: number, given: Partial<Session> = {}): Session {
  return {
    id: unique("session_"),
    userId,
    organizationId: null,
    userAgent: "",
    address: null,
    createdAt: AT,
    lastSeenAt: AT,
    expiresAt: AT + 1000,
    revokedAt: null,
    adminSessionId: null,
    ...given,
  };
}

export function newInvitation(team: Pick<Team, "id" | "organizationId">, given: Partial<Invitation> = {}): Invitation {
  const id = unique("invitation_");
  return {
    id,
    organizationId: team.organizationId,
    teamId: team.id,
    email: `${id}@example.com`,
    role: "member",
    tokenHash: `hash of ${id}`,
    status: "pending",
    invitedBy: null,
    mailedAt: null,
    expiresAt: AT + 1000,
    acceptedAt: null,
    acceptedBy: null,
    createdAt: AT,
    updatedAt: AT,
    ...given,
  };
}

export function newLinkToken(userId: number, given: Partial<LinkToken> = {}): LinkToken {
  const id = unique("link_");
  return {
    id,
    userId,
    purpose: "password_reset",
    email: `${id}@example.com`,
    tokenHash: `hash of ${id}`,
    expiresAt: AT + 1000,
    createdAt: AT,
    ...given,
  };
}

export function newAuditEntry(given: Partial<AuditEntry> = {}): AuditEntry {
  return {
    id: newId(),
    at: AT,
    actor: "system",
    userId: null,
    action: "team.create",
    organizationId: null,
    targetType: "team",
    targetId: unique("team_"),
    details: {},
    address: null,
    ...given,
  };
}
