import { afterAll, describe, expect, test } from "bun:test";
import { DATABASES } from "../storage/databases.ts";
import { keyHolders } from "./key-holders.ts";

for (const { kind, missing } of DATABASES) {
  describe.skipIf(missing)(`limits of keys on ${kind}`, async () => {
    if (missing) return;
    const { app, accounts, owner, newPerson, teamId, newTeam, create, chat, audit, expectNothingTold } =
      await keyHolders(kind);
    afterAll(() => app.close());

    test("are set, kept and cleared, in either spelling", async () => {
      const limits = { budget: 2 ** 53 - 1, budgetWindow: "day", rpmLimit: 10, tpm_limit: 20, parallelLimit: 3 };
      const key = await create(owner, { ...limits, tags: ["a", "a"], metadata: { deep: { list: [1] } } });
      const path = `/api/gw/api-keys/${key.id}`;
      expect(key).toMatchObject({
        budget: { limit: 2 ** 53 - 1, window: "day" },
        rpmLimit: 10,
        tpmLimit: 20,
        parallelLimit: 3,
        tags: ["a"],
        metadata: { deep: { list: [1] } },
      });
      expect((await owner.send("PATCH", path, { budget: 5 })).body.budget).toEqual({
        limit: 5,
        window: "day",
        spent: 0,
        resetAt: expect.any(String),
      });
      expect((await owner.send("PATCH", path, { budget_window: "month" })).body.budget).toMatchObject({
        limit: 5,
        window: "month",
      });
      const kept = (await owner.send("PATCH", path, {})).body;
      expect(kept).toMatchObject({ rpmLimit: 10, budget: { limit: 5 } });
      const cleared = {
        budget: null,
        rpmLimit: null,
        tpmLimit: null,
        parallelLimit: null,
        tags: null,
        metadata: null,
      };
      expect((await owner.send("PATCH", path, cleared)).body).toMatchObject({
        budget: null,
        rpmLimit: null,
        tpmLimit: null,
        parallelLimit: null,
        tags: [],
        metadata: {},
      });
      expect((await accounts.keys.find(key.id))?.key).toMatchObject({ budget: null, budgetWindow: null });
      expect((await audit(key.id)).map(({ action }) => action)).toEqual([
        "api_key.create",
        ...Array(3).fill("api_key.update"),
      ]);
    });

    test.each([
      ["no name", { name: "  " }],
      ["a name that is too long", { name: "x".repeat(101) }],
      ["no team", { team_id: undefined }],
      ["a past end", { expiresAt: "2020-01-01T00:00:00Z" }],
      ["an end without a zone", { expiresAt: "2099-01-01T00:00:00" }],
      ["an end on no day", { expiresAt: "2099-02-30T00:00:00Z" }],
      ["an end that is no time", { expiresAt: "tomorrow" }],
      ["an end that is a number", { expiresAt: 4_070_908_800 }],
      ["a host name as an address", { allowedIps: ["localhost"] }],
      ["a range that is too wide", { allowedIps: ["10.0.0.0/33"] }],
      ["too many addresses", { allowedIps: Array.from({ length: 51 }, (_, index) => `10.0.0.${index}`) }],
      ["too much metadata", { metadata: { text: "x".repeat(16 * 1024) } }],
      ["metadata that is a list", { metadata: [1] }],
      ["half a nano-dollar", { budget: 0.5 }],
      ["a debt", { budget: -1 }],
      ["more than a number holds", { budget: 2 ** 53 }],
      ["a window without a budget", { budgetWindow: "day" }],
      ["an unknown window", { budget: 1, budgetWindow: "year" }],
      ["a limit below 0", { rpmLimit: -1 }],
    ])("%s: 400", async (_, more) => {
      const body = { name: "x", team_id: teamId, ...more };
      expect(await owner.send("POST", "/api/gw/api-keys", body)).toMatchObject({
        status: 400,
        body: { code: "VALIDATION_ERROR" },
      });
    });

    test("a key with a limit of 0 calls nothing", async () => {
      const { id, key } = await create();
      expect(await chat(key)).toBe(200);
      expect((await owner.send("PATCH", `/api/gw/api-keys/${id}`, { parallelLimit: 0 })).status).toBe(200);
      expect(await chat(key)).toBe(429);
    });

    test.each([-1, 7 * 24 * 3600 + 1, 1.5, "60"])("%p seconds of grace: 400", async (graceSeconds) => {
      const key = await create();
      expect((await owner.send("POST", `/api/gw/api-keys/${key.id}/rotate`, { graceSeconds })).status).toBe(400);
      expect(await chat(key.key)).toBe(200);
    });

    test("a key gets no model that its team does not have, and loses those that the team loses", async () => {
      const narrow = await newTeam(["echo", "openai/*"]);
      const ask = (models: string[]) =>
        owner.send("POST", "/api/gw/api-keys", { name: models.join(" "), team_id: narrow, models });
      expect((await ask(["other"])).status).toBe(400);
      expect((await ask(["*"])).status).toBe(400);
      expect((await ask(["echo", "openai/gpt-4o"])).status).toBe(201);
      const { body } = await ask(["echo"]);
      expect((await owner.send("PATCH", `/api/gw/api-keys/${body.id}`, { models: ["other"] })).status).toBe(400);
      expect(await chat(body.key)).toBe(200);
      expect((await owner.send("PATCH", `/api/gw/teams/${narrow}`, { models: ["other"] })).status).toBe(200);
      expect(await chat(body.key)).toBe(403);
    });

    test("two keys of a team have two names, also when they are made at once; other teams have names of their own", async () => {
      const [one, two] = [await newTeam([]), await newTeam([])];
      const make = (team_id: string, name: string) => owner.send("POST", "/api/gw/api-keys", { name, team_id });
      const made = await Promise.all([make(one, "Same"), make(one, " Same "), make(one, "Same")]);
      expect(made.map(({ status }) => status).sort()).toEqual([201, 409, 409]);
      const refusal = { error: "name: another key of the team has this name.", code: "VALIDATION_ERROR" };
      expect(made.find(({ status }) => status === 409)?.body).toMatchObject(refusal);
      expect((await make(two, "Same")).status).toBe(201);
      const { body: other } = await make(one, "Other");
      const rename = (name: string) => owner.send("PATCH", `/api/gw/api-keys/${other.id}`, { name });
      expect([(await rename("Other")).status, (await rename("Same")).status]).toEqual([200, 409]);
      const update = { token: other.key, name: "Same" };
      expect((await owner.send("POST", "/api/api-keys/update", update)).status).toBe(409);
      expect((await rename("Third")).status).toBe(200);
    });

    test("an organization has two hundred keys, also when they are asked for at once", async () => {
      const rich = await newPerson();
      const [first] = await accounts.teams.list(rich.ownId);
      const demo = (await accounts.keys.list({ teamIds: [teamId] }, { page: 1, pageSize: 1 })).rows[0];
      if (!first || !demo) throw new Error("nothing to copy");
      for (let index = 0; index < 198; index++) {
        const unique = { id: crypto.randomUUID(), hash: `h${index}`, handle: `n${index}`, previousHash: null };
        await accounts.keys.insert({ ...demo, ...unique, teamId: first.team.id });
      }
      const ask = (name: string) => rich.send("POST", "/api/gw/api-keys", { name, team_id: first.team.id });
      const all = await Promise.all(Array.from({ length: 8 }, (_, index) => ask(`${index}`)));
      expect(all.map(({ status }) => status).sort()).toEqual([201, 201, 400, 400, 400, 400, 400, 400]);
      expect(all.find(({ status }) => status === 400)?.body.error).toContain("200");
      const { body } = await rich.send("GET", "/api/api-keys?status=active&pageSize=100&page=2");
      expect(body.meta).toEqual({ page: 2, pageSize: 100, total: 200, totalPages: 2 });
      expect(body.data).toHaveLength(100);
    });
    test("no whole key and no hash is in any later answer, in the log or in the audit log", () => expectNothingTold(3));
  });
}
