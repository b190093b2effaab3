import { afterAll, expect, test } from "bun:test";
import { MASTER_KEY, startApp } from "../app.ts";
import { newPerson } from "./people.ts";

const app = await startApp();
afterAll(() => app.close());

test("signing up takes the names of its fields in either spelling", async () => {
  const body = { email: "snake@example.com", password: "a good long one", organization_name: "Snakes" };
  const answer = await app.call("/api/auth/signup", { json: body });
  const { token } = (await answer.json()) as { token: string };
  const organizations = await app.call("/api/gw/organizations/list", { key: token });
  expect(await organizations.json()).toMatchObject({ data: [{ name: "Snakes" }] });
  const wrong = { email: "two@example.com", password: "a good long one", invitation_token: `inv-${"x".repeat(43)}` };
  expect((await app.call("/api/auth/signup", { json: wrong })).status).toBe(404);
});

test("so do a new password, the removal of a key and alerts; what is missing is named", async () => {
  const person = await newPerson(app);
  const change = { current_password: "a good long one", new_password: "another long one" };
  expect((await person.send("POST", "/api/auth/password/change", change)).status).toBe(200);
  const { body: missing } = await person.send("POST", "/api/auth/password/change", { current_password: "x" });
  expect(missing).toMatchObject({ error: "newPassword: Field required", code: "VALIDATION_ERROR" });

  const { data }: { data: { id: string }[] } = (await person.send("GET", "/api/gw/teams")).body;
  const made = await person.send("POST", "/api/gw/api-keys", { name: "Mine", team_id: data[0]?.id });
  const { token }: { token: string } = made.body;
  expect((await person.send("POST", "/api/api-keys/remove", {})).status).toBe(400);
  expect((await person.send("POST", "/api/api-keys/remove", { api_key: token })).body).toMatchObject({ success: true });

  const told = await person.send("PUT", "/api/billing/alerts", { budget_percents: [70] });
  expect(told.body).toMatchObject({ budgetPercents: [70] });
});

test("so does a model of an administrator", async () => {
  const json = { provider: "openai", inference_model_id: "gpt-4o", name: "snake", ...SETTINGS };
  const made = await app.call("/api/admin/models", { key: MASTER_KEY, json });
  expect(made.status).toBe(201);
  expect(await made.json()).toMatchObject({
    inputPrice: 1,
    outputPrice: 2,
    cachedInputPrice: 3,
    contextLength: 4,
    maxOutputTokens: 5,
  });
});

const SETTINGS = {
  input_price: 1,
  output_price: 2,
  cached_input_price: 3,
  context_length: 4,
  max_output_tokens: 5,
  access_groups: ["few"],
};

test("a body whose spellings of one field differ is refused with both names, and changes nothing", async () => {
  const person = await newPerson(app);
  const { data: teams }: { data: { id: string }[] } = (await person.send("GET", "/api/gw/teams")).body;
  const teamId = teams[0]?.id;
  const made = await person.send("POST", "/api/gw/api-keys", { name: "Mine", teamId, rpmLimit: 5 });
  const path = `/api/gw/api-keys/${(made.body as { id: string }).id}`;
  const changed = await person.send("PATCH", path, {
    name: "Other",
    rpmLimit: 10,
    rpm_limit: 20,
    tpmLimit: null,
    tpm_limit: 1,
  });
  expect(changed).toEqual({
    status: 400,
    body: {
      error:
        "rpmLimit: Differs from `rpm_limit`, which is the same field; send one of them; " +
        "tpmLimit: Differs from `tpm_limit`, which is the same field; send one of them",
      code: "VALIDATION_ERROR",
    } as never,
  });
  expect((await person.send("GET", path)).body).toMatchObject({ name: "Mine", rpmLimit: 5 });
  for (const [where, json] of [
    ["/api/gw/api-keys", { name: "Two", teamId, team_id: "00000000-0000-4000-8000-000000000000" }],
    ["/api/billing/vouchers/redeem", { code: "x", organizationId: person.ownId, organization_id: "another" }],
  ] as const) {
    const answer = await person.send("POST", where, json);
    expect(answer).toMatchObject({
      status: 400,
      body: { error: expect.stringMatching(/^\w+Id: Differs from `\w+_id`/) },
    });
  }
});

test("spellings that agree are one value, lists and objects included", async () => {
  const person = await newPerson(app);
  const { data: teams }: { data: { id: string }[] } = (await person.send("GET", "/api/gw/teams")).body;
  const teamId = teams[0]?.id;
  const json = {
    name: "Twice",
    teamId,
    team_id: teamId,
    rpmLimit: 5,
    rpm_limit: 5,
    allowedIps: ["10.0.0.1"],
    allowed_ips: ["10.0.0.1"],
    modelLimits: { a: { rpm: 1, tpm: 2 } },
    model_limits: { a: { tpm: 2, rpm: 1 } },
    softBudget: null,
    soft_budget: null,
  };
  const made = await person.send("POST", "/api/gw/api-keys", json);
  expect(made).toMatchObject({
    status: 201,
    body: { teamId, rpmLimit: 5, allowedIps: ["10.0.0.1"], softBudget: null },
  });
});

test("a query whose spellings of one parameter differ is refused with both names", async () => {
  const person = await newPerson(app);
  const listed = await person.send("GET", "/api/gw/teams?pageSize=2&page_size=3");
  expect(listed).toMatchObject({
    status: 400,
    body: { error: expect.stringMatching(/^pageSize: Differs from `page_size`/) },
  });
  expect((await person.send("GET", "/api/gw/teams?pageSize=2&page_size=2")).body).toMatchObject({
    meta: { pageSize: 2 },
  });
});
