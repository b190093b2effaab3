import type { AdminCaller, SessionCaller } from "../contract/caller.ts";
import { GatewayError } from "../contract/errors.ts";
import type { Clock } from "../lib/clock.ts";
import { type Authority, asOperator } from "./authority.ts";
import { change } from "./change.ts";
import { cleanName } from "./clean-name.ts";
import { endSignIns, lockUser } from "./end-sign-ins.ts";
import { requireFitting } from "./fitting-budgets.ts";
import { heirOf } from "./heir-of.ts";
import { takeBack } from "./invitation-rules.ts";
import { readMetadata } from "./keys-settings.ts";
import {
  findShared,
  type LimitSettings,
  type PartSettings,
  plainAmounts,
  readLimits,
  readParts,
} from "./limit-settings.ts";
import { lockOrganization } from "./lock-organization.ts";
import type { LoginThrottle } from "./login-throttle.ts";
import { insertPerson, removedEmail } from "./new-person.ts";
import { checkPassword } from "./password-rules.ts";
import type { Passwords } from "./passwords.ts";
import type { User, UserRole } from "./records.ts";
import type { AccountStores, Page, Paged, UserFilter, UserOrder } from "./store.ts";

export interface UserDeps {
  readonly stores: AccountStores;
  readonly passwords: Passwords;
  readonly throttle: LoginThrottle;
  readonly clock: Clock;
  /** What somebody may spend is known with each of their keys. */
  readonly forgetAll: () => void;
}

export interface UserChanges extends UserSettings {
  readonly name?: string | undefined;
  readonly role?: UserRole | undefined;
  readonly status?: User["status"] | undefined;
}

export interface UserSettings
  extends Pick<LimitSettings, "budget" | "budgetWindow" | "rpmLimit" | "tpmLimit" | "budgetId">,
    Pick<PartSettings, "furtherBudgets"> {
  readonly metadata?: Readonly<Record<string, unknown>> | null | undefined;
}

export interface NewAccount extends UserSettings {
  readonly email: string;
  readonly name?: string | undefined;
  readonly role?: UserRole | undefined;
}

/** What people do with their own account, and administrators with anybody's. */
export class Users {
  constructor(private readonly deps: UserDeps) {}

  list(filter: UserFilter, page: Page, order?: UserOrder): Promise<Paged<User>> {
    return this.deps.stores.users.list(filter, page, order);
  }

  get(id: number): Promise<User> {
    return requireUser(this.deps.stores, id);
  }

  /** All other sessions of the person end: whoever knew the old password may be in one of them. */
  async changePassword(caller: SessionCaller, present: string, next: string, address: string | null): Promise<void> {
    const { stores, passwords, clock } = this.deps;
    const user = await this.provePassword(caller, present, address);
    checkPassword(next, user.email);
    const passwordHash = await passwords.hash(next);
    await change(
      stores,
      clock,
      { caller, address },
      async (tx) => {
        const now = clock.nowMs();
        await lockUser(tx, user.id, now);
        // Hashing takes a while, in which a link for a new password may have been used.
        if ((await tx.users.find(user.id))?.passwordHash !== user.passwordHash) throw wrongPassword();
        await tx.users.update(user.id, { passwordHash, updatedAt: now });
        await endSignIns(tx, user.id, now, { except: caller.sessionId });
      },
      () => ({ action: "user.change_password", organizationId: null, targetType: "user", targetId: String(user.id) }),
    );
  }

  /** An open session is not enough to guess at the password from: wrong ones cost time as at the log-in. */
  private provePassword({ userId, email }: SessionCaller, present: string, address: string | null): Promise<User> {
    const { passwords, throttle } = this.deps;
    return throttle.attempt(email, address, async () => {
      const user = await this.get(userId);
      if (!(await passwords.verify(present, user.passwordHash))) {
        throttle.failed(email, address);
        throw wrongPassword();
      }
      throttle.succeeded(email, address);
      return user;
    });
  }

  /** By an administrator: an account without a password. */
  create(caller: AdminCaller, { email, name, role, ...settings }: NewAccount, address: string | null): Promise<User> {
    const { stores, clock } = this.deps;
    return change(
      stores,
      clock,
      { caller, address },
      async (tx) => {
        const set = await readUser(tx, asOperator(caller), settings, {});
        const named = name === undefined ? {} : { name: cleanName(name) };
        return insertPerson(tx, { email, now: clock.nowMs(), role: role ?? "user", ...named, ...set });
      },
      (user) => ({
        action: "user.create",
        organizationId: null,
        targetType: "user",
        targetId: String(user.id),
        details: { role: user.role },
      }),
    );
  }

  /** By an administrator. Whoever is disabled, or has another role, is logged out everywhere. */
  async update(caller: AdminCaller, id: number, changes: UserChanges, address: string | null): Promise<User> {
    const { stores, clock } = this.deps;
    await this.get(id);
    const isSelf = caller.kind === "session" && caller.userId === id;
    if (isSelf && (changes.role === "user" || changes.status === "disabled")) {
      throw new GatewayError("conflict", "You cannot take your own rights away; ask another administrator.");
    }
    const after = await change(
      stores,
      clock,
      { caller, address },
      async (tx) => {
        const now = clock.nowMs();
        if (changes.role === "user" || changes.status === "disabled") await lockRights(tx, caller, id, now);
        await lockUser(tx, id, now);
        // Read under the lock: what another administrator has just changed must not be written back.
        const user = await requireUser(tx, id);
        const { role = user.role, status = user.status } = changes;
        const name = changes.name === undefined ? user.name : cleanName(changes.name);
        const set = await readUser(tx, asOperator(caller), changes, user);
        const next = { ...user, name, role, status, ...set, updatedAt: now };
        await tx.users.update(id, { name, role, status, ...set, updatedAt: now });
        if (role !== user.role || status !== user.status) await endSignIns(tx, id, now);
        if (status !== "active") await tx.managementTokens.removeOf(id);
        return next;
      },
      () => ({
        action: "user.update",
        organizationId: null,
        targetType: "user",
        targetId: String(id),
        details: plainAmounts(changes),
      }),
    );
    this.deps.forgetAll();
    return after;
  }

  /**
   * The person can no longer log in and is no longer named, and their keys are switched off; what they did stays in the books
   * and in the log. Refused while they are the only owner of an organization that has others in it, or credit. Who is removed
   * already is not noted again.
   */
  async remove(caller: AdminCaller, id: number, address: string | null): Promise<void> {
    const { stores, clock } = this.deps;
    if (caller.kind === "session" && caller.userId === id) {
      throw new GatewayError("conflict", "You cannot remove yourself; ask another administrator.");
    }
    await this.get(id);
    await change(
      stores,
      clock,
      { caller, address },
      async (tx) => {
        const now = clock.nowMs();
        await lockRights(tx, caller, id, now);
        await lockUser(tx, id, now);
        const { email } = await requireUser(tx, id);
        if (email === removedEmail(id)) return null;
        for (const { organization } of await tx.organizations.listOf(id)) {
          await lockOrganization(tx, organization.id, now);
          await this.leave(tx, organization.id, id);
          await takeBack(tx, { organizationId: organization.id }, email, now);
        }
        const gone = { email: removedEmail(id), name: "Removed", passwordHash: null, role: "user" } as const;
        await tx.users.update(id, { ...gone, status: "disabled", updatedAt: now });
        await endSignIns(tx, id, now);
        await tx.managementTokens.removeOf(id);
        await tx.twoFactors.remove(id);
        await tx.passkeys.removeOf(id);
        await tx.identities.removeOf(id);
        return { keysDisabled: await tx.keys.disableOf(id, now) };
      },
      (details) =>
        details && { action: "user.remove", organizationId: null, targetType: "user", targetId: String(id), details },
    );
    this.deps.forgetAll();
  }

  /** Of an organization that is locked: who its owners are was not certain before. */
  private async leave(tx: AccountStores, organizationId: string, userId: number): Promise<void> {
    const members = await tx.organizationMembers.list(organizationId);
    const own = members.find((member) => member.userId === userId);
    const heir = await heirOf(tx, members, userId);
    const isLastOwner = own?.role === "owner" && !heir;
    if (isLastOwner && members.length > 1) throw lastOwner("other members");
    if (isLastOwner && (await tx.credits.quotaOf(organizationId)).balance > 0n) throw lastOwner("credit");
    if (!own || members.length === 1) return;
    const organization = await tx.organizations.find(organizationId);
    if (heir && organization?.ownerId === userId) {
      await tx.organizations.update(organizationId, { ownerId: heir.userId });
    }
    await tx.organizationMembers.remove(organizationId, userId);
  }
}

const lastOwner = (left: string): GatewayError =>
  new GatewayError(
    "conflict",
    `The user is the only owner of an organization with ${left}; make somebody else its owner, or remove the organization first.`,
  );

/** Only what was named, field by field. */
async function readUser(
  stores: AccountStores,
  authority: Authority,
  { budget, budgetWindow, rpmLimit, tpmLimit, budgetId, furtherBudgets, metadata }: UserSettings,
  present: Partial<User>,
): Promise<Partial<User>> {
  const settings = { budget, budgetWindow, rpmLimit, tpmLimit, budgetId };
  const shared = await findShared(stores, authority, settings);
  requireFitting(shared, "users");
  const limits = readLimits(settings, present, shared);
  const { modelLimits: _models, ...parts } = readParts({ furtherBudgets }, present, shared);
  const { softBudget: _soft, parallelLimit: _parallel, ...own } = limits;
  return { ...own, ...parts, ...(metadata === undefined ? {} : { metadata: readMetadata(metadata ?? {}) }) };
}

/**
 * Holds both, in one order, and looks at the caller again: of two who take each other's rights away at once, the second has
 * none any more, so that one stays.
 */
async function lockRights(tx: AccountStores, caller: AdminCaller, id: number, now: number): Promise<void> {
  if (caller.kind !== "session") return;
  for (const each of [caller.userId, id].sort((a, b) => a - b)) await lockUser(tx, each, now);
  const user = await tx.users.find(caller.userId);
  if (user?.role !== "admin" || user.status !== "active") {
    throw new GatewayError("permission", "You do not administer this installation any more.");
  }
}

async function requireUser({ users }: Pick<AccountStores, "users">, id: number): Promise<User> {
  const user = await users.find(id);
  if (!user) throw new GatewayError("not_found", "There is no such user.");
  return user;
}

const wrongPassword = (): GatewayError => new GatewayError("permission", "currentPassword: it is wrong.");
