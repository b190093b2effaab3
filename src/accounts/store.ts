import type { Sorting } from "../contract/sorting.ts";
import type { CredentialStore, DeploymentStore, DeploymentSwitchStore } from "./model-records.ts";
import type { OperatorRuleStore } from "./operator-rule.ts";
import type {
  ApiKey,
  AuditEntry,
  Budget,
  EndUser,
  Invitation,
  LinkToken,
  LoggedEntry,
  NamedMember,
  NamedTeamMember,
  NewTeamMember,
  NewUser,
  Organization,
  OrganizationMember,
  OrganizationRole,
  RateLimit,
  Session,
  SpendLimit,
  Team,
  TeamMember,
  User,
  UserRole,
} from "./records.ts";
import type {
  ConnectGrantStore,
  DeviceLoginStore,
  IdentityStore,
  ManagementTokenStore,
  PasskeyStore,
  SpentChallengeStore,
  TwoFactorStore,
} from "./sign-in-store.ts";

/** What accounts need of a database. `storage/` implements it; everything may throw `database` or `conflict`. */
export interface AccountStores {
  readonly users: UserStore;
  readonly sessions: SessionStore;
  readonly organizations: OrganizationStore;
  readonly organizationMembers: OrganizationMemberStore;
  readonly teams: TeamStore;
  readonly teamMembers: TeamMemberStore;
  readonly keys: KeyStore;
  readonly budgets: BudgetStore;
  readonly endUsers: EndUserStore;
  readonly invitations: InvitationStore;
  readonly linkTokens: LinkTokenStore;
  readonly outbox: OutboxWriter;
  readonly audit: AuditStore;
  readonly settings: SettingStore;
  readonly twoFactors: TwoFactorStore;
  readonly identities: IdentityStore;
  readonly deviceLogins: DeviceLoginStore;
  readonly connectGrants: ConnectGrantStore;
  readonly passkeys: PasskeyStore;
  readonly spentChallenges: SpentChallengeStore;
  readonly managementTokens: ManagementTokenStore;
  readonly deployments: DeploymentStore;
  readonly deploymentSwitches: DeploymentSwitchStore;
  readonly operatorRules: OperatorRuleStore;
  readonly credentials: CredentialStore;
  readonly credits: CreditStore;
  /** All or nothing; `work` uses the stores that it is handed, never the outer ones. */
  transaction<T>(work: (stores: AccountStores) => Promise<T>): Promise<T>;
}

/** A part of a list: `page` counts from 1. */
export interface Page {
  readonly page: number;
  readonly pageSize: number;
}

export interface Paged<T> {
  readonly rows: readonly T[];
  /** How many there are on all pages. */
  readonly total: number;
}

export interface UserStore {
  find(id: number): Promise<User | null>;
  findByEmail(email: string): Promise<User | null>;
  findByExternalId(externalId: string): Promise<User | null>;
  /** The chosen ids of these users; those that have none are missing. */
  externalIdsOf(ids: readonly number[]): Promise<ReadonlyMap<number, string>>;
  /** The oldest active administrator who is not a viewer. */
  findFirstAdmin(): Promise<User | null>;
  /** The id is given by the database. A known email or external id is a `conflict`. */
  insert(user: NewUser): Promise<User>;
  update(id: number, changes: Partial<Omit<User, "id" | "createdAt">>): Promise<void>;
  list(filter: UserFilter, page: Page, order?: UserOrder): Promise<Paged<User>>;
}

export interface UserFilter {
  /** Part of the email, the name or the external id, whatever its case. */
  readonly search?: string;
  readonly role?: UserRole | undefined;
  readonly viewer?: boolean | undefined;
  readonly ids?: readonly number[];
}

export type UserOrder = Sorting<"id" | "email" | "name" | "createdAt" | "lastLoginAt">;

export interface SessionStore {
  find(id: string): Promise<Session | null>;
  insert(session: Session): Promise<void>;
  update(id: string, changes: Partial<Pick<Session, "organizationId" | "lastSeenAt" | "expiresAt">>): Promise<void>;
  /** Those that are neither revoked nor over, the newest first. */
  listOpen(userId: number, nowMs: number): Promise<readonly Session[]>;
  /**
   * Revokes one session of the user, or all but one, or all, and those that were begun from them as somebody else. Gives how
   * many of the user's own were open.
   */
  revoke(userId: number, which: { readonly id?: string; readonly except?: string }, atMs: number): Promise<number>;
  /** Those that were begun from an administrator's session as somebody else. */
  revokeBegunFrom(adminSessionIds: readonly string[], atMs: number): Promise<void>;
}

export interface OrganizationStore {
  find(id: string): Promise<Organization | null>;
  insert(organization: Organization): Promise<void>;
  update(id: string, changes: Partial<Omit<Organization, "id" | "createdAt">>): Promise<void>;
  /** It had this time zone until then. */
  keepZone(id: string, timezone: string, endedAt: number): Promise<void>;
  /** How much it may store. Null restores the default. */
  putStorageQuota(id: string, bytes: number | null): Promise<void>;
  /** With its teams, their keys and its memberships. */
  remove(id: string): Promise<void>;
  /** All, by id unless told. `search` is part of the name or of the slug, whatever its case. */
  list(filter: { readonly search?: string }, page: Page, order?: OrganizationOrder): Promise<Paged<Organization>>;
  /** Those that the user is a member of, by name. */
  listOf(userId: number): Promise<readonly { readonly organization: Organization; readonly role: OrganizationRole }[]>;
  /** Where each of these people is, by name. */
  namesOf(userIds: readonly number[]): Promise<readonly NamedMembership[]>;
}

export type OrganizationOrder = Sorting<"id" | "name" | "createdAt" | "balance">;

export interface NamedMembership {
  readonly userId: number;
  readonly id: string;
  readonly name: string;
  readonly role: OrganizationRole;
}

export interface OrganizationMemberStore {
  find(organizationId: string, userId: number): Promise<OrganizationMember | null>;
  /** Who is a member already is a `conflict`. */
  insert(member: OrganizationMember): Promise<void>;
  setRole(organizationId: string, userId: number, role: OrganizationRole): Promise<void>;
  /** Also out of the organization's teams. */
  remove(organizationId: string, userId: number): Promise<void>;
  /** By name. */
  list(organizationId: string): Promise<readonly NamedMember<OrganizationRole>[]>;
}

export interface TeamStore {
  find(id: string): Promise<Team | null>;
  /** A name that another team of the organization has is a `conflict`. */
  insert(team: Team): Promise<void>;
  /** Whether a team of this id has ever called something, one that was removed too. */
  hasUsage(id: string): Promise<boolean>;
  update(id: string, changes: Partial<Omit<Team, "id" | "organizationId" | "createdAt">>): Promise<void>;
  /** With its memberships and keys. */
  remove(id: string): Promise<void>;
  /** By name; with how many members and keys each has. */
  list(organizationId: string): Promise<readonly TeamWithCounts[]>;
  /** The oldest first unless told. `ids` null: all that there are; `search` is part of the name, whatever its case. */
  search(filter: TeamFilter, page: Page, order?: TeamOrder): Promise<Paged<TeamWithCounts>>;
}

export type TeamOrder = Sorting<"name" | "createdAt">;

export interface TeamFilter {
  readonly ids: readonly string[] | null;
  readonly search?: string;
}

export interface TeamWithCounts {
  readonly team: Team;
  readonly membersCount: number;
  readonly keysCount: number;
}

export interface TeamMemberStore {
  find(teamId: string, userId: number): Promise<TeamMember | null>;
  /** Who is a member already is a `conflict`. */
  insert(member: NewTeamMember): Promise<void>;
  update(
    teamId: string,
    userId: number,
    changes: Partial<Omit<TeamMember, "teamId" | "userId" | "joinedAt">>,
  ): Promise<void>;
  remove(teamId: string, userId: number): Promise<void>;
  /** By name. */
  list(teamId: string): Promise<readonly NamedTeamMember[]>;
  /** Those of many teams at once, by name; a team without members has none. */
  listOf(teamIds: readonly string[]): Promise<readonly (NamedTeamMember & { readonly teamId: string })[]>;
  /** The teams of an organization that the user is in. */
  listTeamsOf(organizationId: string, userId: number): Promise<readonly TeamMember[]>;
}

/** A key with the team that it belongs to. */
export interface KeyWithTeam {
  readonly key: ApiKey;
  readonly team: Team;
}

/** A key with what its organization, its team and whoever made it are allowed. */
export interface KeyStanding extends KeyWithTeam {
  readonly organization: SpendLimit &
    RateLimit &
    Pick<Organization, "billing" | "status" | "models" | "allowedIps" | "timezone" | "storePrompts" | "parallelLimit">;
  /** Of the key's maker: as a member of the team, and at all. Null where there is none. */
  readonly member: (SpendLimit & RateLimit) | null;
  readonly user: (SpendLimit & RateLimit & Pick<User, "models" | "parallelLimit" | "furtherBudgets">) | null;
}

export interface KeyFilter {
  /** Null: of all teams. */
  readonly teamIds: readonly string[] | null;
  readonly search?: string;
  readonly status?: ApiKey["status"];
  readonly createdBy?: number;
  readonly handle?: string;
  /** The whole name. */
  readonly name?: string;
}

export type KeyOrder = Sorting<"createdAt" | "updatedAt" | "name" | "lastUsedAt" | "expiresAt" | "spend">;

export interface KeyStore {
  /** By the present HMAC, or by the one before it, whose time the caller checks. */
  findByHash(hash: string): Promise<KeyStanding | null>;
  /** By id or by handle. */
  find(reference: string): Promise<KeyWithTeam | null>;
  insert(key: ApiKey): Promise<void>;
  update(id: string, changes: Partial<Omit<ApiKey, "id" | "teamId" | "createdAt">>): Promise<void>;
  /** When keys were last used, by their ids. Keys that are gone, and uses before one that is on record, are passed over. */
  noteUse(used: readonly (readonly [keyId: string, lastUsedAt: number])[]): Promise<void>;
  remove(id: string): Promise<void>;
  /** Switches off all that somebody has; gives how many these were. */
  disableOf(userId: number, at: number): Promise<number>;
  /** Active keys whose next rotation was due by then, those that wait longest first; those that come after one of them, where it is named. */
  listDue(nowMs: number, limit: number, after?: Pick<ApiKey, "id" | "rotationAt">): Promise<readonly KeyWithTeam[]>;
  /** Keeps a value, sealed, until somebody picks it up; in place of one that was kept before. */
  keepUnseen(keyId: string, sealed: string): Promise<void>;
  /** Gives what was kept and keeps it no more: of all who ask at once, one gets it. */
  takeUnseen(keyId: string): Promise<string | null>;
  /** The newest first unless told. */
  list(filter: KeyFilter, page: Page, order?: KeyOrder): Promise<Paged<ApiKey>>;
}

export type BudgetOwners = "organizations" | "teams" | "users" | "endUsers" | "apiKeys";

export interface BudgetStore {
  find(id: string): Promise<Budget | null>;
  /** As it stays until the transaction ends: for whoever is given its limits. */
  findSettled(id: string): Promise<Budget | null>;
  /** Also, nobody is given it until then. Who has it is held first, as whoever gives it to somebody holds them first. */
  lock(id: string): Promise<Budget | null>;
  /** A known id is a `conflict`. */
  insert(budget: Budget): Promise<void>;
  update(id: string, changes: Partial<Omit<Budget, "id" | "organizationId" | "createdAt">>): Promise<void>;
  remove(id: string): Promise<void>;
  /** By id. */
  list(page: Page): Promise<Paged<Budget>>;
  /** How many organizations, teams, users, end users and keys have it, or of some of these. */
  countUses(id: string, among?: readonly BudgetOwners[]): Promise<number>;
  /** Gives all that have it its limits as they are now. */
  spread(budget: Budget): Promise<void>;
}

/** An end user with what was spent for them, in nano-USD: by all calls since they have a record, and by those before that the log still had. */
export interface EndUserSpend {
  readonly endUser: EndUser;
  readonly spent: bigint;
}

export interface WantedEndUsers {
  readonly search?: string | undefined;
  readonly order?: Sorting<"id" | "createdAt">;
}

export interface EndUserStore {
  find(organizationId: string, id: string): Promise<EndUser | null>;
  findSpend(organizationId: string, id: string): Promise<EndUserSpend | null>;
  /** What is spent for them is counted from now on. A known id is a `conflict`. */
  insert(endUser: EndUser): Promise<void>;
  update(endUser: EndUser): Promise<void>;
  /** What was spent is still known if they are made again. */
  remove(organizationId: string, id: string): Promise<void>;
  /** By name unless told; `search` is a part of a name or an alias. */
  list(organizationId: string, page: Page, wanted?: WantedEndUsers): Promise<Paged<EndUserSpend>>;
  /** Those that have any. */
  organizations(): Promise<readonly string[]>;
}

export interface NamedInvitation {
  readonly invitation: Invitation;
  readonly teamName: string;
}

export interface InvitationStore {
  find(id: string): Promise<NamedInvitation | null>;
  findByHash(tokenHash: string): Promise<NamedInvitation | null>;
  insert(invitation: Invitation): Promise<void>;
  update(
    id: string,
    changes: Partial<Omit<Invitation, "id" | "organizationId" | "teamId" | "createdAt">>,
  ): Promise<void>;
  /** Those that are pending and end after then, the newest first. */
  listPending(organizationId: string, nowMs: number): Promise<readonly NamedInvitation[]>;
}

export interface LinkTokenStore {
  findByHash(tokenHash: string): Promise<LinkToken | null>;
  /** In place of the one that the person has for this purpose. */
  put(token: LinkToken): Promise<void>;
  /** Of all who use it at once, one is told true. */
  use(id: string): Promise<boolean>;
  /** Whatever the person has for this purpose. */
  removeOf(userId: number, purpose: LinkToken["purpose"]): Promise<void>;
}

/** Messages to the world outside, delivered after the transaction that writes them. */
export interface OutboxWriter {
  insert(message: {
    /** The part before the first dot names who delivers it. */
    readonly topic: string;
    readonly payload: Readonly<Record<string, unknown>>;
    readonly createdAt: number;
  }): Promise<void>;
}

export interface AuditFilter {
  readonly organizationId?: string;
  readonly action?: string;
  readonly actor?: AuditEntry["actor"];
  readonly userId?: number;
  readonly targetType?: string;
  readonly targetId?: string;
  /** From this time on, and before that one. */
  readonly startMs?: number;
  readonly endMs?: number;
}

export interface AuditStore {
  insert(entry: AuditEntry): Promise<void>;
  /** The newest first. */
  list(filter: AuditFilter, page: Page): Promise<Paged<LoggedEntry>>;
  /** In the same order, those behind an entry: what is written meanwhile shifts nothing. */
  listAfter(filter: AuditFilter, after: AuditEntry | null, limit: number): Promise<readonly LoggedEntry[]>;
}

/** Small facts of this installation, such as the finger-print of its secret. */
export interface SettingStore {
  find(name: string): Promise<string | null>;
  put(name: string, value: string): Promise<void>;
}

/** Something that moves an organization's credit other than calls. */
export interface Credit {
  /** What happens once has one key; the same again changes nothing, something else under it is a `conflict`. */
  readonly key: string;
  readonly kind: "topup" | "grant" | "voucher" | "refund" | "dispute" | "adjustment" | "expiry";
  readonly organizationId: string;
  /** In nano-USD; below zero takes credit away. */
  readonly amount: bigint;
  /** The account on the other side: `grants`, `adjustments` or `cash:<provider>`. */
  readonly against: string;
  readonly at: number;
  /** `user:<id>`, `master_key` or `system`. */
  readonly actor: string;
  readonly reason: string;
  readonly details: Readonly<Record<string, unknown>>;
}

export interface CreditOutcome {
  readonly entryId: string;
  /** False where it was there already. */
  readonly posted: boolean;
  readonly balance: bigint;
  /** Teams that were blocked or unblocked by it. */
  readonly changedTeams: readonly string[];
}

/** The part of the books that accounts have a hand in. */
export interface CreditStore {
  /** Teams are blocked while the balance is negative, and unblocked when it no longer is. */
  post(credit: Credit): Promise<CreditOutcome>;
  quotaOf(organizationId: string): Promise<{ readonly balance: bigint; readonly held: bigint }>;
  /** Blocks or unblocks the organization's teams as its balance is now; gives those that changed. */
  applyStanding(organizationId: string, at: number): Promise<readonly string[]>;
  /** Tells of the thresholds that the balance is below, also of those that it passed when nobody was told. */
  tellOfBalance(organizationId: string, at: number): Promise<void>;
  /** Whether there ever was an organization of this id that bought, was charged, or left something to be charged or told. */
  isKnown(organizationId: string): Promise<boolean>;
}
