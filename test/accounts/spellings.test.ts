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
