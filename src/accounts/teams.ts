import { GatewayError } from "../contract/errors.ts";
import { activeOrganization, isTeamAdmin, requireTeam, requireTeamAdmin, type TeamAccess } from "./access.ts";
import { type Authority, userIdOf } from "./authority.ts";
import type { ActorWithRights, ChangeNote } from "./change.ts";
import { changeTeam, type TeamWork } from "./change-team.ts";
import { cleanName } from "./clean-name.ts";
import { takeBack } from "./invitation-rules.ts";
import { plainAmounts, plainChanges } from "./limit-settings.ts";
import { changeOrganization, type OrganizationDeps } from "./organizations.ts";
import type { NamedTeamMember, Team, TeamRole } from "./records.ts";
import type { AccountStores, NamedInvitation, Page, Paged, TeamOrder, TeamWithCounts } from "./store.ts";
import { findPerson, joinTeam, type MemberLimits, memberLimits, type PersonReference } from "./team-people.ts";
import { newTeamRecord } from "./team-record.ts";
import { needsOrganizationAdmin, readTeam, type TeamChanges } from "./team-settings.ts";
import { visibleTeams } from "./visible-teams.ts";

export type TeamPerson = NamedTeamMember;

export interface TeamPeople {
  readonly members: readonly TeamPerson[];
  readonly invitations: readonly NamedInvitation[];
}

interface ReadInput {
  readonly caller: Authority;
  readonly teamId: string;
}

interface SearchInput {
  readonly caller: Authority;
  readonly filter: {
    readonly teamId?: string | undefined;
    readonly organizationId?: string | undefined;
    readonly search?: string | undefined;
  };
  readonly page: Page;
  readonly order?: TeamOrder;
}

interface CreateInput {
  readonly actor: ActorWithRights;
  /** Null: the organization that the session works in. */
  readonly named: string | null;
  readonly name: string;
  /** An id that the operator brings along. */
  readonly id?: string | null | undefined;
  readonly settings?: Omit<TeamChanges, "name"> | undefined;
  readonly members?: readonly NewMember[] | undefined;
}

interface NewMember {
  readonly person: PersonReference;
  readonly role: TeamRole;
  readonly limits?: MemberLimits | undefined;
}

interface MemberInput extends TeamInput {
  readonly userId: number;
  readonly role?: TeamRole | undefined;
  readonly limits?: MemberLimits | undefined;
}

interface TeamInput {
  readonly actor: ActorWithRights;
  readonly teamId: string;
}

const TEAMS_MAX = 50;

export interface TeamDeps extends OrganizationDeps {
  /** What is known of the team's keys may no longer be so. */
  readonly forgetTeam: (teamId: string) => void;
  readonly isGuardrail: (name: string) => boolean;
  /** `general_settings.create_unknown_users` as it is now. */
  readonly createsUnknownUsers: () => boolean;
}

/** The teams of an organization. Its administrators create and delete them; a team's own administrators look after it. */
export class Teams {
  constructor(private readonly deps: TeamDeps) {}

  /** Members see the teams that they are in; everybody else of the organization sees all. */
  async list({ caller, named }: { caller: Authority; named: string | null }): Promise<readonly TeamWithCounts[]> {
    const { stores } = this.deps;
    const { organization, role } = await activeOrganization(stores, caller, named, "viewer");
    const all = await stores.teams.list(organization.id);
    if (role !== "member") return all;
    const own = await stores.teamMembers.listTeamsOf(organization.id, userIdOf(caller) ?? 0);
    const ids = new Set(own.map(({ teamId }) => teamId));
    return all.filter(({ team }) => ids.has(team.id));
  }

  /** Of every organization that the caller may see; the operator sees all teams. */
  async search({ caller, filter, page, order }: SearchInput): Promise<Paged<TeamWithCounts>> {
    const { teamId, organizationId, search } = filter;
    const ids = await visibleTeams(this.deps.stores, caller, { teamId, organizationId });
    return this.deps.stores.teams.search({ ids, ...(search === undefined ? {} : { search }) }, page, order);
  }

  async get({ caller, teamId }: ReadInput): Promise<TeamWithCounts & TeamPeople> {
    const { stores } = this.deps;
    const access = await requireTeam(stores, caller, teamId);
    const [counted, people] = await Promise.all([withCounts(stores, access.team), this.people(access)]);
    return { ...counted, ...people };
  }

  async listMembers({ caller, teamId }: ReadInput): Promise<TeamPeople> {
    return this.people(await requireTeam(this.deps.stores, caller, teamId));
  }

  /** Who is asked to join is shown to those who may ask. */
  private async people(access: TeamAccess): Promise<TeamPeople> {
    const { stores, clock } = this.deps;
    const { id, organizationId } = access.team;
    const [members, pending] = await Promise.all([
      stores.teamMembers.list(id),
      isTeamAdmin(access) ? stores.invitations.listPending(organizationId, clock.nowMs()) : [],
    ]);
    return { members, invitations: pending.filter(({ invitation }) => invitation.teamId === id) };
  }

  /** By administrators of the organization; a person who creates the team is its first administrator. */
  async create({ actor, named, name, id, settings = {}, members = [] }: CreateInput): Promise<TeamWithCounts> {
    const { organization } = await activeOrganization(this.deps.stores, actor.caller, named, "admin");
    const cleaned = cleanName(name);
    const { isGuardrail } = this.deps;
    const search = { actor, createsUnknown: this.deps.createsUnknownUsers() };
    const userId = actor.caller.kind === "operator" ? null : actor.caller.userId;
    return changeOrganization(this.deps, {
      actor,
      organizationId: organization.id,
      wanted: "admin",
      async work(tx, _, now) {
        if (id != null) await requireFreeId(tx, actor.caller, id);
        const blank = { ...newTeamRecord(organization.id, cleaned, now), ...(id == null ? {} : { id }) };
        const team = { ...blank, ...(await readTeam(tx, actor.caller, settings, blank, isGuardrail)) };
        const others = await tx.teams.list(organization.id);
        if (userId !== null && others.length >= TEAMS_MAX) {
          throw new GatewayError("conflict", `An organization has at most ${TEAMS_MAX} teams.`);
        }
        requireFreeName(others, cleaned);
        await tx.teams.insert(team);
        if (userId !== null) await tx.teamMembers.insert({ teamId: team.id, userId, role: "admin", joinedAt: now });
        for (const { person, role, limits } of members) {
          const user = await findPerson(tx, { ...search, organizationId: organization.id, now }, person);
          if (user.id !== userId) await joinTeam(tx, team, user, { role, limits, now });
        }
        // A negative balance blocks all teams of an organization, also the one that comes later.
        const changed = await tx.credits.applyStanding(organization.id, now);
        return withCounts(tx, changed.includes(team.id) ? ((await tx.teams.find(team.id)) ?? team) : team);
      },
      note: ({ team }) => noteOf("team.create", team, { name: team.name, ...plainAmounts(settings) }),
    });
  }

  /** Name, tags and metadata by the team's administrators; what it may call and spend, only by the organization's. */
  async update({ actor, teamId, changes }: TeamInput & { changes: TeamChanges }): Promise<TeamWithCounts> {
    const { isGuardrail } = this.deps;
    const { after } = await this.change({
      actor,
      teamId,
      check: needsOrganizationAdmin(changes) ? requireOrganizationAdmin : requireTeamAdmin,
      async work(tx, team, now) {
        const wanted = await readTeam(tx, actor.caller, changes, team, isGuardrail);
        if (Object.keys(wanted).length === 0) return { wanted, before: team, after: await withCounts(tx, team) };
        const others = (await tx.teams.list(team.organizationId)).filter((other) => other.team.id !== teamId);
        if (wanted.name !== undefined) requireFreeName(others, wanted.name);
        await tx.teams.update(teamId, { ...wanted, updatedAt: now });
        return { wanted, before: team, after: await withCounts(tx, { ...team, ...wanted, updatedAt: now }) };
      },
      note: ({ wanted, before, after }) =>
        Object.keys(wanted).length === 0 ? null : noteOf("team.update", after.team, plainChanges(before, wanted)),
    });
    return after;
  }

  /** By the operator, which the route sees to: its keys open nothing from the next call on. */
  block({ actor, teamId }: TeamInput): Promise<TeamWithCounts> {
    return this.setBlocked({ actor, teamId }, "admin");
  }

  /** Where the organization owes something, its balance goes on to block the team. */
  unblock({ actor, teamId }: TeamInput): Promise<TeamWithCounts> {
    return this.setBlocked({ actor, teamId }, null);
  }

  private async setBlocked({ actor, teamId }: TeamInput, wanted: "admin" | null): Promise<TeamWithCounts> {
    const { after } = await this.change({
      actor,
      teamId,
      check: requireOrganizationAdmin,
      async work(tx, team, now) {
        const isSame = team.blockedReason === wanted || (wanted === null && team.blockedReason === "balance");
        if (isSame) return { changed: false, after: await withCounts(tx, team) };
        const status = wanted === null ? "active" : "blocked";
        await tx.teams.update(teamId, { status, blockedReason: wanted, updatedAt: now });
        // All of its teams may have been blocked by hand: only the balance itself tells.
        if (wanted === null) await tx.credits.applyStanding(team.organizationId, now);
        return { changed: true, after: await withCounts(tx, (await tx.teams.find(teamId)) ?? team) };
      },
      note: ({ changed, after: { team } }) =>
        changed ? noteOf(wanted === null ? "team.unblock" : "team.block", team, { reason: team.blockedReason }) : null,
    });
    return after;
  }

  /** By administrators of the organization, since the team's keys go with it. */
  async remove({ actor, teamId }: TeamInput): Promise<void> {
    await this.change({
      actor,
      teamId,
      check: requireOrganizationAdmin,
      async work(tx, team) {
        await tx.teams.remove(teamId);
        return team;
      },
      note: (team) => noteOf("team.remove", team, { name: team.name }),
    });
  }

  /** Somebody joins the team, with limits within it; whoever is not in the organization yet, only by the operator. */
  async addPerson({ actor, teamId, member }: TeamInput & { member: NewMember }): Promise<TeamPerson> {
    const { role, limits } = member;
    const createsUnknown = this.deps.createsUnknownUsers();
    const { person } = await this.change({
      actor,
      teamId,
      check: limits === undefined ? requireTeamAdmin : requireOrganizationAdmin,
      async work(tx, team, now) {
        const search = { actor, createsUnknown, organizationId: team.organizationId, now };
        const user = await findPerson(tx, search, member.person);
        return { team, ...(await joinTeam(tx, team, user, { role, limits, now })) };
      },
      note: ({ team, joinedOrganization, person }) =>
        noteOf("team.add_member", team, { userId: person.userId, role, joinedOrganization }),
    });
    return person;
  }

  /** The role by the team's administrators; what a member may spend, only by the organization's. */
  async updateMember({ actor, teamId, userId, role, limits }: MemberInput): Promise<TeamPerson> {
    const { person } = await this.change({
      actor,
      teamId,
      check: limits === undefined ? requireTeamAdmin : requireOrganizationAdmin,
      async work(tx, team) {
        const before = (await tx.teamMembers.list(teamId)).find((one) => one.userId === userId);
        if (!before) throw new GatewayError("not_found", "There is no such member.");
        const changes = { ...(role === undefined ? {} : { role }), ...memberLimits(limits ?? {}, before) };
        await tx.teamMembers.update(teamId, userId, changes);
        return { team, before, changes, person: { ...before, ...changes } };
      },
      note: ({ team, before, changes }) =>
        Object.keys(changes).length === 0
          ? null
          : noteOf("team.update_member", team, { userId, ...plainChanges(before, changes) }),
    });
    return person;
  }

  /** By administrators of the team, or by the person who leaves it. They stay in the organization. */
  async removeMember({ actor, teamId, userId }: TeamInput & { userId: number }): Promise<void> {
    const leaves = userIdOf(actor.caller) === userId;
    await this.change({
      actor,
      teamId,
      check: (access) => (leaves ? undefined : requireTeamAdmin(access)),
      async work(tx, team, now) {
        const member = (await tx.teamMembers.list(teamId)).find((one) => one.userId === userId);
        if (!member) throw new GatewayError("not_found", "There is no such member.");
        await tx.teamMembers.remove(teamId, userId);
        const { organizationId } = team;
        return { team, taken: await takeBack(tx, { organizationId, teamId }, member.email, now) };
      },
      note: ({ team, taken }) => noteOf("team.remove_member", team, { userId, ...taken }),
    });
  }

  private async change<T>(input: TeamWork<T>): Promise<T> {
    const result = await changeTeam(this.deps, input);
    this.deps.forgetTeam(input.teamId);
    return result;
  }
}

function requireOrganizationAdmin({ role }: TeamAccess): void {
  if (role === "admin" || role === "owner") return;
  throw new GatewayError("permission", "This needs the role admin in the organization.");
}

function requireFreeName(others: readonly TeamWithCounts[], name: string): void {
  if (!others.some(({ team }) => team.name === name)) return;
  throw new GatewayError("conflict", "name: another team of the organization has it already.", { param: "name" });
}

/** Only the operator brings ids along: to others a taken one would tell of another organization's team. */
async function requireFreeId(tx: AccountStores, authority: Authority, id: string): Promise<void> {
  if (authority.kind !== "operator") {
    throw new GatewayError("permission", "team_id: only the operator may bring an id along; leave it out.", {
      param: "team_id",
    });
  }
  const taken = (why: string) => new GatewayError("conflict", `team_id: ${why}`, { param: "team_id" });
  if (await tx.teams.find(id)) throw taken("there is a team with this id.");
  // Budgets and reports go by the id: what the former team has spent would be this one's.
  if (await tx.teams.hasUsage(id)) throw taken("it was a removed team's, whose usage is kept; choose another.");
}

/** Only lists are counted by the store, and an organization has few teams. */
async function withCounts(stores: AccountStores, team: Team): Promise<TeamWithCounts> {
  const found = (await stores.teams.list(team.organizationId)).find((one) => one.team.id === team.id);
  return { team, membersCount: found?.membersCount ?? 0, keysCount: found?.keysCount ?? 0 };
}

const noteOf = (action: string, team: Team, details: Readonly<Record<string, unknown>>): ChangeNote => ({
  action,
  organizationId: team.organizationId,
  targetType: "team",
  targetId: team.id,
  details,
});
