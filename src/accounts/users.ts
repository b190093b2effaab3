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
import { cleanEmail, insertPerson, removedEmail, requireFreeEmail } from "./new-person.ts";
import { checkPassword } from "./password-rules.ts";
import type { Passwords } from "./passwords.ts";
import { readExternalId, userCreated } from "./people/unknown-users.ts";
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
  readonly viewer?: boolean | undefined;
  readonly status?: User["status"] | undefined;
  /** Only for a record without sign-in, which can then be invited or set a password. */
  readonly email?: string | undefined;
}

export interface UserSettings
  extends Pick<LimitSettings, "budget" | "budgetWindow" | "rpmLimit" | "tpmLimit" | "parallelLimit" | "budgetId">,
    Pick<PartSettings, "furtherBudgets"> {
  readonly models?: readonly string[] | null | undefined;
  readonly metadata?: Readonly<Record<string, unknown>> | null | undefined;
}

export interface NewAccount extends UserSettings {
  /** Empty for a record without sign-in. */
  readonly email: string;
  readonly externalId?: string | null | undefined;
  readonly name?: string | undefined;
  readonly role?: UserRole | undefined;
  readonly viewer?: boolean | undefined;
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

  /** By an administrator: an account without a password, or a record without sign-in. */
  create(caller: AdminCaller, account: NewAccount, address: string | null): Promise<User> {
    const { stores, clock } = this.deps;
    const { email, externalId, name, role, viewer = false, ...settings } = account;
    requireSignIn(email, role);
    const chosen = externalId == null ? {} : { externalId: readExternalId(externalId) };
    return change(
      stores,
      clock,
      { caller, address },
      async (tx) => {
        const set = await readUser(tx, asOperator(caller), settings, {});
        const named = name === undefined ? {} : { name: cleanName(name) };
        return insertPerson(tx, {
          email,
          now: clock.nowMs(),
          role: role ?? "user",
          viewer,
          ...chosen,
          ...named,
          ...set,
        });
      },
      userCreated,
    );
  }

  /** By an administrator. Whoever is disabled, or has another role, is logged out everywhere. */
  async update(caller: AdminCaller, id: number, changes: UserChanges, address: string | null): Promise<User> {
    const { stores, clock } = this.deps;
    await this.get(id);
    const isSelf = caller.kind === "session" && caller.userId === id;
    const losesRights = changes.role === "user" || changes.viewer === true || changes.status === "disabled";
    if (isSelf && losesRights) {
      throw new GatewayError("conflict", "You cannot take your own rights away; ask another administrator.");
    }
    const after = await change(
      stores,
      clock,
      { caller, address },
      async (tx) => {
        const now = clock.nowMs();
        if (losesRights) await lockRights(tx, caller, id, now);
        await lockUser(tx, id, now);
        // Read under the lock: what another administrator has just changed must not be written back.
        const user = await requireUser(tx, id);
        const { role = user.role, viewer = user.viewer, status = user.status } = changes;
        const email = changes.email === undefined ? user.email : await addEmail(tx, user, changes.email);
        requireSignIn(email, role);
        const name = changes.name === undefined ? user.name : cleanName(changes.name);
        const set = await readUser(tx, asOperator(caller), changes, user);
        const written = { name, role, viewer, status, ...set, updatedAt: now };
        await tx.users.update(id, email === user.email ? written : { ...written, email });
        if (role !== user.role || viewer !== user.viewer || status !== user.status) await endSignIns(tx, id, now);
        if (status !== "active") await tx.managementTokens.removeOf(id);
        return { ...user, ...written, email };
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
        // Another user may get the chosen id: what this one did stays under the number.
        const gone = { email: removedEmail(id), externalId: null, name: "Removed", passwordHash: null } as const;
        await tx.users.update(id, { ...gone, role: "user", viewer: false, status: "disabled", updatedAt: now });
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
  { budget, budgetWindow, rpmLimit, tpmLimit, parallelLimit, budgetId, furtherBudgets, models, metadata }: UserSettings,
  present: Partial<User>,
): Promise<Partial<User>> {
  const settings = { budget, budgetWindow, rpmLimit, tpmLimit, parallelLimit, budgetId };
  const shared = await findShared(stores, authority, settings);
  requireFitting(shared, "users");
  const limits = readLimits(settings, present, shared);
  const { modelLimits: _models, ...parts } = readParts({ furtherBudgets }, present, shared);
  const { softBudget: _soft, ...own } = limits;
  return {
    ...own,
    ...parts,
    ...(models === undefined ? {} : { models: models ?? [] }),
    ...(metadata === undefined ? {} : { metadata: readMetadata(metadata ?? {}) }),
  };
}

/**
 * Holds both, in one order, and looks at the caller again: of two who take each other's rights away at once, the second has
 * none any more, so that one stays.
 */
async function lockRights(tx: AccountStores, caller: AdminCaller, id: number, now: number): Promise<void> {
  if (caller.kind !== "session") return;
  for (const each of [caller.userId, id].sort((a, b) => a - b)) await lockUser(tx, each, now);
  const user = await tx.users.find(caller.userId);
  if (user?.role !== "admin" || user.viewer || user.status !== "active") {
    throw new GatewayError("permission", "You do not administer this installation any more.");
  }
}

/** The email of a record that had none. An email that is there stays: its owner signs in with it. */
async function addEmail(tx: AccountStores, user: User, given: string): Promise<string> {
  const email = cleanEmail(given);
  if (email === user.email) return email;
  if (user.email !== "") {
    throw new GatewayError("invalid_request", "email: this user has another one, which cannot be changed.", {
      param: "email",
    });
  }
  await requireFreeEmail(tx, email);
  return email;
}

function requireSignIn(email: string, role: UserRole | undefined): void {
  if (email !== "" || role !== "admin") return;
  throw new GatewayError("invalid_request", "email: an administrator needs an email address to sign in.", {
    param: "email",
  });
}

async function requireUser({ users }: Pick<AccountStores, "users">, id: number): Promise<User> {
  const user = await users.find(id);
  if (!user) throw new GatewayError("not_found", "There is no such user.");
  return user;
}

const wrongPassword = (): GatewayError => new GatewayError("permission", "currentPassword: it is wrong.");
