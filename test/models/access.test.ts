import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { MASTER_KEY } from "../app.ts";
import { type StoredKey, type Tenant, World } from "../security/world.ts";

const world = await World.start(`
model_list:
  - model_name: fast
    litellm_params: { model: echo/chat }
    model_info: { access_groups: [beta] }
  - model_name: slow
    litellm_params: { model: echo/chat }
    model_info: { access_groups: [beta, gamma] }
  - model_name: plain
    litellm_params: { model: echo/chat }
general_settings: { demo: false }
`);
afterAll(() => world.close());
const { accounts } = world.app.storage;
const ALL = ["fast", "slow", "plain"];

const list = async (key: string, query = ""): Promise<string[] | number> => {
  const { status, text } = await world.call(`/v1/models${query}`, { key });
  return status === 200 ? (JSON.parse(text) as { data: { id: string }[] }).data.map(({ id }) => id) : status;
};
const chat = async (key: string, model: string): Promise<number> => {
  const json = { model, messages: [{ role: "user", content: "hi" }] };
  return (await world.call("/v1/chat/completions", { key, json })).status;
};
const statuses = (key: string) => Promise.all(ALL.map((model) => chat(key, model)));
const newKey = async (
  tenant: Tenant,
  models: string[],
  maker: keyof Tenant["people"] = "member",
): Promise<StoredKey> => {
  const key = await world.newKey(tenant.teamId, tenant.people[maker].id);
  await accounts.keys.update(key.id, { models });
  return key;
};

describe("a list of models", () => {
  test.each([
    [["beta"], [], [200, 200, 403]],
    [["gamma"], [], [403, 200, 403]],
    [[], ["beta"], [200, 200, 403]],
    [["gamma", "plain"], ["beta"], [403, 200, 403]],
    [["fast"], ["gamma"], [403, 403, 403]],
    [
      ["s*", "p*"],
      ["beta", "plain"],
      [403, 200, 200],
    ],
    [["all-team-models"], ["plain"], [403, 403, 200]],
    [["no-default-models"], [], [403, 403, 403]],
  ])("%p of the key within %p of the team gives %p, in calls and in lists", async (key, team, wanted) => {
    const tenant = await world.newTenant();
    await accounts.teams.update(tenant.teamId, { models: team });
    const { value } = await newKey(tenant, key);
    expect(await statuses(value)).toEqual(wanted);
    expect(await list(value)).toEqual(ALL.filter((_, index) => wanted[index] === 200));
    const info = JSON.parse((await world.call("/model/info", { key: value })).text) as { data: object[] };
    expect(info.data).toHaveLength(wanted.filter((status) => status === 200).length);
  });

  test("of the organization holds for all of its keys", async () => {
    const tenant = await world.newTenant();
    await accounts.organizations.update(tenant.organizationId, { models: ["gamma"] });
    const { value } = await newKey(tenant, []);
    expect(await statuses(value)).toEqual([403, 200, 403]);
  });

  test("is of access groups as they are now: a stored model joins one", async () => {
    const { value } = await newKey(await world.newTenant(), ["delta"]);
    expect(await list(value)).toEqual([]);
    const json = {
      model_name: "late",
      litellm_params: { model: "echo/chat" },
      model_info: { id: "late-1", access_groups: ["delta"] },
    };
    await world.call("/model/new", { key: MASTER_KEY, json });
    expect(await list(value)).toEqual(["late"]);
    expect(await chat(value, "late")).toBe(200);
    await world.call("/model/delete", { key: MASTER_KEY, json: { id: "late-1" } });
    expect(await chat(value, "late")).toBe(404);
  });

  test("of a key may name what is in an access group of the team, and nothing else", async () => {
    const tenant = await world.newTenant();
    await accounts.teams.update(tenant.teamId, { models: ["gamma"] });
    const { token: key } = tenant.people.owner;
    const make = async (models: string[]) =>
      (await world.call("/api/gw/api-keys", { key, json: { teamId: tenant.teamId, name: models.join(), models } }))
        .status;
    expect([await make(["slow"]), await make(["gamma"]), await make(["fast"])]).toEqual([201, 201, 400]);
  });

  test("and a name of the team's own: it is resolved first, and answers carry it", async () => {
    const tenant = await world.newTenant();
    await accounts.teams.update(tenant.teamId, { models: ["gamma"], modelAliases: { ours: "slow", other: "plain" } });
    const { value } = await newKey(tenant, []);
    expect(await list(value)).toEqual(["slow", "ours"]);
    expect([await chat(value, "ours"), await chat(value, "other"), await chat(value, "fast")]).toEqual([200, 403, 403]);
    const json = { model: "ours", messages: [{ role: "user", content: "hi" }] };
    expect(JSON.parse((await world.call("/v1/chat/completions", { key: value, json })).text).model).toBe("ours");
    const stranger = await newKey(await world.newTenant(), []);
    expect(await chat(stranger.value, "ours")).toBe(404);
  });
});

describe("scope=expand", () => {
  let tenant: Tenant;
  beforeAll(async () => {
    tenant = await world.newTenant();
    await accounts.teams.update(tenant.teamId, { models: ["fast"] });
  });

  test.each([
    ["owner", ALL],
    ["admin", ALL],
    ["lead", ALL],
    ["member", ["fast"]],
    ["viewer", ["fast"]],
  ] as const)("a key of the %s sees %p", async (maker, seen) => {
    const { value } = await newKey(tenant, [], maker);
    expect(await list(value, "?scope=expand")).toEqual([...seen]);
    expect(await list(value)).toEqual(["fast"]);
    expect(await chat(value, "slow")).toBe(403);
  });

  test("the master key and a platform administrator's key see everything, a key of nobody what it may call", async () => {
    expect(await list(MASTER_KEY, "?scope=expand")).toEqual(ALL);
    const root = await world.newPerson("admin");
    expect(await list((await world.newKey(tenant.teamId, root.id)).value, "?scope=expand")).toEqual(ALL);
    expect(await list((await world.newKey(tenant.teamId, null)).value, "?scope=expand")).toEqual(["fast"]);
  });

  test("a role that was taken away is gone at once, and so is that of somebody who was disabled", async () => {
    const { value } = await newKey(tenant, [], "admin");
    await accounts.organizationMembers.setRole(tenant.organizationId, tenant.people.admin.id, "member");
    expect(await list(value, "?scope=expand")).toEqual(["fast"]);
    const { value: owners } = await newKey(tenant, [], "owner");
    await accounts.users.update(tenant.people.owner.id, { status: "disabled" });
    expect(await list(owners, "?scope=expand")).toEqual(["fast"]);
  });
});

describe("team_id", () => {
  test("shows what the team may call, whatever the key may", async () => {
    const tenant = await world.newTenant();
    await accounts.teams.update(tenant.teamId, { models: ["beta"] });
    const { value } = await newKey(tenant, ["fast"]);
    expect(await list(value, `?team_id=${tenant.teamId}`)).toEqual(["fast", "slow"]);
    expect(await list(MASTER_KEY, `?team_id=${tenant.teamId}`)).toEqual(["fast", "slow"]);
  });

  test("is a team of the same organization that the key's maker belongs to; any other is not there", async () => {
    const [tenant, other] = [await world.newTenant(), await world.newTenant()];
    const second = await world.newTeam(tenant.organizationId);
    await accounts.teams.update(second, { models: ["plain"] });
    await world.joinTeam(second, tenant.people.lead.id, "member");
    for (const [maker, seen] of [
      ["owner", ["plain"]],
      ["lead", ["plain"]],
      ["member", 404],
      ["viewer", 404],
    ] as const) {
      const { value } = await newKey(tenant, [], maker);
      expect(await list(value, `?team_id=${second}`)).toEqual(seen as string[] | 404);
      expect(await list(value, `?team_id=${other.teamId}`)).toBe(404);
      expect(await list(value, "?team_id=none")).toBe(404);
    }
    // In both organizations: the key is still of one of them.
    const { id: userId } = tenant.people.owner;
    await accounts.organizationMembers.insert({
      organizationId: other.organizationId,
      userId,
      role: "admin",
      joinedAt: Date.now(),
    });
    expect(await list((await newKey(tenant, [], "owner")).value, `?team_id=${other.teamId}`)).toBe(404);
    expect(await list(MASTER_KEY, "?team_id=none")).toBe(404);
  });
});
