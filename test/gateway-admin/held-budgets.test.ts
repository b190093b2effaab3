import { afterAll, describe, expect, test } from "bun:test";
import { newPerson, startAppOn } from "../accounts/people.ts";
import { MASTER_KEY } from "../app.ts";
import { DATABASES } from "../storage/databases.ts";
import { errorFormat } from "./face.ts";

const LIMITS = {
  max_budget: 1,
  soft_budget: 0.5,
  budget_duration: "1d",
  rpm_limit: 5,
  tpm_limit: 500,
  max_parallel_requests: 2,
};

for (const { kind, missing } of DATABASES) {
  describe.skipIf(missing)(`limits that come from a budget, on ${kind}`, async () => {
    const app = await startAppOn(kind);
    afterAll(() => app.close());
    const { post, get, send } = errorFormat(app, MASTER_KEY);
    await post("/budget/new", { budget_id: "held", ...LIMITS });
    await post("/budget/new", { budget_id: "models", rpm_limit: 7, model_rpm_limit: { echo: 3 } });

    test("null lifts none of them, whoever has the budget", async () => {
      const { token } = (await post("/key/generate", { budget_id: "held" })).body;
      const { team_id } = (await post("/team/new", { budget_id: "held" })).body;
      const { organization_id } = (await post("/organization/new", { organization_alias: "O", budget_id: "held" }))
        .body;
      await post("/customer/new", { user_id: "c", budget_id: "held" });
      const owners: readonly (readonly [string, string, object, readonly string[]])[] = [
        ["POST", "/key/update", { key: token }, Object.keys(LIMITS)],
        ["POST", "/team/update", { team_id }, Object.keys(LIMITS)],
        ["PATCH", "/organization/update", { organization_id }, Object.keys(LIMITS)],
        ["POST", "/customer/update", { user_id: "c" }, Object.keys(LIMITS)],
      ];
      for (const [method, path, who, fields] of owners) {
        for (const field of fields) {
          const { status, body } = await send(method, path, { ...who, [field]: null });
          expect([path, field, status, body.error?.param]).toEqual([path, field, 400, field]);
        }
      }
      expect((await get(`/key/info?key=${token}`)).body.info).toMatchObject({ budget_id: "held", ...LIMITS });
      expect((await get("/customer/info?end_user_id=c")).body.litellm_budget_table).toMatchObject(LIMITS);
    });

    test("nobody is given one that limits what they cannot be limited in, nor gets it later", async () => {
      const { organization_id } = (await post("/organization/new", { organization_alias: "P" })).body;
      const { team_id } = (await post("/team/new", { organization_id })).body;
      const { user_id } = (await post("/user/new", { user_email: "b@example.com", auto_create_key: false })).body;
      await post("/customer/new", { user_id: "d" });
      const ofModels = { model_rpm_limit: { echo: 3 } };
      const further = { model_max_budget: { echo: { budget_limit: 1, time_period: "1d" } } };
      const owners = [
        ["team", "POST", "/team/update", { team_id }, []],
        ["organization", "PATCH", "/organization/update", { organization_id }, [ofModels, further]],
        ["customer", "POST", "/customer/update", { user_id: "d" }, [ofModels, further]],
        ["user", "POST", "/user/update", { user_id }, [ofModels, { soft_budget: 1 }]],
      ] as const;
      for (const [owner, method, path, who, unfit] of owners) {
        const plain = `plain-${owner}`;
        await post("/budget/new", { budget_id: plain, rpm_limit: 9 });
        expect((await send(method, path, { ...who, budget_id: plain })).status).toBe(200);
        for (const [at, limits] of unfit.entries()) {
          const budget_id = `unfit-${owner}-${at}`;
          await post("/budget/new", { budget_id, rpm_limit: 8, ...limits });
          const { status, body } = await send(method, path, { ...who, budget_id });
          expect([budget_id, status, body.error?.param]).toEqual([budget_id, 400, "budget_id"]);
          expect((await post("/budget/update", { budget_id: plain, ...limits })).status).toBe(409);
        }
        expect((await post("/budget/update", { budget_id: plain, rpm_limit: 10, model_rpm_limit: {} })).status).toBe(
          200,
        );
      }
      const { token } = (await post("/key/generate", { budget_id: "models" })).body;
      expect((await post("/budget/update", { budget_id: "models", model_tpm_limit: { echo: 9 } })).status).toBe(200);
      const { info } = (await get(`/key/info?key=${token}`)).body;
      expect(info).toMatchObject({ model_rpm_limit: { echo: 3 }, model_tpm_limit: { echo: 9 } });
      const fields: { field_name: string; field_value: unknown }[] = (await get("/budget/settings?budget_id=models"))
        .body;
      const told = Object.fromEntries(fields.map(({ field_name, field_value }) => [field_name, field_value]));
      expect(told).toMatchObject({ rpm_limit: 7, model_rpm_limit: { echo: 3 }, model_tpm_limit: { echo: 9 } });
    });

    test("null lifts no limit of a single model either", async () => {
      const { token } = (await post("/key/generate", { budget_id: "models" })).body;
      const { status, body } = await post("/key/update", { key: token, model_rpm_limit: null });
      expect([status, body.error?.param]).toEqual([400, "model_rpm_limit"]);
      const { info } = (await get(`/key/info?key=${token}`)).body;
      expect(info).toMatchObject({ rpm_limit: 7, model_rpm_limit: { echo: 3 } });
    });

    test("people lift none of what the operator has given their organization or their key", async () => {
      const person = await newPerson(app);
      await send("PATCH", "/organization/update", { organization_id: person.ownId, budget_id: "held" });
      const lifted = await person.send("PUT", "/api/gw/organizations", { id: person.ownId, budget: null });
      expect(lifted.status).toBe(400);
      const [team] = ((await person.send("GET", "/api/gw/teams")).body as { data: { id: string }[] }).data;
      const made = await post("/key/generate", { team_id: team?.id, user_id: String(person.id), budget_id: "models" });
      const path = `/api/gw/api-keys/${made.body.token}`;
      for (const change of [{ rpmLimit: null }, { modelLimits: null }, { model_limits: {} }]) {
        expect([change, (await person.send("PATCH", path, change)).status]).toEqual([change, 400]);
      }
      const shown = (await get(`/organization/info?organization_id=${person.ownId}`)).body;
      expect(shown.litellm_budget_table).toMatchObject({ budget_id: "held", ...LIMITS });
    });

    test("only the operator lets go of what the operator has given", async () => {
      const person = await newPerson(app);
      const script = errorFormat(app, person.token);
      const [team] = ((await person.send("GET", "/api/gw/teams")).body as { data: { id: string }[] }).data;
      const owned = { team_id: team?.id, user_id: String(person.id) };
      const { token } = (await post("/key/generate", { ...owned, budget_id: "held" })).body;
      await post("/customer/new", { user_id: "lent", organization_id: person.ownId, budget_id: "held" });
      for (const [path, body] of [
        ["/key/update", { key: token }],
        ["/key/regenerate", { key: token }],
        ["/customer/update", { user_id: "lent" }],
      ] as const) {
        const { status, body: told } = await script.post(path, { ...body, budget_id: null });
        expect([path, status, told.error?.param]).toEqual([path, 403, "budget_id"]);
      }
      expect((await get(`/key/info?key=${token}`)).body.info).toMatchObject({ budget_id: "held", max_budget: 1 });
      const own = (await script.post("/key/generate", { max_budget: 1, budget_id: null })).body;
      expect((await script.post("/key/update", { key: own.token, budget_id: null, max_budget: 2 })).status).toBe(200);
      expect((await post("/key/update", { key: token, budget_id: null })).body.max_budget).toBeNull();
    });

    test("what they are is taken with other changes, as pages and scripts send whole records back", async () => {
      const person = await newPerson(app);
      const [team] = ((await person.send("GET", "/api/gw/teams")).body as { data: { id: string }[] }).data;
      const made = await post("/key/generate", { team_id: team?.id, user_id: String(person.id), budget_id: "held" });
      const { token } = made.body;
      const { info } = (await get(`/key/info?key=${token}`)).body;
      const read = Object.fromEntries(Object.keys(LIMITS).map((name) => [name, info[name]]));
      expect((await post("/key/update", { key: token, ...read, tags: ["a"] })).status).toBe(200);
      const path = `/api/gw/api-keys/${token}`;
      const own = { softBudget: 500_000_000, rpmLimit: 5, tpmLimit: 500, parallelLimit: 2, modelLimits: {} };
      const whole = { budget: 1_000_000_000, budgetWindow: "day", ...own };
      expect((await person.send("PATCH", path, { ...whole, tags: ["b"] })).status).toBe(200);
      for (const change of [
        { budget: 2 },
        { budgetWindow: "week" },
        { rpmLimit: 6 },
        { modelLimits: { echo: { rpm: 1 } } },
      ]) {
        expect([change, (await person.send("PATCH", path, { ...whole, ...change })).status]).toEqual([change, 400]);
      }
      expect((await get(`/key/info?key=${token}`)).body.info).toMatchObject({ ...LIMITS, tags: ["b"] });
    });

    test("null where nothing is set, or beside the budget's going, is taken", async () => {
      const { token } = (await post("/key/generate", { budget_id: "models", max_budget: null })).body;
      const same = { max_budget: null, soft_budget: null, budget_duration: null, tpm_limit: null };
      expect((await post("/key/update", { key: token, key_alias: "same", ...same })).status).toBe(200);
      const freed = await post("/key/update", { key: token, budget_id: null, rpm_limit: null, model_rpm_limit: null });
      expect(freed.body).toMatchObject({ budget_id: null, rpm_limit: null, model_rpm_limit: {} });
    });

    test("a soft budget by itself has a window, and takes it along when it goes", async () => {
      const { token } = (await post("/key/generate", { soft_budget: 1 })).body;
      const window = async () => (await app.storage.accounts.keys.find(token))?.key.budgetWindow;
      expect(await window()).toBe("total");
      await post("/key/update", { key: token, budget_duration: "1d" });
      expect(await window()).toBe("day");
      const { body } = await post("/key/update", { key: token, soft_budget: null });
      expect([body.soft_budget, body.budget_duration, await window()]).toEqual([null, null, null]);
    });
  });
}
