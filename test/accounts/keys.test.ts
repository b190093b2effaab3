import { afterAll, describe, expect, test } from "bun:test";
import { DATABASES } from "../storage/databases.ts";
import { type Key, keyHolders } from "./key-holders.ts";

const NOWHERE = "00000000-0000-0000-0000-000000000000";
const FIELDS = [
  "id",
  "name",
  "token",
  "maskedToken",
  "team_id",
  "teamId",
  "organizationId",
  "createdBy",
  "status",
  "models",
  "budget",
  "budgetWindow",
  "furtherBudgets",
  "rpmLimit",
  "tpmLimit",
  "parallelLimit",
  "softBudget",
  "spend",
  "spendUsd",
  "modelLimits",
  "aliases",
  "allowedIps",
  "guardrails",
  "tags",
  "metadata",
  "expiresAt",
  "lastUsedAt",
  "autoRotate",
  "rotationInterval",
  "rotationGraceSeconds",
  "nextRotationAt",
  "lastRotationAt",
  "rotationCount",
  "newValueSince",
  "previousValidUntil",
  "createdAt",
];

for (const { kind, missing } of DATABASES) {
  describe.skipIf(missing)(`keys on ${kind}`, async () => {
    if (missing) return;
    const {
      app,
      accounts,
      pass,
      owner,
      stranger,
      cast,
      join,
      home,
      teamId,
      strangerTeam,
      newTeam,
      create,
      chat,
      audit,
      expectNothingTold,
    } = await keyHolders(kind);
    afterAll(() => app.close());
    type Role = keyof typeof cast;
    const WHO = Object.keys(cast) as Role[];

    describe("a key, from its first day to its last", () => {
      test("is made, used, listed, renamed, rotated, switched off and on, and removed", async () => {
        const made = await owner.send("POST", "/api/gw/api-keys", { name: " First ", team_id: teamId });
        expect(made.status).toBe(201);
        expect(made.headers.get("cache-control")).toBe("no-store");
        const key = made.body as Key;
        expect(Object.keys(key).sort()).toEqual([...FIELDS, "key"].sort());
        expect(key.key).toMatch(/^sk-[0-9A-Za-z]{49}$/);
        expect(key).toMatchObject({ name: "First", token: key.key, status: "active", createdBy: owner.id, teamId });
        expect(await chat(key.key)).toBe(200);

        const listed = (await owner.send("GET", "/api/api-keys?search=fIRs")).body;
        expect(listed.meta).toEqual({ page: 1, pageSize: 20, total: 1, totalPages: 1 });
        const handle = new Bun.CryptoHasher("sha256").update(key.key).digest("hex");
        const maskedToken = `sk-...${key.key.slice(-4)}`;
        expect(listed.data[0]).toMatchObject({ id: key.id, token: handle, maskedToken, team_id: teamId });
        expect(Object.keys(listed.data[0]).sort()).toEqual([...FIELDS].sort());

        for (const token of [key.key, handle, key.id]) {
          const renamed = await owner.send("POST", "/api/api-keys/update", { token, name: `By ${token.length}` });
          expect(renamed).toMatchObject({ status: 200, body: { id: key.id, name: `By ${token.length}` } });
        }

        const path = `/api/gw/api-keys/${key.id}`;
        const rotated = await owner.send("POST", `${path}/rotate`, { graceSeconds: 60 });
        expect(rotated).toMatchObject({ status: 200, body: { id: key.id, token: rotated.body.key } });
        expect(Date.parse(rotated.body.previousValidUntil)).toBeGreaterThan(Date.now() + 50_000);
        expect([await chat(key.key), await chat(rotated.body.key)]).toEqual([200, 200]);
        const again = await owner.send("POST", `${path}/rotate`);
        expect(again.body.previousValidUntil).toBeNull();
        expect([await chat(key.key), await chat(rotated.body.key), await chat(again.body.key)]).toEqual([
          401, 401, 200,
        ]);

        expect((await owner.send("POST", `${path}/disable`)).body.status).toBe("disabled");
        expect(await chat(again.body.key)).toBe(401);
        expect((await owner.send("POST", `${path}/enable`)).body.status).toBe("active");
        expect(await chat(again.body.key)).toBe(200);

        expect((await owner.send("DELETE", path)).body).toEqual({ success: true });
        expect(await chat(again.body.key)).toBe(401);
        expect((await owner.send("GET", path)).status).toBe(404);
        expect((await owner.send("DELETE", path)).status).toBe(404);

        const rows = await audit(key.id);
        expect(rows.map(({ action }) => action)).toEqual([
          "api_key.create",
          "api_key.update",
          "api_key.update",
          "api_key.update",
          "api_key.rotate",
          "api_key.rotate",
          "api_key.disable",
          "api_key.enable",
          "api_key.remove",
        ]);
        for (const row of rows) {
          expect(row).toMatchObject({ actor: "user", userId: owner.id, targetType: "api_key", address: "127.0.0.1" });
        }
        expect(rows[1]?.details).toEqual({ name: "First", changes: { name: { from: "First", to: "By 52" } } });
      });

      test("is switched off and on by its status as well, which is noted once each", async () => {
        const key = await create();
        const set = (json: object) => owner.send("PATCH", `/api/gw/api-keys/${key.id}`, json);
        for (const name of ["One", "Two"]) {
          expect(await set({ status: "disabled", name })).toMatchObject({
            status: 200,
            body: { status: "disabled", name },
          });
        }
        expect(await chat(key.key)).toBe(401);
        expect((await set({ status: "active" })).body.status).toBe("active");
        expect(await chat(key.key)).toBe(200);
        expect((await set({ status: "expired" })).status).toBe(400);
        const actions = (await audit(key.id)).map(({ action }) => action);
        expect(actions.filter((action) => /able$/.test(action))).toEqual(["api_key.disable", "api_key.enable"]);
      });

      test("ends with its grace", async () => {
        const key = await create();
        const { body } = await owner.send("POST", `/api/gw/api-keys/${key.id}/rotate`, { graceSeconds: 60 });
        expect(await chat(key.key)).toBe(200);
        expect((await owner.send("POST", "/api/api-keys/update", { token: key.key, name: "Named" })).status).toBe(200);
        pass(60_000);
        expect(await chat(key.key)).toBe(401);
        expect((await owner.send("POST", "/api/api-keys/update", { token: key.key, name: "x" })).status).toBe(404);
        expect(await chat(body.key)).toBe(200);
      });

      test("is rotated once by its handle, also when two ask at once: no value is given out that does not work", async () => {
        const { id } = await create();
        const { body } = await owner.send("GET", `/api/gw/api-keys/${id}`);
        const rotate = () => owner.send("POST", `/api/gw/api-keys/${body.token}/rotate`, {});
        const answers = await Promise.all([rotate(), rotate(), rotate()]);
        expect(answers.map(({ status }) => status).sort()).toEqual([200, 404, 404]);
        expect(await chat(answers.find(({ status }) => status === 200)?.body.key)).toBe(200);
      });

      test("is removed by its value, its handle or its id", async () => {
        const [first, second, third] = [await create(), await create(), await create()];
        const { body } = await owner.send("GET", `/api/gw/api-keys/${second.id}`);
        for (const apiKey of [first.key, body.token, third.id]) {
          expect(await owner.send("POST", "/api/api-keys/remove", { apiKey })).toMatchObject({
            status: 200,
            body: { success: true },
          });
        }
        for (const { key } of [first, second, third]) expect(await chat(key)).toBe(401);
      });

      test("expires", async () => {
        const key = await create(owner, { expiresAt: new Date(Date.now() + 3_600_000).toISOString() });
        expect(await chat(key.key)).toBe(200);
        pass(3_600_000);
        expect(await chat(key.key)).toBe(401);
        const path = `/api/gw/api-keys/${key.id}`;
        expect((await owner.send("GET", path)).body.status).toBe("expired");
        const ids = async (status: string) =>
          (await owner.send("GET", `/api/api-keys?status=${status}&pageSize=100`)).body.data.map(({ id }: Key) => id);
        expect(await ids("expired")).toContain(key.id);
        expect(await ids("active")).not.toContain(key.id);
        expect((await owner.send("PATCH", path, { expiresAt: null })).body.status).toBe("active");
        expect(await chat(key.key)).toBe(200);
        await owner.send("POST", `${path}/disable`);
        expect(await ids("disabled")).toContain(key.id);
      });

      test("is only used from its addresses", async () => {
        const key = await create(owner, { allowedIps: ["192.0.2.9/24", "2001:DB8::1", "192.0.2.0/24"] });
        expect(key.allowedIps).toEqual(["192.0.2.0/24", "2001:db8::1"]);
        expect(await chat(key.key, "192.0.2.200")).toBe(200);
        expect(await chat(key.key, "::ffff:192.0.2.200")).toBe(200);
        expect(await chat(key.key, "2001:db8::1")).toBe(200);
        expect(await chat(key.key, "198.51.100.1")).toBe(403);
        await owner.send("PATCH", `/api/gw/api-keys/${key.id}`, { allowedIps: null });
        expect(await chat(key.key, "198.51.100.1")).toBe(200);
      });
    });

    describe("who may", () => {
      const CREATE: Record<Role, number> = {
        owner: 201,
        admin: 201,
        lead: 201,
        maker: 201,
        insider: 201,
        viewer: 403,
        demoted: 403,
        outsider: 404,
        stranger: 404,
      };
      test.each(WHO)("create a key: %s", async (who) => {
        for (const field of ["team_id", "teamId"]) {
          const { status } = await cast[who].send("POST", "/api/gw/api-keys", {
            name: `${who} ${field}`,
            [field]: teamId,
          });
          expect(status).toBe(CREATE[who]);
        }
      });

      const SEE: Record<Role, number> = { ...CREATE, viewer: 200, demoted: 200 };
      test.each(WHO)("see a key: %s", async (who) => {
        const key = await create(cast.maker);
        const sees = SEE[who] !== 404;
        expect((await cast[who].send("GET", `/api/gw/api-keys/${key.id}`)).status).toBe(sees ? 200 : 404);
        const ofTeam = await cast[who].send("GET", `/api/api-keys?teamId=${teamId}&pageSize=100`);
        expect(ofTeam.status).toBe(sees ? 200 : 404);
        const all = await cast[who].send("GET", "/api/api-keys?pageSize=100");
        expect(all.status).toBe(200);
        expect(all.body.data.some(({ id }: Key) => id === key.id)).toBe(sees);
        expect(all.body.data.every((one: Key) => one.teamId === teamId || sees)).toBe(true);
        const mine = await cast[who].send("GET", "/api/api-keys?mine=true&status=active&pageSize=100");
        expect(mine.body.data.some(({ id }: Key) => id === key.id)).toBe(who === "maker");
      });

      const CHANGE: Record<Role, number> = { ...CREATE, owner: 200, admin: 200, lead: 200, maker: 200, insider: 403 };
      test.each(WHO)("change a member's key: %s", async (who) => {
        const key = await create(cast.maker);
        const path = `/api/gw/api-keys/${key.id}`;
        const person = cast[who];
        const statuses = [
          await person.send("PATCH", path, { rpmLimit: 1 }),
          await person.send("POST", "/api/api-keys/update", { token: key.key, name: `by ${who}` }),
          await person.send("POST", `${path}/disable`),
          await person.send("POST", `${path}/enable`),
          await person.send("POST", `${path}/rotate`, {}),
          await person.send("POST", "/api/api-keys/remove", { apiKey: key.id }),
        ].map(({ status }) => status);
        expect(statuses).toEqual(Array(6).fill(CHANGE[who]));
        expect(await chat(key.key)).toBe(CHANGE[who] === 200 ? 401 : 200);
      });

      test("somebody who left the team does not see the key that they made", async () => {
        const gone = await join("member", "member");
        const key = await create(gone);
        await accounts.teamMembers.remove(teamId, gone.id);
        expect((await gone.send("DELETE", `/api/gw/api-keys/${key.id}`)).status).toBe(404);
        expect(await chat(key.key)).toBe(200);
      });

      test("nobody without a session", async () => {
        const key = await create();
        for (const headers of [{}, { authorization: `Bearer ${key.key}` }, { authorization: "Bearer x" }]) {
          expect((await app.call("/api/api-keys", { headers })).status).toBe(401);
        }
      });
    });

    describe("what belongs to another tenant", () => {
      test("is 404 in the path, the query and the body, in the same words as what does not exist", async () => {
        const key = await create();
        const { body } = await owner.send("GET", `/api/gw/api-keys/${key.id}`);
        const told = async (path: string, method: string, json?: unknown) => {
          const answer = await stranger.send(method, path, json);
          return [answer.status, JSON.stringify(answer.body)];
        };
        for (const reference of [key.id, body.token]) {
          for (const [suffix, method, json] of [
            ["", "GET", undefined],
            ["", "DELETE", undefined],
            ["", "PATCH", { name: "mine" }],
            ["/rotate", "POST", {}],
            ["/disable", "POST", undefined],
            ["/enable", "POST", undefined],
          ] as const) {
            const missing = await told(`/api/gw/api-keys/${NOWHERE}${suffix}`, method, json);
            expect(missing[0]).toBe(404);
            expect(await told(`/api/gw/api-keys/${reference}${suffix}`, method, json)).toEqual(missing);
          }
        }
        for (const reference of [key.key, body.token, key.id]) {
          const missing = await told("/api/api-keys/remove", "POST", { apiKey: NOWHERE });
          expect(missing[0]).toBe(404);
          expect(await told("/api/api-keys/remove", "POST", { apiKey: reference })).toEqual(missing);
          expect(await told("/api/api-keys/update", "POST", { token: reference, name: "mine" })).toEqual(missing);
        }
        expect((await stranger.send("GET", `/api/api-keys?teamId=${teamId}`)).status).toBe(404);
        expect((await stranger.send("GET", `/api/api-keys?teamId=${NOWHERE}`)).status).toBe(404);
        expect((await stranger.send("POST", "/api/gw/api-keys", { name: "x", teamId })).status).toBe(404);
        expect(await chat(key.key)).toBe(200);
        expect((await accounts.keys.find(key.id))?.key.name).toBe(key.name);
      });

      test("is not reached by the organization's header either", async () => {
        const key = await create();
        const mine = await create(stranger, { team_id: strangerTeam?.team.id });
        expect(mine.id).not.toBe(key.id);
        const { body } = await stranger.send("GET", "/api/api-keys");
        expect(body.data.map(({ id }: Key) => id)).toEqual([mine.id]);
        const named = await stranger.send("GET", "/api/api-keys", undefined, { "x-organization-id": home });
        expect(named.status).toBe(404);
      });

      test("a key itself names nothing in a path", async () => {
        const key = await create();
        expect((await owner.send("GET", `/api/gw/api-keys/${key.key}`)).status).toBe(404);
      });
    });

    test("fields that are nobody's to set are ignored", async () => {
      const forged = {
        id: NOWHERE,
        hash: "h",
        handle: "n",
        previousHash: "p",
        previousUntil: 9e15,
        last4: "0000",
        createdBy: stranger.id,
        createdAt: 1,
        updatedAt: 1,
        lastUsedAt: 1,
        spend: 5,
        organizationId: stranger.ownId,
        status: "disabled",
        token: "sk-chosen-by-the-caller",
        key: "sk-chosen-by-the-caller",
      };
      const key = await create(owner, forged);
      const before = await accounts.keys.find(key.id);
      expect(before?.key).toMatchObject({
        createdBy: owner.id,
        previousHash: null,
        lastUsedAt: null,
        status: "active",
      });
      expect(key.key).not.toBe(forged.key);
      expect(await chat(forged.key)).toBe(401);
      // Of a key that is there, the status is its owner's to set.
      const { status: _, ...others } = forged;
      const moved = { ...others, teamId: strangerTeam?.team.id, team_id: strangerTeam?.team.id };
      expect((await owner.send("PATCH", `/api/gw/api-keys/${key.id}`, moved)).body).toMatchObject({ teamId });
      expect(await accounts.keys.find(key.id)).toEqual(before);
      expect(await chat(key.key)).toBe(200);
    });

    test("a team that is removed takes its keys with it at once", async () => {
      const passing = await newTeam();
      const key = await create(owner, { team_id: passing });
      expect(await chat(key.key)).toBe(200);
      expect((await owner.send("DELETE", `/api/gw/teams/${passing}`)).status).toBe(200);
      expect(await chat(key.key)).toBe(401);
    });

    test("the first start stands in the audit log", async () => {
      const { rows } = await accounts.audit.list({}, { page: 1, pageSize: 1_000 });
      const system = rows.filter(({ actor, action }) => actor === "system" && action.endsWith(".create"));
      expect(system.map(({ action }) => action).sort()).toEqual([
        "api_key.create",
        "organization.create",
        "user.create",
      ]);
    });

    test("no whole key and no hash is in any later answer, in the log or in the audit log", () =>
      expectNothingTold(20));
  });
}
