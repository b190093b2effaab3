import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { MASTER_KEY, type TestApp } from "../app.ts";
import { DATABASES } from "../storage/databases.ts";
import { newPerson, type Person, startAppOn } from "./people.ts";

const OFFICE = "203.0.113.7";
const ELSEWHERE = "198.51.100.9";
const HELLO = { model: "echo", messages: [{ role: "user", content: "Hi" }] };

for (const { kind, missing } of DATABASES) {
  describe.skipIf(missing)(`the addresses of an organization on ${kind}`, () => {
    let app: TestApp;
    let owner: Person;
    let key: { id: string; key: string };
    let token: string;
    beforeAll(async () => {
      app = await startAppOn(kind);
      owner = await newPerson(app);
      const [team] = (await app.storage.accounts.teams.list(owner.ownId)).map((one) => one.team.id);
      key = (await owner.send("POST", "/api/gw/api-keys", { name: "ci", team_id: team })).body;
      const made = await owner.send("POST", "/api/management-tokens", { name: "x", scopes: ["teams:read"] });
      token = (made.body as { token: string }).token;
    });
    afterAll(() => app.close());

    const allow = (allowedIps: unknown, person = owner) =>
      person.send("PUT", "/api/gw/organizations", { id: owner.ownId, allowedIps });
    const chat = (remoteAddress: string) =>
      app.call("/v1/chat/completions", { key: key.key, json: HELLO, remoteAddress });
    const statusOf = async (path: string, bearer: string, remoteAddress: string) =>
      (await app.call(path, { key: bearer, remoteAddress })).status;

    test("keys and tokens are taken from there alone, from the next call on", async () => {
      expect((await chat(ELSEWHERE)).status).toBe(200);
      const { status, body } = await allow(["203.0.113.1/24", "2001:db8::/32"]);
      expect(status).toBe(200);
      expect(body as object).toMatchObject({ allowedIps: ["203.0.113.0/24", "2001:db8::/32"] });
      const refused = await chat(ELSEWHERE);
      expect([refused.status, await refused.text()]).toEqual([403, expect.stringContaining("organization")]);
      expect((await chat(OFFICE)).status).toBe(200);
      expect(await statusOf("/v1/models", key.key, "2001:db8::5")).toBe(200);
      expect(await statusOf("/api/gw/teams", token, ELSEWHERE)).toBe(403);
      expect(await statusOf("/api/gw/teams", token, OFFICE)).toBe(200);
    });

    test("people who have logged in, and the operator, are not shut out", async () => {
      expect((await allow(["203.0.113.0/24"])).status).toBe(200);
      expect(await statusOf("/api/gw/teams", owner.token, ELSEWHERE)).toBe(200);
      expect(await statusOf("/v1/models", MASTER_KEY, ELSEWHERE)).toBe(200);
      // A model that is called from the page is called with the key, as from a program.
      const call = { apiKey: key.id, ...HELLO };
      const messages = await app.call("/api/gw/messages", { key: owner.token, json: call, remoteAddress: ELSEWHERE });
      expect(messages.status).toBe(403);
    });

    test("a key's own list holds beside it", async () => {
      expect((await allow(["203.0.113.0/24"])).status).toBe(200);
      await owner.send("PATCH", `/api/gw/api-keys/${key.id}`, { allowedIps: [ELSEWHERE, OFFICE] });
      expect((await chat(ELSEWHERE)).status).toBe(403);
      expect((await chat("203.0.113.8")).status).toBe(403);
      expect((await chat(OFFICE)).status).toBe(200);
      await owner.send("PATCH", `/api/gw/api-keys/${key.id}`, { allowedIps: [] });
    });

    test("an empty list, or null, lets everybody in again", async () => {
      for (const none of [[], null]) {
        expect((await allow(["203.0.113.0/24"])).status).toBe(200);
        expect((await chat(ELSEWHERE)).status).toBe(403);
        expect((await allow(none)).body as object).toMatchObject({ allowedIps: [] });
        expect((await chat(ELSEWHERE)).status).toBe(200);
        expect(await statusOf("/api/gw/teams", token, ELSEWHERE)).toBe(200);
      }
    });

    test("what is no address is refused, and only administrators set the list", async () => {
      for (const wrong of [["nowhere"], ["10.0.0.0/33"], [7], "10.0.0.1", Array(51).fill("10.0.0.1")]) {
        expect((await allow(wrong)).status).toBe(400);
      }
      const member = await newPerson(app);
      const joined = { organizationId: owner.ownId, userId: member.id, role: "member", joinedAt: Date.now() } as const;
      await app.storage.accounts.organizationMembers.insert(joined);
      expect((await allow(["10.0.0.1"], member)).status).toBe(403);
      expect((await chat(ELSEWHERE)).status).toBe(200);
    });

    test("the audit log has the list, and the one before", async () => {
      await allow(["192.0.2.1"]);
      await allow([]);
      const { body } = await owner.send("GET", `/api/gw/organizations/${owner.ownId}/audit-logs`);
      const [last, before] = (body as { data: { action: string; details: object }[] }).data;
      expect(before).toMatchObject({ action: "organization.update", details: { allowedIps: ["192.0.2.1"] } });
      expect(last?.details).toEqual({ allowedIps: [], before: { allowedIps: ["192.0.2.1"] } });
    });
  });
}
