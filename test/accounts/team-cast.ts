import { afterAll, afterEach, expect } from "bun:test";
import type { OrganizationRole } from "../../src/accounts/records.ts";
import type { DATABASES } from "../storage/databases.ts";
import { newPerson, type Person, startAppOn } from "./people.ts";

export interface Team {
  id: string;
  name: string;
  organizationId: string;
  members: { userId: number; role: string }[];
}

/** An organization in which everybody has another part in its teams, and a way to make one of these. */
export async function startTeams(kind: (typeof DATABASES)[number]["kind"]) {
  const app = await startAppOn(kind);
  afterAll(() => app.close());
  const { accounts } = app.storage;

  /** Everybody works in the organization of the owner, but for the stranger. `lead` is a member who runs the team. */
  const owner = await newPerson(app);
  const home = owner.ownId;
  const stranger = await newPerson(app);
  const roles = { admin: "admin", lead: "member", insider: "member", member: "member", viewer: "viewer" } as const;
  const cast = { owner, stranger } as Record<keyof typeof roles | "owner" | "stranger", Person>;
  for (const [name, role] of Object.entries(roles) as [keyof typeof roles, OrganizationRole][]) {
    cast[name] = await newPerson(app);
    await accounts.organizationMembers.insert({ organizationId: home, userId: cast[name].id, role, joinedAt: 0 });
    await cast[name].send("POST", "/api/gw/organizations/active", { organizationId: home });
  }
  const WHO = ["owner", "admin", "lead", "insider", "member", "viewer", "stranger"] as const;

  let made = 0;
  /** Removed after each test: an organization has room for fifty. */
  const passing: string[] = [];
  afterEach(async () => {
    for (const id of passing.splice(0)) await accounts.teams.remove(id);
  });
  async function newTeam(name = `Team ${++made}`): Promise<Team> {
    const { status, body } = await owner.send("POST", "/api/gw/teams", { name });
    expect(status).toBe(201);
    const team = body as Team;
    passing.push(team.id);
    await accounts.teamMembers.insert({ teamId: team.id, userId: cast.lead.id, role: "admin", joinedAt: 0 });
    await accounts.teamMembers.insert({ teamId: team.id, userId: cast.insider.id, role: "member", joinedAt: 0 });
    return team;
  }
  const lastLine = async () =>
    (await accounts.audit.list({ organizationId: home }, { page: 1, pageSize: 1 })).rows[0] ?? null;
  const table = (statuses: readonly number[]) => WHO.map((who, index) => [who, statuses[index] ?? 0] as const);
  return { app, accounts, owner, home, stranger, cast, WHO, newTeam, lastLine, table };
}
