import { expect } from "bun:test";
import type { OrganizationRole, TeamRole } from "../../src/accounts/records.ts";
import { newTeamRecord } from "../../src/accounts/team-record.ts";
import { type Clock, systemClock } from "../../src/lib/clock.ts";
import { startAppOn } from "./people.ts";

export interface Key {
  id: string;
  name: string;
  token: string;
  key: string;
  maskedToken: string;
  teamId: string;
  status: string;
  models: string[];
  allowedIps: string[];
  budget: { limit: number; window: string } | null;
  createdBy: number;
  lastUsedAt: string | null;
}

/** People who have to do with the keys of one organization, each in another role, on a server of their own. */
export async function keyHolders(kind: Parameters<typeof startAppOn>[0]) {
  let aheadMs = 0;
  const clock: Clock = {
    nowMs: () => systemClock.nowMs() + aheadMs,
    monotonicMs: () => systemClock.monotonicMs() + aheadMs,
  };
  const pass = (ms: number): void => {
    aheadMs += ms;
  };
  const app = await startAppOn(kind, "", clock);
  const { accounts } = app.storage;
  /** Everything that was ever shown as a key, and every answer that must not hold one. */
  const secrets: string[] = [];
  const answers: string[] = [];

  let count = 0;
  async function newPerson() {
    const email = `keeper${++count}@example.com`;
    const response = await app.call("/api/auth/signup", { json: { email, password: "a good long one" } });
    const { user, token } = (await response.json()) as { user: { id: number }; token: string };
    const send = async (method: string, path: string, json?: unknown, more: Record<string, string> = {}) => {
      const headers = { authorization: `Bearer ${token}`, ...more };
      const answer = await app.call(path, { method, headers, ...(json === undefined ? {} : { json }) });
      const text = await answer.text();
      const body = JSON.parse(text);
      if (typeof body.key === "string") secrets.push(body.key);
      else answers.push(text);
      return { status: answer.status, headers: answer.headers, body };
    };
    const [own] = await accounts.organizations.listOf(user.id);
    return { id: user.id, send, ownId: own?.organization.id ?? "" };
  }
  type Person = Awaited<ReturnType<typeof newPerson>>;

  const owner = await newPerson();
  const stranger = await newPerson();
  const home = owner.ownId;
  const [homeTeam] = await accounts.teams.list(home);
  const [strangerTeam] = await accounts.teams.list(stranger.ownId);
  const teamId = homeTeam?.team.id ?? "";

  async function join(role: OrganizationRole, teamRole: TeamRole | null): Promise<Person> {
    const person = await newPerson();
    await accounts.organizationMembers.insert({ organizationId: home, userId: person.id, role, joinedAt: 0 });
    if (teamRole) await accounts.teamMembers.insert({ teamId, userId: person.id, role: teamRole, joinedAt: 0 });
    await person.send("POST", "/api/gw/organizations/active", { organizationId: home });
    return person;
  }
  const cast = {
    owner,
    stranger,
    admin: await join("admin", null),
    lead: await join("member", "admin"),
    maker: await join("member", "member"),
    insider: await join("member", "member"),
    outsider: await join("member", null),
    viewer: await join("viewer", null),
    demoted: await join("viewer", "admin"),
  };

  async function newTeam(models: string[] = []) {
    const team = { ...newTeamRecord(home, crypto.randomUUID(), 0), models };
    await accounts.teams.insert(team);
    return team.id;
  }
  let made = 0;
  async function create(by: Person = owner, more: object = {}): Promise<Key> {
    const { status, body } = await by.send("POST", "/api/gw/api-keys", {
      name: `key ${++made}`,
      team_id: teamId,
      ...more,
    });
    expect({ status, body }).toMatchObject({ status: 201 });
    return body;
  }
  const chat = async (key: string, remoteAddress?: string) => {
    const response = await app.call("/v1/chat/completions", {
      key,
      json: { model: "echo", messages: [{ role: "user", content: "hi" }] },
      ...(remoteAddress ? { remoteAddress } : {}),
    });
    await response.text();
    return response.status;
  };
  const audit = async (targetId: string) => {
    const { rows } = await accounts.audit.list({ organizationId: home }, { page: 1, pageSize: 1_000 });
    return rows.filter((row) => row.targetId === targetId).reverse();
  };

  /** To be asked last: of all that was shown as a key, nothing is told again. */
  async function expectNothingTold(keysAtLeast: number): Promise<void> {
    const { rows } = await accounts.audit.list({}, { page: 1, pageSize: 10_000 });
    // The hash of a row is its seal, and no key's.
    const entries = rows.map(({ hash, ...entry }) => entry);
    const told = [...answers, ...app.logged, JSON.stringify(entries)].join("\n");
    const stored = await accounts.keys.list({ teamIds: [teamId] }, { page: 1, pageSize: 1_000 });
    expect(secrets.length).toBeGreaterThan(keysAtLeast);
    expect(stored.rows.length).toBeGreaterThan(keysAtLeast);
    for (const secret of secrets) expect(told).not.toContain(secret);
    for (const { hash } of stored.rows) expect(told).not.toContain(hash);
    expect(told).not.toMatch(/"(?:hash|previousHash|handle)"/);
  }

  const people = { owner, stranger, cast, newPerson, join };
  return {
    app,
    accounts,
    pass,
    ...people,
    home,
    teamId,
    strangerTeam,
    newTeam,
    create,
    chat,
    audit,
    expectNothingTold,
  };
}
