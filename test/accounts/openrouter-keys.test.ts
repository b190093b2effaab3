import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { DATABASES } from "../storage/databases.ts";
import { keyHolders } from "./key-holders.ts";

const PATH = "/api/v1/keys";
interface Answer {
  readonly key: string;
  readonly data: { readonly hash: string };
}

for (const { kind, missing } of DATABASES) {
  describe.skipIf(missing)(`OpenRouter's keys API on ${kind}`, () => {
    let world: Awaited<ReturnType<typeof keyHolders>>;
    beforeAll(async () => {
      world = await keyHolders(kind);
    });
    afterAll(() => world.app.close());

    const tokenOf = async (scopes: string[]) => {
      const json = { name: crypto.randomUUID(), scopes };
      return (await world.cast.owner.send("POST", "/api/management-tokens", json)).body.token as string;
    };
    const withToken = async (token: string, method: string, path: string, json?: unknown) => {
      const answer = await world.app.call(path, { method, key: token, ...(json === undefined ? {} : { json }) });
      return { status: answer.status, headers: answer.headers, body: (await answer.json()) as Answer };
    };

    test("a management token makes a key, which calls, and shows, changes and removes it", async () => {
      const token = await tokenOf(["keys:read", "keys:write"]);
      const asked = { name: "Customer", limit: 12.5, limit_reset: "daily", include_byok_in_limit: true };
      const { status, headers, body } = await withToken(token, "POST", PATH, asked);
      expect({ status, stored: headers.get("cache-control") }).toEqual({ status: 201, stored: "no-store" });
      const { key, data } = body;
      expect(data).toMatchObject({
        name: "Customer",
        label: `sk-...${key.slice(-4)}`,
        disabled: false,
        limit: 12.5,
        limit_remaining: 12.5,
        limit_reset: "daily",
        usage: 0,
        usage_monthly: 0,
        workspace_id: world.teamId,
        expires_at: null,
      });
      expect(data.hash).toMatch(/^[0-9a-f]{64}$/);
      expect(await world.chat(key)).toBe(200);
      const one = `${PATH}/${data.hash}`;

      expect((await withToken(token, "GET", one)).body.data).toMatchObject({ hash: data.hash, limit: 12.5 });
      const changes = { name: "Renamed", disabled: true, limit: 20, limit_reset: null };
      const changed = await withToken(token, "PATCH", one, changes);
      expect(changed.body.data).toMatchObject(changes);
      expect(await world.chat(key)).toBe(401);
      expect((await withToken(token, "PATCH", one, { disabled: false })).body.data).toMatchObject({
        disabled: false,
        limit: 20,
      });
      expect(await world.chat(key)).toBe(200);
      expect((await withToken(token, "PATCH", one, { limit: null })).body.data).toMatchObject({
        limit: null,
        limit_remaining: null,
        limit_reset: null,
      });
      expect(await withToken(token, "DELETE", one)).toMatchObject({ status: 200, body: { deleted: true } });
      expect(await world.chat(key)).toBe(401);
      expect((await withToken(token, "GET", one)).status).toBe(404);
    });

    test("lists leave out what is switched off, unless told, and go on where they are told", async () => {
      const { owner } = world.cast;
      const made = [await world.create(), await world.create(), await world.create()];
      await owner.send("PATCH", `${PATH}/${made[1]?.id}`, { disabled: true });
      const names = async (query = "") =>
        ((await owner.send("GET", `${PATH}${query}`)).body.data as { name: string }[]).map(({ name }) => name);
      const [first, second, third] = made.map(({ name }) => name) as [string, string, string];
      expect((await names()).slice(0, 2)).toEqual([third, first]);
      expect((await names("?include_disabled=true")).slice(0, 3)).toEqual([third, second, first]);
      expect((await names("?offset=1"))[0]).toBe(first);
      expect(await names("?offset=1000")).toEqual([]);
      const other = await world.newTeam();
      expect(await names(`?workspace_id=${other}`)).toEqual([]);
      expect((await owner.send("GET", `${PATH}?workspace_id=${world.strangerTeam?.team.id}`)).status).toBe(404);
    });

    test("roles and tenants count as everywhere", async () => {
      const { owner, stranger, viewer, insider, outsider, admin } = world.cast;
      const { id, token: secret } = await world.create();
      const one = `${PATH}/${id}`;
      for (const [method, json] of [["GET"], ["PATCH", { name: "mine" }], ["DELETE"]] as const) {
        for (const nobody of [stranger, outsider]) {
          const { status, body } = await nobody.send(method, one, json);
          expect({ status, body }).toMatchObject({
            status: 404,
            body: { error: { message: "There is no such key." } },
          });
        }
        expect((await owner.send(method, `${PATH}/${secret}`, json)).status).toBe(404);
      }
      for (const weak of [viewer, insider]) {
        expect((await weak.send("GET", one)).status).toBe(200);
        expect((await weak.send("PATCH", one, { name: "mine" })).status).toBe(403);
        expect((await weak.send("DELETE", one)).status).toBe(403);
      }
      expect((await viewer.send("POST", PATH, { name: "viewed" })).status).toBe(403);
      expect((await stranger.send("POST", PATH, { name: "taken", workspace_id: world.teamId })).status).toBe(404);
      expect((await admin.send("PATCH", one, { name: "by an admin" })).status).toBe(200);
      expect(JSON.stringify((await stranger.send("GET", PATH)).body)).not.toContain(id);
    });

    test("a key of a team, a token without the scope and nobody get nothing", async () => {
      const { key } = await world.create();
      for (const [credential, expected] of [
        [key, 401],
        ["sk-wrong", 401],
        [await tokenOf(["usage:read"]), 403],
        [await tokenOf(["keys:write"]), 403],
      ] as const) {
        const { status, body } = await withToken(credential, "GET", PATH);
        expect({ status, body }).toMatchObject({ status: expected, body: { error: { message: expect.any(String) } } });
      }
      const reader = await tokenOf(["keys:read"]);
      expect((await withToken(reader, "POST", PATH, { name: "no" })).status).toBe(403);
    });

    test("what cannot be is refused by its name", async () => {
      const { owner } = world.cast;
      const { id } = await world.create();
      for (const [json, param] of [
        [{ limit: -1 }, "limit"],
        [{ limit: 1, limit_reset: "yearly" }, "limit_reset"],
        [{ limit_reset: "daily" }, "limit_reset"],
        [{ limit: null, limit_reset: "daily" }, "limit_reset"],
      ] as const) {
        const { status, body } = await owner.send("PATCH", `${PATH}/${id}`, json);
        expect([400, 422]).toContain(status);
        expect(JSON.stringify(body)).toContain(param);
      }
      expect((await owner.send("POST", PATH, {})).status).toBe(422);
      for (const [json, param] of [
        [{ limit_reset: "weekly" }, "limit_reset"],
        [{ limit: null, limit_reset: "weekly" }, "limit_reset"],
        [{ expires_at: "soon" }, "expires_at"],
        [{ expires_at: "2001-01-01T00:00:00Z" }, "expires_at"],
      ] as const) {
        const { status, body } = await owner.send("POST", PATH, { name: "refused", ...json });
        expect({ status, body }).toMatchObject({
          status: 400,
          body: { error: { message: expect.stringContaining(`${param}: `) } },
        });
      }
      const plain = await owner.send("POST", PATH, { name: "no limit", limit: null, limit_reset: null });
      expect(plain.body.data).toMatchObject({ limit: null, limit_reset: null });
      expect((await owner.send("POST", PATH, { name: "no limit" })).status).toBe(409);
    });

    test("sent again with the same Idempotency-Key, one key is made", async () => {
      const { owner } = world.cast;
      const header = { "idempotency-key": crypto.randomUUID() };
      const first = await owner.send("POST", PATH, { name: "once" }, header);
      const again = await owner.send("POST", PATH, { name: "once" }, header);
      expect([first.status, again.status]).toEqual([201, 201]);
      expect(again.body.key).toBe(first.body.key);
    });
  });
}
