import { afterAll, describe, expect, test } from "bun:test";
import { startAppOn } from "../accounts/people.ts";
import { MASTER_KEY } from "../app.ts";
import { DATABASES } from "../storage/databases.ts";
import { errorFormat } from "./face.ts";

const LIMITS = {
  max_budget: 2,
  soft_budget: 1,
  budget_duration: "1d",
  rpm_limit: 5,
  tpm_limit: 500,
  max_parallel_requests: 2,
};
const NO_LIMITS = Object.fromEntries(Object.keys(LIMITS).map((name) => [name, null]));
const MODELS = { model_rpm_limit: { echo: 5 }, model_tpm_limit: { echo: 50 } };

for (const { kind, missing } of DATABASES) {
  describe.skipIf(missing)(`what scripts set and clear, on ${kind}`, async () => {
    const app = await startAppOn(kind);
    afterAll(() => app.close());
    const { post, get, send } = errorFormat(app, MASTER_KEY);

    /** Sets all fields, leaves all out, and empties all. */
    async function walk(
      set: object,
      cleared: object,
      update: (fields: object) => Promise<{ status: number }>,
      read: () => Promise<object>,
    ) {
      expect((await update(set)).status).toBe(200);
      expect(await read()).toMatchObject(set);
      expect((await update({})).status).toBe(200);
      expect(await read()).toMatchObject(set);
      const nulls = Object.fromEntries(Object.keys(set).map((name) => [name, null]));
      expect((await update(nulls)).status).toBe(200);
      expect(await read()).toMatchObject(cleared);
    }

    test("a key keeps what is left out, and null empties each of its fields", async () => {
      const { token } = (await post("/key/generate", {})).body;
      const set = {
        ...LIMITS,
        ...MODELS,
        models: ["echo"],
        aliases: { fast: "echo" },
        metadata: { a: 1 },
        tags: ["t"],
        allowed_ips: ["10.0.0.1"],
        auto_rotate: true,
        rotation_interval: "30d",
      };
      const none = { models: [], aliases: {}, metadata: {}, tags: [], allowed_ips: [] };
      await walk(
        set,
        {
          ...NO_LIMITS,
          ...none,
          model_rpm_limit: {},
          model_tpm_limit: {},
          auto_rotate: false,
          rotation_interval: null,
        },
        (fields) => post("/key/update", { key: token, ...fields }),
        async () => (await get(`/key/info?key=${token}`)).body.info,
      );
    });

    test("a team does", async () => {
      const { team_id } = (await post("/team/new", {})).body;
      const set = { ...LIMITS, models: ["echo"], model_aliases: { fast: "echo" }, metadata: { a: 1 }, tags: ["t"] };
      await walk(
        set,
        { ...NO_LIMITS, models: [], model_aliases: {}, metadata: {}, tags: [] },
        (fields) => post("/team/update", { team_id, ...fields }),
        async () => (await get(`/team/info?team_id=${team_id}`)).body.team_info,
      );
    });

    test("an organization does", async () => {
      const { organization_id } = (await post("/organization/new", { organization_alias: "O" })).body;
      await walk(
        { ...LIMITS, models: ["echo"], metadata: { a: 1 } },
        { ...NO_LIMITS, models: [], metadata: {} },
        (fields) => send("PATCH", "/organization/update", { organization_id, ...fields }),
        async () => {
          const { body } = await get(`/organization/info?organization_id=${organization_id}`);
          return { ...body, ...body.litellm_budget_table };
        },
      );
    });

    test("a user, a member of a team, an end user and a budget do", async () => {
      const { max_budget, budget_duration, rpm_limit, tpm_limit } = LIMITS;
      const ofPeople = { max_budget, budget_duration, rpm_limit, tpm_limit };
      const noneOfPeople = Object.fromEntries(Object.keys(ofPeople).map((name) => [name, null]));
      const { user_id } = (await post("/user/new", { user_email: "u@example.com", auto_create_key: false })).body;
      await walk(
        { ...ofPeople, metadata: { a: 1 } },
        { ...noneOfPeople, metadata: {} },
        (fields) => post("/user/update", { user_id, ...fields }),
        async () => (await get(`/v2/user/info?user_id=${user_id}`)).body,
      );
      const { team_id } = (await post("/team/new", { members_with_roles: [{ role: "user", user_id }] })).body;
      await walk(
        { max_budget_in_team: 1, rpm_limit, tpm_limit },
        { max_budget_in_team: null, rpm_limit: null, tpm_limit: null },
        (fields) => post("/team/member_update", { team_id, user_id, ...fields }),
        async () => (await get(`/team/info?team_id=${team_id}`)).body.team_memberships[0],
      );
      await post("/customer/new", { user_id: "c" });
      await walk(
        { ...LIMITS, alias: "C" },
        { ...NO_LIMITS, alias: null },
        (fields) => post("/customer/update", { user_id: "c", ...fields }),
        async () => {
          const { body } = await get("/customer/info?end_user_id=c");
          return { ...body, ...body.litellm_budget_table };
        },
      );
      await post("/budget/new", { budget_id: "b" });
      await walk(
        { ...LIMITS, ...MODELS },
        { ...NO_LIMITS, model_rpm_limit: {}, model_tpm_limit: {} },
        (fields) => post("/budget/update", { budget_id: "b", ...fields }),
        async () => (await post("/budget/info", { budgets: ["b"] })).body[0],
      );
    });

    test("null for what there always is, or where nothing can be told from it, is refused by name", async () => {
      const { token } = (await post("/key/generate", { key_alias: "named" })).body;
      const { team_id, organization_id } = (await post("/team/new", { team_alias: "named" })).body;
      const { user_id } = (await post("/user/new", { user_email: "n@example.com", auto_create_key: false })).body;
      await post("/team/member_add", { team_id, member: { role: "user", user_id } });
      await post("/customer/new", { user_id: "named" });
      const key = { key: token };
      for (const [method, path, who, fields] of [
        ["POST", "/key/update", key, ["key_alias", "team_id", "organization_id", "blocked"]],
        ["POST", "/team/update", { team_id }, ["team_alias", "organization_id", "blocked"]],
        ["POST", "/team/member_update", { team_id, user_id }, ["role"]],
        ["PATCH", "/organization/update", { organization_id }, ["organization_alias", "blocked"]],
        ["POST", "/user/update", { user_id }, ["user_alias", "user_role"]],
        ["POST", "/customer/update", { user_id: "named" }, ["blocked"]],
      ] as const) {
        for (const field of fields) {
          const { status, body } = await send(method, path, { ...who, [field]: null });
          expect([path, field, status, body.error?.param]).toEqual([path, field, 400, field]);
        }
      }
      expect((await get(`/key/info?key=${token}`)).body.info).toMatchObject({ key_alias: "named", blocked: false });
    });

    test("a limit of 0 that is not served is refused, as any other", async () => {
      for (const [path, body, field] of [["/user/new", { user_email: "zero@example.com" }, "soft_budget"]] as const) {
        const { status, body: told } = await post(path, { ...body, [field]: 0 });
        expect([path, field, status, told.error?.param]).toEqual([path, field, 400, field]);
      }
      expect((await post("/key/generate", { spend: 0, permissions: {}, allowed_routes: [] })).status).toBe(200);
    });

    test("an id and an e-mail are of one person, and neither is passed over", async () => {
      const people = [];
      for (const name of ["one", "two"]) {
        people.push((await post("/user/new", { user_email: `${name}@example.com`, auto_create_key: false })).body);
      }
      const [one, two] = people;
      const { team_id, organization_id } = (await post("/team/new", { members_with_roles: [] })).body;
      const both = { user_id: one.user_id, user_email: "Two@example.com" };
      const refused = async (method: string, path: string, body: object) => {
        const { status, body: told } = await send(method, path, body);
        expect([path, status, told.error?.param]).toEqual([path, 400, "user_email"]);
      };
      await refused("POST", "/team/member_add", { team_id, member: { role: "user", ...both } });
      await refused("POST", "/organization/member_add", {
        organization_id,
        member: { role: "internal_user", ...both },
      });
      await refused("POST", "/team/new", { members_with_roles: [{ role: "user", ...both }] });
      for (const { user_id, user_email } of [one, two]) {
        const member = { role: "user", user_id, user_email: ` ${user_email.toUpperCase()}` };
        expect((await post("/team/member_add", { team_id, member })).status).toBe(200);
      }
      await refused("POST", "/team/member_update", { team_id, ...both, role: "admin" });
      await refused("POST", "/team/member_delete", { team_id, ...both });
      await refused("PATCH", "/organization/member_update", { organization_id, ...both, role: "org_admin" });
      await refused("DELETE", "/organization/member_delete", { organization_id, ...both });
      await refused("POST", "/user/update", { ...both, user_alias: "Other" });
      const same = { user_id: one.user_id, user_email: "ONE@example.com" };
      expect((await post("/user/update", { ...same, user_alias: "One" })).body.data.user_alias).toBe("One");
      expect((await post("/team/member_delete", { team_id, ...same })).body.members_with_roles).toHaveLength(1);
    });

    test("who is disabled is not said to be let in again", async () => {
      const { user_id } = (await post("/user/new", { user_email: "off@example.com", auto_create_key: false })).body;
      expect((await post("/user/update", { user_id, blocked: false })).status).toBe(200);
      await send("PATCH", `/api/admin/users/${user_id}`, { status: "disabled" });
      const { status, body } = await post("/user/update", { user_id, blocked: false });
      expect([status, body.error?.param]).toEqual([400, "blocked"]);
    });
  });
}
