import type { SessionCaller } from "../contract/caller.ts";
import { GatewayError } from "../contract/errors.ts";
import { activeOrganization, requireTeam, requireTeamAdmin, type TeamAccess } from "./access.ts";
import { type ChangeNote, change } from "./change.ts";
import {
  changeOrganization,
  cleanName,
  lockOrganization,
  type OrganizationDeps,
  type PersonActor,
} from "./organizations.ts";
import type { NamedMember, Team, TeamRole, User } from "./records.ts";
import type { AccountStores, TeamWithCounts } from "./store.ts";
import { newTeamRecord } from "./team-record.ts";

export type TeamPerson = NamedMember<TeamRole>;

export interface TeamChanges {
  readonly name?: string | undefined;
  readonly models?: readonly string[] | undefined;
}

interface ReadInput {
  readonly caller: SessionCaller;
  readonly teamId: string;
}

interface CreateInput {
  readonly actor: PersonActor;
  /** Null: the organization that the session works in. */
  readonly named: string | null;
  readonly name: string;
}

interface TeamInput {
  readonly actor: PersonActor;
  readonly teamId: string;
}

const TEAMS_MAX = 50;

export interface TeamDeps extends OrganizationDeps {
  /** What is known of the team's keys may no longer be so. */
  readonly forgetTeam: (teamId: string) => void;
}

/** The teams of an organization. Its administrators create and delete them; a team's own administrators look after it. */
export class Teams {
  constructor(private readonly deps: TeamDeps) {}

  /** Members see the teams that they are in; everybody else of the organization sees all. */
  async list({ caller, named }: { caller: SessionCaller; named: string | null }): Promise<readonly TeamWithCounts[]> {
    const { stores } = this.deps;
    const { organization, role } = await activeOrganization(stores, caller, named, "viewer");
    const all = await stores.teams.list(organization.id);
    if (role !== "member") return all;
    const own = await stores.teamMembers.listTeamsOf(organization.id, caller.userId);
    const ids = new Set(own.map(({ teamId }) => teamId));
    return all.filter(({ team }) => ids.has(team.id));
  }

  async get({ caller, teamId }: ReadInput): Promise<TeamWithCounts & { readonly members: readonly TeamPerson[] }> {
    const { stores } = this.deps;
    const { team } = await requireTeam(stores, caller, teamId);
    const [counted, members] = await Promise.all([withCounts(stores, team), stores.teamMembers.list(teamId)]);
    return { ...counted, members };
  }

  async listMembers({ caller, teamId }: ReadInput): Promise<readonly TeamPerson[]> {
    await requireTeam(this.deps.stores, caller, teamId);
    return this.deps.stores.teamMembers.list(teamId);
  }

  /** By administrators of the organization; whoever creates the team is its first administrator. */
  async create({ actor, named, name }: CreateInput): Promise<TeamWithCounts> {
    const { organization } = await activeOrganization(this.deps.stores, actor.caller, named, "admin");
    const cleaned = cleanName(name);
    const { userId } = actor.caller;
    return changeOrganization(this.deps, {
      actor,
      organizationId: organization.id,
      wanted: "admin",
      async work(tx, _, now) {
        const others = await tx.teams.list(organization.id);
        if (others.length >= TEAMS_MAX) {
          throw new GatewayError("conflict", `An organization has at most ${TEAMS_MAX} teams.`);
        }
        requireFreeName(others, cleaned);
        const team = newTeamRecord(organization.id, cleaned, now);
        await tx.teams.insert(team);
        await tx.teamMembers.insert({ teamId: team.id, userId, role: "admin", joinedAt: now });
        return { team, membersCount: 1, keysCount: 0 };
      },
      note: ({ team }) => noteOf("team.create", team, { name: team.name }),
    });
  }

  /** The name by the team's administrators; which models it may call, only by the organization's. */
  async update({ actor, teamId, changes }: TeamInput & { changes: TeamChanges }): Promise<TeamWithCounts> {
    const mayChange = (access: TeamAccess) =>
      changes.models === undefined ? requireTeamAdmin(access) : requireOrganizationAdmin(access);
    const wanted = {
      ...(changes.name === undefined ? {} : { name: cleanName(changes.name) }),
      ...(changes.models === undefined ? {} : { models: [...new Set(changes.models)] }),
    };
    return this.change({
      actor,
      teamId,
      check: mayChange,
      async work(tx, team, now) {
        if (Object.keys(wanted).length === 0) return withCounts(tx, team);
        const others = (await tx.teams.list(team.organizationId)).filter((other) => other.team.id !== teamId);
        if (wanted.name !== undefined) requireFreeName(others, wanted.name);
        await tx.teams.update(teamId, { ...wanted, updatedAt: now });
        return withCounts(tx, { ...team, ...wanted, updatedAt: now });
      },
      note: ({ team }) => (Object.keys(wanted).length === 0 ? null : noteOf("team.update", team, wanted)),
    });
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

  /** Somebody who has an account joins the team, and the organization as a member where they are not in it yet. */
  async addMember({ actor, teamId, email, role }: TeamInput & { email: string; role: TeamRole }): Promise<TeamPerson> {
    const { person } = await this.change({
      actor,
      teamId,
      check: requireTeamAdmin,
      async work(tx, team, now) {
        const user = await personWith(tx, email);
        if (await tx.teamMembers.find(teamId, user.id)) {
          throw new GatewayError("conflict", "This person is in the team already.");
        }
        const { organizationId } = team;
        const joined = (await tx.organizationMembers.find(organizationId, user.id)) === null;
        if (joined) {
          await tx.organizationMembers.insert({ organizationId, userId: user.id, role: "member", joinedAt: now });
        }
        await tx.teamMembers.insert({ teamId, userId: user.id, role, joinedAt: now });
        return { team, joined, person: { userId: user.id, email: user.email, name: user.name, role, joinedAt: now } };
      },
      note: ({ team, joined, person }) =>
        noteOf("team.add_member", team, { userId: person.userId, role, joinedOrganization: joined }),
    });
    return person;
  }

  /** By administrators of the team, or by the person who leaves it. They stay in the organization. */
  async removeMember({ actor, teamId, userId }: TeamInput & { userId: number }): Promise<void> {
    const leaves = actor.caller.userId === userId;
    await this.change({
      actor,
      teamId,
      check: (access) => (leaves ? undefined : requireTeamAdmin(access)),
      async work(tx, team) {
        if (!(await tx.teamMembers.find(teamId, userId))) {
          throw new GatewayError("not_found", "There is no such member.");
        }
        await tx.teamMembers.remove(teamId, userId);
        return team;
      },
      note: (team) => noteOf("team.remove_member", team, { userId }),
    });
  }

  /** As `changeOrganization`: asked before and again under the organization's lock. */
  private async change<T>(input: TeamWork<T>): Promise<T> {
    const { stores, clock } = this.deps;
    const { actor, teamId, check, work, note } = input;
    const seen = await requireTeam(stores, actor.caller, teamId);
    check(seen);
    const result = await change(
      stores,
      clock,
      actor,
      async (tx) => {
        const now = clock.nowMs();
        await lockOrganization(tx, seen.team.organizationId, now);
        const access = await requireTeam(tx, actor.caller, teamId);
        check(access);
        return work(tx, access.team, now);
      },
      note,
    );
    this.deps.forgetTeam(teamId);
    return result;
  }
}

interface TeamWork<T> {
  readonly actor: PersonActor;
  readonly teamId: string;
  readonly check: (access: TeamAccess) => void;
  work(tx: AccountStores, team: Team, now: number): Promise<T>;
  note(result: T): ChangeNote | null;
}

function requireOrganizationAdmin({ role }: TeamAccess): void {
  if (role === "admin" || role === "owner") return;
  throw new GatewayError("permission", "This needs the role admin in the organization.");
}

async function personWith(tx: AccountStores, email: string): Promise<User> {
  const user = await tx.users.findByEmail(email.trim().toLowerCase());
  if (user?.status === "active") return user;
  throw new GatewayError("invalid_request", "Nobody has signed up with this e-mail yet; ask them to sign up first.", {
    param: "email",
  });
}

function requireFreeName(others: readonly TeamWithCounts[], name: string): void {
  if (!others.some(({ team }) => team.name === name)) return;
  throw new GatewayError("conflict", "name: another team of the organization has it already.", { param: "name" });
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
