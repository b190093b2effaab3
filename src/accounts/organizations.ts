import type { SessionCaller } from "../contract/caller.ts";
import { GatewayError } from "../contract/errors.ts";
import { cutPage } from "../contract/paging.ts";
import type { Clock } from "../lib/clock.ts";
import { activeOrganization, requireOrganization } from "./access.ts";
import { type Actor, type ChangeNote, change } from "./change.ts";
import type { Organization, OrganizationRole } from "./records.ts";
import { createOrganization } from "./sign-up.ts";
import type { AccountStores, Page, Paged } from "./store.ts";

export interface OrganizationDeps {
  readonly stores: AccountStores;
  readonly clock: Clock;
}

/** A person who changes something, and from where. */
export interface PersonActor extends Actor {
  readonly caller: SessionCaller;
}

/** An organization as one of its members sees it. */
export interface SeenOrganization {
  readonly organization: Organization;
  readonly role: OrganizationRole;
  readonly status: "active" | "blocked";
  readonly membersCount: number;
  readonly teamsCount: number;
}

export interface OrganizationChanges {
  readonly name?: string | undefined;
  readonly billingEmail?: string | null | undefined;
  readonly timezone?: string | undefined;
  readonly dataRetentionDays?: number | null | undefined;
}

interface UpdateInput {
  readonly actor: PersonActor;
  readonly named: string | null;
  readonly changes: OrganizationChanges;
}

interface ActivateInput {
  readonly actor: PersonActor;
  readonly organizationId: string;
}

const NAME_LENGTH_MAX = 100;
const OWNED_MAX = 50;
const CONTROL = /\p{Cc}/u;

export class Organizations {
  constructor(private readonly deps: OrganizationDeps) {}

  async list({ caller, page }: { caller: SessionCaller; page: Page }): Promise<Paged<SeenOrganization>> {
    const all = await this.deps.stores.organizations.listOf(caller.userId);
    const rows = await Promise.all(cutPage(all, page).map((access) => see(this.deps.stores, access)));
    return { rows, total: all.length };
  }

  async get({ caller, organizationId }: { caller: SessionCaller; organizationId: string }): Promise<SeenOrganization> {
    const access = await requireOrganization(this.deps.stores, caller, organizationId, "viewer");
    return see(this.deps.stores, access);
  }

  /** With the team "Default"; whoever creates it owns it. */
  create({ actor, name }: { actor: PersonActor; name: string }): Promise<SeenOrganization> {
    const { stores, clock } = this.deps;
    const cleaned = cleanName(name);
    return change(
      stores,
      clock,
      actor,
      async (tx) => {
        const now = clock.nowMs();
        // The row of the person is the lock under which their organizations are counted.
        await tx.users.update(actor.caller.userId, { updatedAt: now });
        const owned = (await tx.organizations.listOf(actor.caller.userId)).filter(({ role }) => role === "owner");
        if (owned.length >= OWNED_MAX) {
          throw new GatewayError("conflict", `A person owns at most ${OWNED_MAX} organizations.`);
        }
        const organization = await createOrganization(tx, actor.caller.userId, cleaned, now);
        return see(tx, { organization, role: "owner" });
      },
      ({ organization }) => noteOf("organization.create", organization, { name: organization.name }),
    );
  }

  /** Without an id it is the organization that the call works in. */
  async update({ actor, named, changes }: UpdateInput): Promise<SeenOrganization> {
    const { stores } = this.deps;
    const { organization } = await activeOrganization(stores, actor.caller, named, "admin");
    const wanted = cleanChanges(changes);
    if (Object.keys(wanted).length === 0) return this.get({ caller: actor.caller, organizationId: organization.id });
    return changeOrganization(this.deps, {
      actor,
      organizationId: organization.id,
      wanted: "admin",
      async work(tx, access) {
        await tx.organizations.update(organization.id, wanted);
        return see(tx, { organization: { ...access.organization, ...wanted }, role: access.role });
      },
      note: () => noteOf("organization.update", organization, wanted),
    });
  }

  /** The session works in this organization from now on. */
  async activate({ actor, organizationId }: ActivateInput): Promise<SeenOrganization> {
    const { stores, clock } = this.deps;
    const access = await requireOrganization(stores, actor.caller, organizationId, "viewer");
    await change(
      stores,
      clock,
      actor,
      (tx) => tx.sessions.update(actor.caller.sessionId, { organizationId }),
      () => noteOf("organization.activate", access.organization, { sessionId: actor.caller.sessionId }),
    );
    return see(stores, access);
  }
}

interface Access {
  readonly organization: Organization;
  readonly role: OrganizationRole;
}

export interface OrganizationWork<T> {
  readonly actor: PersonActor;
  readonly organizationId: string;
  readonly wanted: OrganizationRole;
  work(tx: AccountStores, access: Access, now: number): Promise<T>;
  note(result: T): ChangeNote | null;
}

/**
 * Changes in one organization happen one after another, because they depend on who else is in it: its row is the lock. The
 * role is asked before, so that strangers lock nothing, and again under the lock, because it may be gone by then.
 */
export async function changeOrganization<T>(deps: OrganizationDeps, input: OrganizationWork<T>): Promise<T> {
  const { actor, organizationId, wanted, work, note } = input;
  await requireOrganization(deps.stores, actor.caller, organizationId, wanted);
  return change(
    deps.stores,
    deps.clock,
    actor,
    async (tx) => {
      const now = deps.clock.nowMs();
      await lockOrganization(tx, organizationId, now);
      return work(tx, await requireOrganization(tx, actor.caller, organizationId, wanted), now);
    },
    note,
  );
}

/** Holds back every other change in the organization until the transaction ends. */
export const lockOrganization = (tx: AccountStores, organizationId: string, now: number): Promise<void> =>
  tx.organizations.update(organizationId, { updatedAt: now });

/** The name as it is stored. */
export function cleanName(text: string): string {
  const name = text.trim();
  const length = [...name].length;
  if (length < 1 || length > NAME_LENGTH_MAX) {
    throw new GatewayError("invalid_request", `name: it has 1 to ${NAME_LENGTH_MAX} characters.`, { param: "name" });
  }
  if (CONTROL.test(name) || !name.isWellFormed()) {
    throw new GatewayError("invalid_request", "name: it holds characters that cannot be shown.", { param: "name" });
  }
  return name;
}

async function see(stores: AccountStores, { organization, role }: Access): Promise<SeenOrganization> {
  const [members, teams] = await Promise.all([
    stores.organizationMembers.list(organization.id),
    stores.teams.list(organization.id),
  ]);
  return {
    organization,
    role,
    // A balance blocks all teams of an organization alike.
    status: teams.some(({ team }) => team.blockedReason === "balance") ? "blocked" : "active",
    membersCount: members.length,
    teamsCount: teams.length,
  };
}

/** Only what was named; the fields are picked one by one, whatever else came with them. */
function cleanChanges({ name, billingEmail, timezone, dataRetentionDays }: OrganizationChanges) {
  return {
    ...(name === undefined ? {} : { name: cleanName(name) }),
    ...(billingEmail === undefined ? {} : { billingEmail: billingEmail?.trim().toLowerCase() ?? null }),
    ...(timezone === undefined ? {} : { timezone: cleanTimezone(timezone) }),
    ...(dataRetentionDays === undefined ? {} : { dataRetentionDays }),
  };
}

/** In its usual spelling. A bare offset is refused: it knows no summer time. */
function cleanTimezone(timezone: string): string {
  try {
    if (/^[a-z]/i.test(timezone))
      return new Intl.DateTimeFormat("en", { timeZone: timezone }).resolvedOptions().timeZone;
  } catch {
    // Falls through: an unknown name is told like a wrong one.
  }
  throw new GatewayError("invalid_request", "timezone: use an IANA name such as `Europe/Berlin`.", {
    param: "timezone",
  });
}

const noteOf = (action: string, { id }: Organization, details: Readonly<Record<string, unknown>>): ChangeNote => ({
  action,
  organizationId: id,
  targetType: "organization",
  targetId: id,
  details,
});
