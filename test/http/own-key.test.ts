import { afterAll, describe, expect, test } from "bun:test";
import { newPerson, type Person } from "../accounts/people.ts";
import { startApp } from "../app.ts";

const ORIGIN = "http://turnpike.test";
const app = await startApp();
afterAll(() => app.close());

/** What a page of ours sends after a log-in. */
async function browserOf(person: Person): Promise<Record<string, string>> {
  const json = { email: person.email, password: "a good long one", cookie: true };
  const answer = await app.call("/api/auth/token", { json });
  const { csrfToken } = (await answer.json()) as { csrfToken: string };
  const [cookie = ""] = (answer.headers.get("set-cookie") ?? "").split(";");
  return { cookie, origin: ORIGIN, "x-csrf-token": csrfToken };
}

let made = 0;
async function newKeyOf(person: Person): Promise<{ id: string; token: string }> {
  const { body: teams } = await person.send("GET", "/api/gw/teams");
  const [team] = (teams as { data: { id: string }[] }).data;
  const { body } = await person.send("POST", "/api/gw/api-keys", { name: `Playground ${++made}`, team_id: team?.id });
  return body as { id: string; token: string };
}

const CHAT = { model: "echo", messages: [{ role: "user", content: "hello" }] };
const chat = (headers: Record<string, string>) => app.call("/v1/chat/completions", { headers, json: CHAT });
const [owner, stranger] = [await newPerson(app), await newPerson(app)];
const key = await newKeyOf(owner);
const browser = await browserOf(owner);

describe("a person in a browser who names one of their own keys", () => {
  test("calls models under it, and it is charged and limited as any call of it", async () => {
    const answer = await chat({ ...browser, "x-gw-key-id": key.id });
    expect(answer.status).toBe(200);
    await answer.text();
    await owner.send("PATCH", `/api/gw/api-keys/${key.id}`, { models: ["another"] });
    const refused = await chat({ ...browser, "x-gw-key-id": key.id });
    expect(refused.status).toBe(403);
    await owner.send("PATCH", `/api/gw/api-keys/${key.id}`, { models: [] });
  });

  test("reads the models that the key may call", async () => {
    const { cookie = "" } = browser;
    expect((await app.call("/v1/models", { headers: { cookie, "x-gw-key-id": key.id } })).status).toBe(200);
  });

  test("reads what no cache may keep", async () => {
    const { cookie = "" } = browser;
    const answer = await app.call("/api/gw/teams", { headers: { cookie } });
    expect([answer.status, answer.headers.get("cache-control")]).toEqual([200, "no-store"]);
  });

  test.each([
    ["another origin", { origin: "https://evil.example.com" }, 403],
    ["no token for changes", { "x-csrf-token": "" }, 403],
    ["a key beside it", { authorization: "Bearer sk-none" }, 401],
    ["another carrier beside it", { "x-api-key": "sk-none" }, 401],
    ["a bearer token beside it", { authorization: `Bearer ${owner.token}` }, 401],
    ["no cookie", { cookie: "" }, 401],
    ["an id that nobody has", { "x-gw-key-id": "0199-none" }, 404],
  ])("gets nowhere with %s", async (_, wrong, status) => {
    const answer = await chat({ ...browser, "x-gw-key-id": key.id, ...wrong });
    expect(answer.status).toBe(status);
  });

  test("gets nowhere with the key of somebody else, in the words for one that is not there", async () => {
    const theirs = await newKeyOf(stranger);
    const [other, none] = await Promise.all(
      [theirs.id, "0199-none"].map(async (id) => (await chat({ ...browser, "x-gw-key-id": id })).json()),
    );
    expect(other).toEqual(none);
  });

  test.each(["member", "admin"] as const)(
    "gets nowhere with a colleague's, as %s of the team, by its id",
    async (role) => {
      const { accounts } = app.storage;
      const colleague = await newPerson(app);
      const [team] = await accounts.teams.list(owner.ownId);
      const joined = { userId: colleague.id, joinedAt: 0 };
      await accounts.organizationMembers.insert({ organizationId: owner.ownId, role: "member", ...joined });
      await accounts.teamMembers.insert({ teamId: team?.team.id ?? "", role, ...joined });
      const theirs = await chat({ ...(await browserOf(colleague)), "x-gw-key-id": key.id });
      expect([theirs.status, await theirs.json()]).toEqual([
        404,
        { error: expect.objectContaining({ message: "There is no such key." }) },
      ]);
      const ask = (apiKey: string) => colleague.send("POST", "/api/gw/messages", { ...CHAT, apiKey });
      expect((await ask(key.id)).status).toBe(404);
      // Who has the value may call with it in any case.
      expect((await ask(key.token)).status).toBe(200);
    },
  );

  test("gets nowhere with one that has expired", async () => {
    const { id } = await newKeyOf(stranger);
    await app.storage.accounts.keys.update(id, { expiresAt: Date.now() - 1_000 });
    expect((await chat({ ...(await browserOf(stranger)), "x-gw-key-id": id })).status).toBe(401);
  });

  test("gets nowhere with a disabled one", async () => {
    const disabled = await newKeyOf(stranger);
    await stranger.send("POST", `/api/gw/api-keys/${disabled.id}/disable`);
    expect((await chat({ ...(await browserOf(stranger)), "x-gw-key-id": disabled.id })).status).toBe(401);
  });
});

describe("a viewer", () => {
  test("spends nothing with a key of the team that they look at", async () => {
    const { storage } = app;
    await storage.accounts.organizationMembers.insert({
      organizationId: owner.ownId,
      userId: stranger.id,
      role: "viewer",
      joinedAt: Date.now(),
    });
    expect((await chat({ ...(await browserOf(stranger)), "x-gw-key-id": key.id })).status).toBe(403);
  });
});
