import type { SessionCaller } from "../contract/caller.ts";
import { GatewayError } from "../contract/errors.ts";
import { cutPage } from "../contract/paging.ts";
import { type Sorting, sortRows } from "../contract/sorting.ts";
import type { Clock } from "../lib/clock.ts";
import { activeOrganization, organizationsOf, requireOrganization } from "./access.ts";
import type { Authority } from "./authority.ts";
import { type Actor, type ActorWithRights, type ChangeNote, change } from "./change.ts";
import { cleanName } from "./clean-name.ts";
import { plainAmounts, plainChanges } from "./limit-settings.ts";
import { lockOrganization } from "./lock-organization.ts";
import { type OrganizationChanges, readOrganization } from "./organization-settings.ts";
import type { BillingAddresses } from "./organizations/billing-addresses.ts";
import type { Organization, OrganizationRole } from "./records.ts";
import { createOrganization } from "./sign-up.ts";
import type { AccountStores, OrganizationOrder, Page, Paged } from "./store.ts";

export interface OrganizationDeps {
  readonly stores: AccountStores;
  readonly clock: Clock;
}

export interface OrganizationServiceDeps extends OrganizationDeps {
  /** What is known of the keys of one of its teams may no longer be so. */
  readonly forgetTeam: (teamId: string) => void;
}

interface OwnDeps extends OrganizationServiceDeps {
  readonly billingAddresses: Pick<BillingAddresses, "set">;
  /** How many organizations a person may own; 0 is no limit. Administrators of the platform have none. */
  readonly ownedMax: () => number;
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
  /** In nano-USD; `held` is what running processes have set aside. */
  readonly quota: { readonly balance: bigint; readonly held: bigint };
}

interface CreateInput {
  readonly actor: PersonActor;
  readonly name: string;
  readonly settings?: Omit<OrganizationChanges, "name"> | undefined;
}

interface ListInput {
  readonly caller: SessionCaller;
  readonly page: Page;
  readonly order?: Sorting<"name" | "createdAt">;
}

interface UpdateInput {
  readonly actor: ActorWithRights;
  readonly named: string | null;
  readonly changes: OrganizationChanges;
}

interface ActivateInput {
  readonly actor: PersonActor;
  readonly organizationId: string;
}

const BY_NAME = { by: "name", direction: "asc" } as const;

export class Organizations {
  constructor(private readonly deps: OwnDeps) {}

  /** By name unless told. */
  async list({ caller, page, order = BY_NAME }: ListInput): Promise<Paged<SeenOrganization>> {
    const all = await organizationsOf(this.deps.stores, caller);
    const found = sortRows(all, order, ({ organization }) => organization);
    const rows = await Promise.all(cutPage(found, page).map((access) => see(this.deps.stores, access)));
    return { rows, total: all.length };
  }

  /** All that there are. By the operator, which the route sees to. */
  async listAll(search: string | undefined, page: Page, order?: OrganizationOrder): Promise<Paged<SeenOrganization>> {
    const { stores } = this.deps;
    const { rows, total } = await stores.organizations.list(search === undefined ? {} : { search }, page, order);
    return { rows: await Promise.all(rows.map((organization) => see(stores, { organization, role: "owner" }))), total };
  }

  async get({ caller, organizationId }: { caller: Authority; organizationId: string }): Promise<SeenOrganization> {
    const access = await requireOrganization(this.deps.stores, caller, organizationId, "viewer");
    return see(this.deps.stores, access);
  }

  /** The one that a session works in; null for who is in none. */
  async activeIdOf(caller: SessionCaller): Promise<string | null> {
    if (caller.organizationId !== null) return caller.organizationId;
    const [first] = await organizationsOf(this.deps.stores, caller);
    return first?.organization.id ?? null;
  }

  /** With the team "Default"; whoever creates it owns it. */
  create({ actor, name, settings = {} }: CreateInput): Promise<SeenOrganization> {
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
        const ownedMax = actor.caller.role === "admin" ? 0 : this.deps.ownedMax();
        if (ownedMax > 0 && owned.length >= ownedMax) {
          throw new GatewayError("conflict", `You own ${owned.length} organizations, the most that a person may own.`);
        }
        const organization = await createOrganization(tx, actor.caller.userId, cleaned, now);
        const set = await this.readChanges(tx, actor.caller, settings, organization);
        if (Object.keys(set).length > 0) await tx.organizations.update(organization.id, set);
        return see(tx, { organization: { ...organization, ...set }, role: "owner" });
      },
      ({ organization }) =>
        noteOf("organization.create", organization, { name: organization.name, ...plainAmounts(settings) }),
    );
  }

  /** Without an id it is the organization that the call works in. What only the operator sets is refused to others. */
  async update({ actor, named, changes }: UpdateInput): Promise<SeenOrganization> {
    const { stores, clock } = this.deps;
    const { organization } = await activeOrganization(stores, actor.caller, named, "admin");
    if (isEmpty(changes)) return this.get({ caller: actor.caller, organizationId: organization.id });
    const { seen, teamIds } = await changeOrganization(this.deps, {
      actor,
      organizationId: organization.id,
      wanted: "admin",
      work: async (tx, access) => {
        const wanted = await this.readChanges(tx, actor.caller, changes, access.organization);
        if (Object.keys(wanted).length > 0) await tx.organizations.update(organization.id, wanted);
        const { timezone } = access.organization;
        if (wanted.timezone !== undefined && wanted.timezone !== timezone) {
          await tx.organizations.keepZone(organization.id, timezone, clock.nowMs());
        }
        // Whoever is invoiced needs no credit, and whoever no longer is does.
        if (wanted.billing !== undefined) await tx.credits.applyStanding(organization.id, clock.nowMs());
        const begins = wanted.billing === "prepaid" && access.organization.billing === "invoiced";
        if (begins) await tx.credits.tellOfBalance(organization.id, clock.nowMs());
        const seen = await see(tx, { organization: { ...access.organization, ...wanted }, role: access.role });
        const teams = await tx.teams.list(organization.id);
        return { seen, wanted, before: access.organization, teamIds: teams.map(({ team }) => team.id) };
      },
      note: ({ wanted, before }) =>
        Object.keys(wanted).length === 0 ? null : noteOf("organization.update", before, plainChanges(before, wanted)),
    });
    for (const teamId of teamIds) this.deps.forgetTeam(teamId);
    return seen;
  }

  private async readChanges(
    tx: AccountStores,
    authority: Authority,
    changes: OrganizationChanges,
    before: Organization,
  ): Promise<Partial<Organization>> {
    const fields = await readOrganization(tx, authority, changes, before);
    if (fields.billingEmail === undefined) return fields;
    return { ...fields, ...(await this.deps.billingAddresses.set(tx, authority, before, fields.billingEmail)) };
  }

  /** With its teams and their keys, which open nothing from the next call on. */
  async remove({ actor, organizationId }: { actor: ActorWithRights; organizationId: string }): Promise<void> {
    const teamIds = await changeOrganization(this.deps, {
      actor,
      organizationId,
      wanted: "owner",
      async work(tx) {
        const teams = await tx.teams.list(organizationId);
        await tx.organizations.remove(organizationId);
        return teams.map(({ team }) => team.id);
      },
      note: (ids) => ({
        action: "organization.remove",
        organizationId,
        targetType: "organization",
        targetId: organizationId,
        details: { teams: ids.length },
      }),
    });
    for (const teamId of teamIds) this.deps.forgetTeam(teamId);
  }

  /** The session works in this organization from now on. */
  async activate({ actor, organizationId }: ActivateInput): Promise<SeenOrganization> {
    const access = await changeOrganization(this.deps, {
      actor,
      organizationId,
      wanted: "viewer",
      // Under the lock: who is taken out at this moment must not be left in an organization that every call says 404 of.
      async work(tx, found) {
        await tx.sessions.update(actor.caller.sessionId, { organizationId });
        return found;
      },
      note: ({ organization }) => noteOf("organization.activate", organization, { sessionId: actor.caller.sessionId }),
    });
    return see(this.deps.stores, access);
  }
}

const isEmpty = (changes: object): boolean => Object.values(changes).every((value) => value === undefined);

interface Access {
  readonly organization: Organization;
  readonly role: OrganizationRole;
}

export interface OrganizationWork<T> {
  readonly actor: ActorWithRights;
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

async function see(stores: AccountStores, { organization, role }: Access): Promise<SeenOrganization> {
  const [members, teams, quota] = await Promise.all([
    stores.organizationMembers.list(organization.id),
    stores.teams.list(organization.id),
    stores.credits.quotaOf(organization.id),
  ]);
  return {
    organization,
    role,
    // An administrator blocks the organization itself; a balance blocks all of its teams alike.
    status:
      organization.status === "blocked" || teams.some(({ team }) => team.blockedReason === "balance")
        ? "blocked"
        : "active",
    membersCount: members.length,
    teamsCount: teams.length,
    quota,
  };
}

const noteOf = (action: string, { id }: Organization, details: Readonly<Record<string, unknown>>): ChangeNote => ({
  action,
  organizationId: id,
  targetType: "organization",
  targetId: id,
  details,
});
