import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { newKey, newToken } from "../../src/accounts/key-format.ts";
import { newKeyRecord } from "../../src/accounts/key-record.ts";
import { sealedUse } from "../../src/accounts/key-rotation.ts";
import { KeyVerifier } from "../../src/accounts/key-verifier.ts";
import { hashLink, newLinkSecret } from "../../src/accounts/link-secret.ts";
import { newOrganizationRecord } from "../../src/accounts/organization-record.ts";
import type { OrganizationRole, TeamRole } from "../../src/accounts/records.ts";
import { deriveSecrets } from "../../src/accounts/secrets.ts";
import { SessionTokens } from "../../src/accounts/session-tokens.ts";
import type { ManagementToken } from "../../src/accounts/sign-in-records.ts";
import { newTeamRecord } from "../../src/accounts/team-record.ts";
import { TOKEN_SCOPES } from "../../src/contract/management-tokens.ts";
import type { Route } from "../../src/http/route.ts";
import { systemClock } from "../../src/lib/clock.ts";
import { hmacHex } from "../../src/lib/hmac.ts";
import { seal } from "../../src/lib/seal.ts";
import type { Backend } from "../../src/storage/backend.ts";
import { type CallInit, MASTER_KEY, startApp, type TestApp } from "../app.ts";
import { migratedUrl } from "../storage/migrated.ts";
import { newInvitation } from "../storage/new-records.ts";
import { checksum, type Dump, dumpAfter, dumpOf, type Peek } from "./peek.ts";
import { peekPostgres } from "./peek-postgres.ts";
import { peekSqlite } from "./peek-sqlite.ts";

export const ROOT_SECRET = "a-secret-for-tests-0123456789abcdef";
const HOUR_MS = 3_600_000;
/** These differ with every call. */
const CALL_IDS = ["x-gw-call-id", "x-request-id"];

export interface Person {
  readonly id: number;
  readonly email: string;
  readonly password: string;
  readonly sessionId: string;
  readonly token: string;
}

export interface Tenant {
  readonly organizationId: string;
  readonly teamId: string;
  readonly key: StoredKey;
  readonly invitation: StoredInvitation;
  readonly people: Readonly<Record<TenantRole, Person>>;
}

export interface StoredKey {
  readonly id: string;
  readonly handle: string;
  readonly value: string;
}

export interface StoredInvitation {
  readonly id: string;
  readonly email: string;
  readonly token: string;
}

/** `lead` is a member of the organization who administers the team. */
export const TENANT_ROLES = ["owner", "admin", "lead", "member", "viewer"] as const;
export type TenantRole = (typeof TENANT_ROLES)[number];

/** An answer as a client saw it, and what it was meant to show. */
export interface Seen {
  readonly what: string;
  readonly status: number;
  readonly text: string;
  readonly headers: string;
}

/** The program with two tenants in it. Every answer is kept, and every secret that was ever made is known by name. */
export class World {
  readonly seen: Seen[] = [];
  /** The secret's value to what it is. */
  readonly secrets = new Map<string, string>();
  readonly verifier: KeyVerifier;
  readonly tokens = new SessionTokens(deriveSecrets(ROOT_SECRET).sessionKey, systemClock);
  private count = 0;
  private dumped: Dump = {};
  private readColumns: Promise<ReadonlyMap<string, readonly string[]>> | null = null;

  private constructor(
    readonly app: TestApp,
    private readonly folder: string,
    private readonly peek: Peek,
  ) {
    const { keys } = app.storage.accounts;
    this.verifier = new KeyVerifier(keys, deriveSecrets(ROOT_SECRET).keyPepper, MASTER_KEY, systemClock);
    this.secrets.set(MASTER_KEY, "the master key");
    this.secrets.set(ROOT_SECRET, "the root secret");
    if (app.first.demoKey) this.secrets.set(app.first.demoKey, "the demo key");
    if (app.first.generatedPassword) this.secrets.set(app.first.generatedPassword, "the first password");
  }

  /** The data folder is made under a temporary folder of its own, so that its files can be read. */
  static async start(yaml = "", kind: Backend["kind"] = "sqlite"): Promise<World> {
    const url = await migratedUrl(kind);
    const before = process.env.TMPDIR;
    const folder = mkdtempSync(join(tmpdir(), "turnpike-security-"));
    process.env.TMPDIR = folder;
    try {
      const app = await startApp(yaml, url);
      const file = filesIn(folder).find((name) => name.endsWith(".db")) ?? "";
      return new World(app, folder, url === null ? peekSqlite(file) : await peekPostgres(url));
    } finally {
      if (before === undefined) delete process.env.TMPDIR;
      else process.env.TMPDIR = before;
    }
  }

  get routes(): readonly Route[] {
    return this.app.service.routes;
  }

  async call(path: string, init: CallInit = {}): Promise<Seen> {
    const response = await this.app.call(path, init);
    const text = await response.text();
    const headers = JSON.stringify([...response.headers].filter(([name]) => !CALL_IDS.includes(name)));
    const method = init.method ?? (init.json === undefined ? "GET" : "POST");
    const seen = { what: `${method} ${path}`, status: response.status, text, headers };
    this.seen.push(seen);
    return seen;
  }

  /** Somebody new, with a session; straight into the store, because a password takes long to hash. */
  async newPerson(role: "user" | "admin" = "user"): Promise<Person> {
    const { users } = this.app.storage.accounts;
    const email = `person${++this.count}@security.test`;
    const password = this.secret("password", `canary-password-${crypto.randomUUID()}`);
    const passwordHash = await quickHash(password);
    const now = Date.now();
    const made = await users.insert({
      email,
      name: `Person ${this.count}`,
      role,
      status: "active",
      passwordHash,
      emailVerifiedAt: null,
      lastLoginAt: null,
      createdAt: now,
      updatedAt: now,
    });
    return { id: made.id, email, password, ...(await this.newSession(made.id)) };
  }

  /** After somebody's password was changed: it is the one that they began with. */
  async resetPassword({ id, password }: Person): Promise<void> {
    await this.app.storage.accounts.users.update(id, { passwordHash: await quickHash(password) });
  }

  async newSession(userId: number): Promise<{ readonly sessionId: string; readonly token: string }> {
    const now = Date.now();
    const sessionId = crypto.randomUUID();
    const times = { createdAt: now, lastSeenAt: now, expiresAt: now + HOUR_MS, revokedAt: null };
    const device = { userAgent: "test", address: null };
    await this.app.storage.accounts.sessions.insert({
      id: sessionId,
      userId,
      organizationId: null,
      adminSessionId: null,
      ...device,
      ...times,
    });
    const { token } = await this.tokens.issue(sessionId, userId, times.expiresAt);
    return { sessionId, token: this.secret("session token", token) };
  }

  async newTenant(): Promise<Tenant> {
    const { organizations, organizationMembers } = this.app.storage.accounts;
    const people = {} as Record<TenantRole, Person>;
    for (const role of TENANT_ROLES) people[role] = await this.newPerson();
    const now = Date.now();
    const organization = newOrganizationRecord(people.owner.id, `Tenant ${crypto.randomUUID()}`, now);
    const { id: organizationId } = organization;
    await organizations.insert(organization);
    for (const role of TENANT_ROLES) {
      const inside: OrganizationRole = role === "lead" ? "member" : role;
      await organizationMembers.insert({ organizationId, userId: people[role].id, role: inside, joinedAt: now });
    }
    const credit = { kind: "grant", against: "grants", actor: "system", reason: "A test", details: {} } as const;
    const amount = 10_000_000_000n;
    await this.app.storage.accounts.credits.post({
      ...credit,
      organizationId,
      amount,
      at: now,
      key: `world:${organizationId}`,
    });
    const teamId = await this.newTeam(organizationId);
    await this.joinTeam(teamId, people.lead.id, "admin");
    await this.joinTeam(teamId, people.member.id, "member");
    const key = await this.newKey(teamId, people.member.id);
    const invitation = await this.newInvitation({ organizationId, teamId, people });
    return { organizationId, teamId, people, key, invitation };
  }

  async newTeam(organizationId: string, status: "active" | "blocked" = "active"): Promise<string> {
    const blockedReason = status === "blocked" ? "admin" : null;
    const blank = newTeamRecord(organizationId, `Team ${crypto.randomUUID()}`, Date.now());
    await this.app.storage.accounts.teams.insert({ ...blank, status, blockedReason });
    return blank.id;
  }

  joinTeam(teamId: string, userId: number, role: TeamRole): Promise<void> {
    return this.app.storage.accounts.teamMembers.insert({ teamId, userId, role, joinedAt: Date.now() });
  }

  async newKey(
    teamId: string,
    createdBy: number | null,
    changes: { status?: "disabled"; expiresAt?: number } = {},
  ): Promise<StoredKey> {
    const value = this.secret("key", newKey());
    const hash = this.verifier.hash(value);
    const record = newKeyRecord({ key: value, hash, teamId, name: "A key", createdBy, now: Date.now() });
    await this.app.storage.accounts.keys.insert({ ...record, ...changes });
    return { id: record.id, handle: record.handle, value };
  }

  /** A key whose value a scheduled rotation has made, and nobody has seen. */
  async newWaitingKey(teamId: string, createdBy: number): Promise<StoredKey> {
    const key = await this.newKey(teamId, createdBy);
    const use = sealedUse({ id: key.id, hash: this.verifier.hash(key.value) });
    const { keys } = this.app.storage.accounts;
    await keys.keepUnseen(key.id, seal(deriveSecrets(ROOT_SECRET).sealingKey, use, key.value));
    await keys.update(key.id, { unseenAt: Date.now() });
    return key;
  }

  /** Of the owner where the person is in another organization. */
  async newManagementToken(
    { organizationId, people }: Pick<Tenant, "organizationId" | "people">,
    wantedId: number,
    changes: Partial<Pick<ManagementToken, "scopes" | "expiresAt">> = {},
  ): Promise<{ readonly id: string; readonly value: string }> {
    const { organizationMembers, managementTokens } = this.app.storage.accounts;
    const value = this.secret("management token", newToken());
    const userId = (await organizationMembers.find(organizationId, wantedId)) ? wantedId : people.owner.id;
    const times = { expiresAt: null, lastUsedAt: null, createdAt: Date.now() };
    const whose = { id: crypto.randomUUID(), userId, organizationId };
    const named = { name: "A token", hash: this.verifier.hash(value), last4: value.slice(-4), scopes: TOKEN_SCOPES };
    await managementTokens.insert({ ...whose, ...named, ...times, ...changes });
    return { id: whose.id, value };
  }

  /** A link for an account, or for that of somebody new. */
  async newLink(purpose: "password_reset" | "verify_email", ownerId?: number): Promise<string> {
    const owner = ownerId === undefined ? null : await this.app.storage.accounts.users.find(ownerId);
    const { id: userId, email } = owner ?? (await this.newPerson());
    const token = this.secret("link token", newLinkSecret(purpose === "password_reset" ? "rst" : "vfy"));
    const times = { createdAt: Date.now(), expiresAt: Date.now() + HOUR_MS };
    const link = { id: crypto.randomUUID(), userId, purpose, email, tokenHash: hashLink(token), ...times };
    await this.app.storage.accounts.linkTokens.put(link);
    return token;
  }

  async newInvitation(
    { organizationId, teamId, people }: Pick<Tenant, "organizationId" | "teamId" | "people">,
    email = `invited${++this.count}@security.test`,
  ): Promise<StoredInvitation> {
    const token = this.secret("invitation token", newLinkSecret("inv"));
    const now = Date.now();
    const record = newInvitation({ id: teamId, organizationId }, { email, tokenHash: hashLink(token) });
    const times = { expiresAt: now + HOUR_MS, createdAt: now, updatedAt: now };
    const made = { ...record, id: crypto.randomUUID(), invitedBy: people.owner.id, ...times };
    await this.app.storage.accounts.invitations.insert(made);
    return { id: made.id, email, token };
  }

  secret(what: string, value: string): string {
    this.secrets.set(value, what);
    return value;
  }

  /** Every row of every table, as the database has it; the same object again where nothing was changed. */
  async dump(): Promise<Dump> {
    this.dumped = await dumpAfter(this.peek, this.dumped);
    return this.dumped;
  }

  /** Throws where a dump that was kept up to date is not what a whole one shows. */
  async checkDump(): Promise<void> {
    const kept = await this.dump();
    const whole = await dumpOf(this.peek);
    // What the program writes by itself may come in between.
    if ((await this.dump()) !== kept) return this.checkDump();
    const differs = (table: string) => checksum({ rows: kept[table] ?? [] }) !== checksum({ rows: whole[table] ?? [] });
    const missed = Object.keys({ ...kept, ...whole }).filter(differs);
    if (missed.length > 0) throw new Error(`something was written and not seen: ${missed}`);
  }

  /** The columns of every table. */
  get columns(): Promise<ReadonlyMap<string, readonly string[]>> {
    this.readColumns ??= columnsOf(this.peek);
    return this.readColumns;
  }

  /** The bytes of every file in the data folder, with the write-ahead log. */
  bytes(): ReadonlyMap<string, string> {
    return new Map(filesIn(this.folder).map((file) => [file, readFileSync(file, "latin1")]));
  }

  async close(): Promise<void> {
    await this.peek.close();
    await this.app.close();
    rmSync(this.folder, { recursive: true, force: true });
  }
}

async function columnsOf(peek: Peek): Promise<ReadonlyMap<string, readonly string[]>> {
  const tables = await peek.tables();
  return new Map(await Promise.all(tables.map(async (table) => [table, await peek.columns(table)] as const)));
}

const filesIn = (folder: string): string[] =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name));

export const quickHash = (password: string): Promise<string> =>
  Bun.password.hash(password, { algorithm: "argon2id", memoryCost: 8, timeCost: 1 });

export const nameOf = (route: Route): string => `${route.method} ${route.paths[0]}`;

/** What a page of ours sends with a change. */
export const browserHeaders = ({ sessionId, token }: { readonly sessionId: string; readonly token: string }) => ({
  cookie: `__Host-turnpike=${token}`,
  origin: "http://turnpike.test",
  "x-csrf-token": hmacHex(deriveSecrets(ROOT_SECRET).csrfKey, sessionId),
});
