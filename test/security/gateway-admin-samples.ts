import type { MakeSample, Sample } from "./samples.ts";
import type { Tenant, World } from "./world.ts";

const unique = (what: string): string => `${what}-${crypto.randomUUID()}`;

const keyOf = (world: World, { teamId, people }: Tenant) => world.newKey(teamId, people.member.id);
const teamOf = async (world: World, { organizationId, people }: Tenant): Promise<string> => {
  const id = await world.newTeam(organizationId);
  await world.joinTeam(id, people.lead.id, "admin");
  await world.joinTeam(id, people.member.id, "member");
  return id;
};
const memberOf = async (world: World, { organizationId, teamId }: Tenant): Promise<string> => {
  const { id } = await world.newPerson();
  const { organizationMembers } = world.app.storage.accounts;
  await organizationMembers.insert({ organizationId, userId: id, role: "member", joinedAt: Date.now() });
  await world.joinTeam(teamId, id, "member");
  return String(id);
};
const organizationOf = async (world: World): Promise<string> => (await world.newTenant()).organizationId;
const budgetOf = async (world: World): Promise<string> => {
  const id = unique("budget");
  const none = { budget: 1n, softBudget: null, budgetWindow: "total", rpmLimit: null, tpmLimit: null } as const;
  const rest = {
    organizationId: null,
    parallelLimit: null,
    modelLimits: {},
    furtherBudgets: [],
    createdAt: 0,
    updatedAt: 0,
  };
  await world.app.storage.accounts.budgets.insert({ id, ...none, ...rest });
  return id;
};

const endUserOf = async (world: World, { organizationId }: Tenant): Promise<string> => {
  const id = unique("end-user");
  const none = { budget: null, softBudget: null, budgetWindow: null, rpmLimit: null, tpmLimit: null } as const;
  const rest = { alias: null, blocked: false, parallelLimit: null, budgetId: null, createdAt: 0, updatedAt: 0 };
  await world.app.storage.accounts.endUsers.insert({ organizationId, id, ...none, ...rest });
  return id;
};

const nothing: MakeSample = () => ({});
const body =
  (make: (world: World, tenant: Tenant) => Promise<Sample["body"]> | Sample["body"]): MakeSample =>
  async (world, tenant) => {
    const made = await make(world, tenant);
    return made ? { body: made } : {};
  };

/** The operations that gateway users script against, in the names that they send. */
export const GATEWAY_ADMIN_SAMPLES: Readonly<Record<string, MakeSample>> = {
  "POST /key/generate": body((_, { teamId }) => ({ team_id: teamId, key_alias: "Made", max_budget: 0.1 })),
  "POST /key/service-account/generate": body((_, { teamId }) => ({ team_id: teamId, key_alias: "Made" })),
  "POST /key/update": body(async (world, tenant) => ({
    key: (await keyOf(world, tenant)).handle,
    key_alias: unique("Renamed"),
  })),
  "POST /key/bulk_update": body(async (world, tenant) => ({
    keys: [{ key: (await keyOf(world, tenant)).handle, key_alias: unique("Renamed") }],
  })),
  "POST /key/delete": body(async (world, tenant) => ({ keys: [(await keyOf(world, tenant)).value] })),
  "GET /key/info": async (world, tenant) => ({ query: { key: (await keyOf(world, tenant)).handle } }),
  "POST /v2/key/info": body(async (world, tenant) => ({ keys: [(await keyOf(world, tenant)).handle] })),
  "GET /key/list": nothing,
  "GET /key/aliases": nothing,
  "POST /key/regenerate": body(async (world, tenant) => ({ key: (await keyOf(world, tenant)).handle })),
  "POST /key/{key}/regenerate": async (world, tenant) => ({
    params: { key: (await keyOf(world, tenant)).handle },
    body: { grace_period: "1h" },
  }),
  "POST /key/{key}/reset_spend": async (world, tenant) => ({
    params: { key: (await keyOf(world, tenant)).handle },
    body: { reset_to: 0 },
  }),
  "POST /key/pick_up": body(async (world, { teamId, people }) => ({
    key: (await world.newWaitingKey(teamId, people.member.id)).handle,
  })),
  "POST /key/block": body(async (world, tenant) => ({ key: (await keyOf(world, tenant)).handle })),
  "POST /key/unblock": body(async (world, { teamId, people }) => ({
    key: (await world.newKey(teamId, people.member.id, { status: "disabled" })).id,
  })),
  "POST /key/health": nothing,
  "POST /team/new": body((_, { organizationId }) => ({ organization_id: organizationId, team_alias: unique("Made") })),
  "POST /team/update": body(async (world, tenant) => ({
    team_id: await teamOf(world, tenant),
    team_alias: unique("Renamed"),
  })),
  "POST /team/delete": body(async (world, tenant) => ({ team_ids: [await teamOf(world, tenant)] })),
  "GET /team/info": async (world, tenant) => ({ query: { team_id: await teamOf(world, tenant) } }),
  "GET /team/list": nothing,
  "GET /v2/team/list": nothing,
  "POST /team/member_add": body(async (world, { teamId, organizationId }) => {
    const { id: userId, email } = await world.newPerson();
    const { organizationMembers } = world.app.storage.accounts;
    await organizationMembers.insert({ organizationId, userId, role: "member", joinedAt: Date.now() });
    return { team_id: teamId, member: { role: "user", user_email: email } };
  }),
  "POST /team/member_update": body(async (world, tenant) => ({
    team_id: tenant.teamId,
    user_id: await memberOf(world, tenant),
    role: "admin",
  })),
  "POST /team/member_delete": body(async (world, tenant) => ({
    team_id: tenant.teamId,
    user_id: await memberOf(world, tenant),
  })),
  "POST /team/block": body(async (world, tenant) => ({ team_id: await teamOf(world, tenant) })),
  "POST /team/unblock": body(async (world, { organizationId }) => ({
    team_id: await world.newTeam(organizationId, "blocked"),
  })),
  "POST /team/model/add": body(async (world, tenant) => {
    const id = await teamOf(world, tenant);
    await world.app.storage.accounts.teams.update(id, { models: ["one"] });
    return { team_id: id, models: [unique("model")] };
  }),
  "POST /team/model/delete": body(async (world, tenant) => {
    const id = await teamOf(world, tenant);
    await world.app.storage.accounts.teams.update(id, { models: ["one", "two"] });
    return { team_id: id, models: ["two"] };
  }),
  "POST /organization/new": body(() => ({ organization_alias: unique("Made") })),
  "PATCH /organization/update": body((_, { organizationId }) => ({
    organization_id: organizationId,
    organization_alias: unique("Renamed"),
  })),
  "DELETE /organization/delete": body(async (world) => ({ organization_ids: [await organizationOf(world)] })),
  "GET /organization/info": (_, { organizationId }) => ({ query: { organization_id: organizationId } }),
  "GET /organization/list": nothing,
  "POST /organization/member_add": body(async (world, { organizationId }) => ({
    organization_id: organizationId,
    member: { role: "internal_user", user_email: (await world.newPerson()).email },
  })),
  "PATCH /organization/member_update": body(async (world, tenant) => ({
    organization_id: tenant.organizationId,
    user_id: await memberOf(world, tenant),
    role: "internal_user_viewer",
  })),
  "DELETE /organization/member_delete": body(async (world, tenant) => ({
    organization_id: tenant.organizationId,
    user_id: await memberOf(world, tenant),
  })),
  "POST /user/new": body(() => ({ user_email: `${unique("made")}@security.test`, auto_create_key: false })),
  "POST /user/update": body(async (world) => ({
    user_id: String((await world.newPerson()).id),
    user_alias: unique("Renamed"),
  })),
  "POST /user/delete": body(async (world) => ({ user_ids: [String((await world.newPerson()).id)] })),
  "GET /user/info": nothing,
  "GET /v2/user/info": nothing,
  "GET /user/list": nothing,
  "GET /user/available_roles": nothing,
  "POST /customer/new": body((_, { organizationId }) => ({
    organization_id: organizationId,
    user_id: unique("Made"),
    max_budget: 0.1,
  })),
  "POST /customer/update": body(async (world, tenant) => ({
    organization_id: tenant.organizationId,
    user_id: await endUserOf(world, tenant),
    alias: unique("Renamed"),
  })),
  ...Object.fromEntries(
    ["delete", "block", "unblock"].map((word) => [
      `POST /customer/${word}`,
      body(async (world, tenant) => ({
        organization_id: tenant.organizationId,
        user_ids: [await endUserOf(world, tenant)],
      })),
    ]),
  ),
  "GET /customer/info": async (world, tenant) => ({
    query: { organization_id: tenant.organizationId, end_user_id: await endUserOf(world, tenant) },
  }),
  "GET /api/end-users": nothing,
  "POST /api/end-users": body(() => ({ id: unique("Made"), budget: 1_000 })),
  "PATCH /api/end-users/{id}": async (world, tenant) => ({
    params: { id: await endUserOf(world, tenant) },
    body: { alias: unique("Renamed") },
  }),
  "DELETE /api/end-users/{id}": async (world, tenant) => ({ params: { id: await endUserOf(world, tenant) } }),
  "GET /customer/list": (_, { organizationId }) => ({ query: { organization_id: organizationId } }),
  "POST /budget/new": body(() => ({ max_budget: 12.5 })),
  "POST /budget/update": body(async (world) => ({ budget_id: await budgetOf(world), max_budget: 13.5 })),
  "POST /budget/info": body(async (world) => ({ budgets: [await budgetOf(world)] })),
  "GET /budget/settings": async (world) => ({ query: { budget_id: await budgetOf(world) } }),
  "GET /budget/list": nothing,
  "POST /budget/delete": body(async (world) => ({ id: await budgetOf(world) })),
};
