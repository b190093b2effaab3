import { afterAll, describe, expect, test } from "bun:test";
import { newPerson } from "../accounts/people.ts";
import { MASTER_KEY } from "../app.ts";
import { errorFormat } from "../gateway-admin/face.ts";
import { DAY_MS, startPaidApp } from "../gateway-admin/paid-calls.ts";
import { DATABASES } from "../storage/databases.ts";

/** What a call of `paid` costs, in US dollars. */
const CALL_USD = 0.007;

for (const { kind, missing } of DATABASES) {
  describe.skipIf(missing)(`end users, on ${kind}`, async () => {
    if (missing) return;
    const { app, clock } = await startPaidApp(kind);
    afterAll(() => app.close());
    const { post, get } = errorFormat(app, MASTER_KEY);
    const { key } = (await post("/key/generate", {})).body;

    const ask = (user: string | null, given: { key?: string; headers?: Record<string, string> } = {}) =>
      app.call("/v1/chat/completions", {
        key,
        ...given,
        json: { model: "paid", messages: [{ role: "user", content: "hi" }], ...(user === null ? {} : { user }) },
      });
    const statuses = async (user: string | null, count: number): Promise<readonly number[]> => {
      const found: number[] = [];
      for (let call = 0; call < count; call++) {
        const response = await ask(user);
        await response.text();
        found.push(response.status);
      }
      await app.service.flush();
      return found;
    };
    const infoOf = async (id: string) => (await get(`/customer/info?end_user_id=${encodeURIComponent(id)}`)).body;

    test("have a budget of their own, which begins anew, and which others do not share", async () => {
      const made = await post("/customer/new", {
        user_id: "ada",
        alias: "Ada",
        max_budget: 0.014,
        budget_duration: "1d",
      });
      expect(made).toMatchObject({
        status: 200,
        body: {
          user_id: "ada",
          alias: "Ada",
          spend: 0,
          blocked: false,
          litellm_budget_table: { max_budget: 0.014, budget_duration: "1d" },
        },
      });
      expect(await statuses("ada", 3)).toEqual([200, 200, 429]);
      expect(await statuses("grace", 1)).toEqual([200]);
      expect(await statuses(null, 1)).toEqual([200]);
      const refused = await ask("ada");
      expect([refused.status, refused.headers.get("retry-after") !== null]).toEqual([429, true]);
      expect(await refused.json()).toMatchObject({
        error: { message: expect.stringContaining("budget of the end user"), type: "budget_exceeded" },
      });
      expect((await infoOf("ada")).spend).toBe(2 * CALL_USD);

      clock.step(DAY_MS);
      expect(await statuses("ada", 3)).toEqual([200, 200, 429]);
      expect((await infoOf("ada")).spend).toBe(4 * CALL_USD);
    });

    test("have spent what calls for them cost before there was a record, and what those cost in the window", async () => {
      expect(await statuses("early", 3)).toEqual([200, 200, 200]);
      const { body } = await post("/customer/new", { user_id: "early", max_budget: 4 * CALL_USD });
      expect(body.spend).toBe(3 * CALL_USD);
      expect(await statuses("early", 2)).toEqual([200, 429]);
    });

    test("are named by a header, too, and names are compared as they are", async () => {
      const name = "Zoë / 7:1 %_";
      expect((await post("/customer/new", { user_id: name, max_budget: CALL_USD })).status).toBe(200);
      const headers = { "x-gw-end-user-id": "b1" };
      expect((await post("/customer/new", { user_id: "b1", blocked: true })).status).toBe(200);
      expect((await ask(null, { headers })).status).toBe(403);
      expect(await statuses(name, 2)).toEqual([200, 429]);
      expect(await statuses("Zoë / 7:1 %x", 1)).toEqual([200]);
      expect((await infoOf(name)).spend).toBe(CALL_USD);
      expect(await statuses("B1", 1)).toEqual([200]);
    });

    test("are blocked and let in again from the very next call on, with a record or without one", async () => {
      expect(await statuses("mallory", 1)).toEqual([200]);
      const { status, body } = await post("/end_user/block", { user_ids: ["mallory", "ada"] });
      expect([status, body.blocked_users.length]).toEqual([200, 2]);
      const refused = await ask("mallory");
      expect(refused.status).toBe(403);
      expect(await refused.json()).toMatchObject({ error: { message: expect.stringContaining("blocked") } });
      await app.service.flush();
      const { body: logged } = await get("/spend/logs/v2?end_user=mallory&status_filter=failure");
      expect(logged.total).toBeGreaterThanOrEqual(1);
      const counted = { model: "paid", max_tokens: 1, messages: [{ role: "user", content: "hi" }] };
      const count = (headers: Record<string, string>) =>
        app.call("/v1/messages/count_tokens", { key, headers, json: counted });
      expect((await count({ "x-gw-end-user-id": "mallory" })).status).toBe(403);
      expect((await count({})).status).toBe(200);
      expect((await post("/customer/unblock", { user_ids: ["mallory", "nobody"] })).status).toBe(404);
      expect((await ask("mallory")).status).toBe(403);
      expect((await post("/customer/unblock", { user_ids: ["mallory", "ada"] })).status).toBe(200);
      expect(await statuses("mallory", 1)).toEqual([200]);
    });

    test("have limits of their own, which are told in headers", async () => {
      await post("/customer/new", { user_id: "quick", rpm_limit: 2 });
      const first = await ask("quick");
      expect(first.headers.get("x-ratelimit-end_user-remaining-requests")).toBe("1");
      expect(await statuses("quick", 2)).toEqual([200, 429]);
      expect(await statuses("other", 3)).toEqual([200, 200, 200]);
      expect((await post("/customer/update", { user_id: "quick", rpm_limit: 3 })).status).toBe(200);
      expect(await statuses("quick", 2)).toEqual([200, 429]);
      expect((await post("/customer/update", { user_id: "quick", rpm_limit: null })).status).toBe(200);
      expect(await statuses("quick", 3)).toEqual([200, 200, 200]);
    });

    test("are limited and blocked where tokens are counted, too", async () => {
      await post("/customer/new", { user_id: "counting", rpm_limit: 1 });
      const count = async (): Promise<number> => {
        const headers = { "x-gw-end-user-id": "counting" };
        const json = { model: "paid", messages: [{ role: "user", content: "hi" }] };
        return (await app.call("/v1/messages/count_tokens", { key, headers, json })).status;
      };
      expect([await count(), await count()]).toEqual([200, 429]);
      expect((await post("/customer/block", { user_ids: ["counting"] })).status).toBe(200);
      expect(await count()).toBe(403);
    });

    test("have the limits of a budget that several share, each for itself", async () => {
      const budget_id = `small-${kind}`;
      await post("/budget/new", { budget_id, max_budget: CALL_USD });
      for (const user_id of ["s1", "s2"]) {
        expect((await post("/customer/new", { user_id, budget_id })).body).toMatchObject({ budget_id });
      }
      expect([await statuses("s1", 2), await statuses("s2", 1)]).toEqual([[200, 429], [200]]);
      expect(await post("/budget/delete", { id: budget_id })).toMatchObject({ status: 409 });
      await post("/budget/update", { budget_id, max_budget: 2 * CALL_USD });
      expect([await statuses("s1", 2), await statuses("s2", 2)]).toEqual([
        [200, 429],
        [200, 429],
      ]);
      expect(await post("/customer/new", { user_id: "s3", budget_id: "no-such" })).toMatchObject({ status: 404 });
    });

    test("are the organization's own, and its administrators', nobody else's", async () => {
      const owner = await newPerson(app);
      const stranger = await newPerson(app);
      const own = errorFormat(app, owner.token);
      const theirs = errorFormat(app, stranger.token);
      const made = await own.post("/customer/new", { user_id: "ada", blocked: true });
      expect(made).toMatchObject({ status: 200, body: { user_id: "ada", organization_id: owner.ownId } });
      expect((await infoOf("ada")).blocked).toBe(false);
      expect((await theirs.get("/customer/info?end_user_id=ada")).status).toBe(404);
      const named = `organization_id=${owner.ownId}`;
      expect((await theirs.get(`/customer/list?${named}`)).status).toBe(404);
      expect((await theirs.post("/customer/new", { user_id: "x", organization_id: owner.ownId })).status).toBe(404);
      expect((await get(`/customer/info?end_user_id=ada&${named}`)).body.blocked).toBe(true);
      expect((await own.get("/customer/list")).body).toMatchObject([{ user_id: "ada" }]);
      // A key of a team manages nothing.
      expect((await errorFormat(app, key).get("/customer/list")).status).toBe(403);
      expect((await own.post("/customer/new", { user_id: "y", budget_id: `small-${kind}` })).status).toBe(404);
    });

    test("are listed, changed and let go of; what is not served is refused by name", async () => {
      const { body: all } = await get("/end_user/list");
      expect(all.map((one: { user_id: string }) => one.user_id)).toContain("ada");
      expect((await get("/customer/list?page=2&page_size=1")).body).toHaveLength(1);
      expect(await post("/customer/new", { user_id: "ada" })).toMatchObject({ status: 409 });
      expect(await post("/customer/update", { user_id: "nobody", alias: "x" })).toMatchObject({ status: 404 });
      expect(await post("/customer/new", { user_id: "" })).toMatchObject({ status: 422 });
      expect(await post("/customer/new", { user_id: "z", default_model: "paid" })).toMatchObject({
        status: 400,
        body: { error: { param: "default_model" } },
      });
      expect(await post("/customer/new", { user_id: "z", budget_duration: "5 fortnights" })).toMatchObject({
        status: 400,
        body: { error: { param: "budget_duration" } },
      });
      expect(await statuses("ada", 1)).toEqual([429]);
      expect((await post("/customer/delete", { user_ids: ["ada", "nobody"] })).status).toBe(404);
      expect((await post("/customer/delete", { user_ids: ["ada"] })).body).toMatchObject({ deleted_customers: 1 });
      expect(await statuses("ada", 1)).toEqual([200]);
      expect((await get("/customer/info?end_user_id=ada")).status).toBe(404);
      // What was spent for them meanwhile is known again with the record.
      expect((await post("/customer/new", { user_id: "ada" })).body.spend).toBe(5 * CALL_USD);
    });

    test("are looked after by the platform's own operations, too, in nano-USD", async () => {
      const { send, ownId } = await newPerson(app);
      const name = "a/b ü";
      const one = `/api/end-users/${encodeURIComponent(name)}`;
      expect(await send("POST", "/api/end-users", { id: name, alias: "Ann", budget: 7_000_000 })).toMatchObject({
        status: 201,
        body: { id: name, alias: "Ann", blocked: false, spent: 0, budget: { limit: 7_000_000, window: "total" } },
      });
      expect((await send("POST", "/api/end-users", { id: name })).status).toBe(409);
      expect(await send("PATCH", one, { blocked: true, budget: null, tpm_limit: 9 })).toMatchObject({
        status: 200,
        body: { blocked: true, budget: null, tpmLimit: 9, alias: "Ann" },
      });
      await send("POST", "/api/end-users", { id: "zed" });
      const list = async (query: string) =>
        ((await send("GET", `/api/end-users?${query}`)).body as { data: { id: string }[] }).data.map(({ id }) => id);
      expect(await list("")).toEqual([name, "zed"]);
      expect(await list("sort=-id")).toEqual(["zed", name]);
      expect([await list("search=ANN"), await list("search=/B"), await list("search=%25")]).toEqual([
        [name],
        [name],
        [],
      ]);
      expect(await send("GET", "/api/end-users?page=2&pageSize=1")).toMatchObject({
        body: { data: [{ id: "zed" }], meta: { total: 2 } },
      });
      expect(
        (await get(`/customer/info?organization_id=${ownId}&end_user_id=${encodeURIComponent(name)}`)).body,
      ).toMatchObject({ alias: "Ann", blocked: true });
      const other = await newPerson(app);
      expect((await other.send("DELETE", one)).status).toBe(404);
      expect((await other.send("GET", "/api/end-users", undefined, { "x-organization-id": ownId })).status).toBe(404);
      expect((await send("DELETE", one)).status).toBe(200);
      expect((await send("DELETE", one)).status).toBe(404);
    });

    test("and every change of theirs is in the audit log", async () => {
      const { rows } = await app.storage.accounts.audit.list({ action: "end_user.update" }, { page: 1, pageSize: 50 });
      expect(rows.map(({ targetType, targetId }) => [targetType, targetId])).toContainEqual(["end_user", "quick"]);
    });

    test("and the books agree with all of it", async () => {
      await app.service.flush();
      const { body } = await get("/api/admin/ledger/verify");
      expect(body).toMatchObject({ ok: true });
    });
  });
}
