import { afterAll, describe, expect, test } from "bun:test";
import { newPerson } from "../accounts/people.ts";
import { MASTER_KEY } from "../app.ts";
import { errorFormat } from "../gateway-admin/face.ts";
import { startPaidApp } from "../gateway-admin/paid-calls.ts";
import { DATABASES } from "../storage/databases.ts";
import { Target } from "./target.ts";

/** What a call of `/dear` costs, in nano-USD: a cent, with the operator's mark-up. */
const COST = 11_000_000n;

for (const { kind, missing } of DATABASES) {
  describe.skipIf(missing)(`calls that are passed on, in the books on ${kind}`, async () => {
    if (missing) return;
    const target = new Target();
    const pass_through_endpoints = [
      { path: "/dear", target: target.url, cost_per_request: 0.01, include_subpath: true },
      { path: "/free", target: target.url },
      { path: "/four", target: target.url, cost_per_request: "3.6" },
      { path: "/away", target: "http://127.0.0.1:1", cost_per_request: 0.01 },
    ];
    const { app } = await startPaidApp(kind, {
      general_settings: { pass_through_endpoints, markup_percent: 10 },
      // Two calls of `/dear`: the mark-up is not the provider's.
      router_settings: { tag_budget_config: { shop: { max_budget: 0.02, budget_duration: "30d" } } },
    });
    afterAll(async () => {
      await app.close();
      await target.stop();
    });
    const { post, get } = errorFormat(app, MASTER_KEY);
    const newKey = async (fields: object = {}): Promise<string> => (await post("/key/generate", fields)).body.key;
    /** A whole call, and its row. */
    const call = async (key: string, path: string, init: object = {}) => {
      const response = await app.call(path, { key, ...init });
      await response.text();
      return { status: response.status, headers: response.headers, row: await rowOf(response) };
    };
    const rowOf = async (response: Response) => {
      await app.service.flush();
      return app.storage.usage.find(response.headers.get("x-request-id") ?? "");
    };
    const answer = (status: number) => {
      target.answer = () => new Response("x", { status });
    };

    test("cost what the operator says where they succeed, and nothing where they do not", async () => {
      const key = await newKey();
      answer(201);
      const done = await call(key, "/dear/a/b?c=d", { headers: { "x-gw-tags": "one", "x-gw-end-user-id": "ada" } });
      expect(done.headers.get("x-gw-response-cost")).toBe("0.011");
      expect(done.row).toMatchObject({
        operation: "pass_through",
        endpoint: "/dear/a/b",
        requestedModel: "/dear",
        model: "/dear",
        provider: null,
        status: "succeeded",
        statusCode: 201,
        errorCode: null,
        cost: COST,
        providerCost: 10_000_000n,
        estimated: false,
        tags: ["one"],
        endUser: "ada",
      });
      for (const status of [302, 404, 500]) {
        answer(status);
        const { row, headers } = await call(key, "/dear");
        expect([row?.statusCode, row?.cost, headers.get("x-gw-response-cost")]).toEqual([status, 0n, "0"]);
        expect(row?.status).toBe(status < 400 ? "succeeded" : "failed");
      }
      answer(200);
      const { row: free } = await call(key, "/free");
      expect([free?.status, free?.cost, free?.priceVersion]).toEqual(["succeeded", 0n, null]);
      const away = await call(key, "/away");
      expect([away.status, away.row?.status, away.row?.errorCode, away.row?.cost]).toEqual([
        503,
        "failed",
        "connection_error",
        0n,
      ]);
      expect((await get(`/key/info?key=${key}`)).body.info.spend).toBe(0.011);
    });

    test("are let in by budgets, limits and lists like calls of models", async () => {
      answer(200);
      const poor = await newKey({ max_budget: 0.022 });
      const statuses = [];
      for (let count = 0; count < 3; count++) statuses.push((await call(poor, "/dear")).status);
      expect(statuses).toEqual([200, 200, 429]);
      const refused = await call(poor, "/dear");
      expect(refused.row).toMatchObject({ status: "rejected", errorCode: "budget_exceeded", model: "/dear", cost: 0n });
      expect((await call(poor, "/free")).status).toBe(200);

      const slow = await newKey({ rpm_limit: 1 });
      expect([(await call(slow, "/free")).status, (await call(slow, "/free")).status]).toEqual([200, 429]);

      const narrow = await newKey({ models: ["paid"] });
      const named = await newKey({ models: ["/dear"] });
      const wide = await newKey({ models: ["/*"] });
      const seen = target.got.length;
      expect((await call(narrow, "/dear")).status).toBe(403);
      expect((await call(named, "/free")).status).toBe(403);
      expect(target.got.length).toBe(seen);
      expect([(await call(named, "/dear")).status, (await call(wide, "/free")).status]).toEqual([200, 200]);

      const blocked = await newKey();
      await post("/key/block", { key: blocked });
      expect((await call(blocked, "/dear")).status).toBe(401);
      await post("/customer/new", { user_id: "eve", blocked: true });
      const banned = await call(await newKey(), "/dear", { headers: { "x-gw-end-user-id": "eve" } });
      expect([banned.status, banned.row?.status]).toEqual([403, "rejected"]);
    });

    test("are refused when the budget of a tag of theirs is spent, from the key or from a header, and go nowhere", async () => {
      answer(200);
      const key = await newKey({ tags: ["shop"] });
      const other = await newKey();
      const headers = { "x-gw-tags": "x, shop" };
      expect([(await call(key, "/dear")).status, (await call(other, "/dear", { headers })).status]).toEqual([200, 200]);
      const seen = target.got.length;
      const spent = await app.call("/free", { key });
      expect([spent.status, Number(spent.headers.get("retry-after")) > 0]).toEqual([429, true]);
      const { error } = (await spent.json()) as { error: { code: string; message: string } };
      expect([error.code, error.message]).toEqual([
        "budget_exceeded",
        expect.stringContaining("The budget of the tag `shop` is used up; it begins anew at "),
      ]);
      const refused = await call(other, "/dear", { headers });
      expect([refused.status, refused.row]).toMatchObject([
        429,
        { status: "rejected", errorCode: "budget_exceeded", model: "/dear", cost: 0n, tags: ["x", "shop"] },
      ]);
      expect(target.got.length).toBe(seen);
      expect((await call(other, "/dear")).status).toBe(200);
    });

    test("need the credit of an organization that pays before", async () => {
      const person = await newPerson(app);
      const { body: team } = await person.send("POST", "/api/gw/teams", { name: "Team" });
      const made = await person.send("POST", "/api/gw/api-keys", { name: "Key", team_id: (team as { id: string }).id });
      const { token } = made.body as { token: string };
      answer(200);
      const statuses = [];
      for (let count = 0; count < 4; count++) statuses.push((await call(token, "/four")).status);
      // Ten dollars, of which a call takes 3.96: as with models the last one may take more than is left, and blocks the team.
      expect(statuses).toEqual([200, 200, 200, 403]);
      expect((await call(token, "/free")).status).toBe(403);
      expect(((await person.send("GET", "/api/balance")).body as { balance: number }).balance).toBe(-1_880_000_000);
    });

    test("hold their cost and their place while they run", async () => {
      const key = await newKey({ max_budget: 0.011, max_parallel_requests: 1 });
      const held = Promise.withResolvers<Response>();
      const seen = target.got.length;
      target.answer = () => held.promise;
      const first = app.call("/dear", { key });
      await target.calls(seen + 1);
      expect((await call(key, "/dear")).status).toBe(429);
      held.resolve(new Response("late", { status: 500 }));
      const ended = await first;
      await ended.text();
      answer(200);
      // The first one failed and cost nothing: all of the budget is there again.
      expect((await call(key, "/dear")).status).toBe(200);
      expect((await call(key, "/dear")).row).toMatchObject({ status: "rejected", errorCode: "budget_exceeded" });
    });

    test("cost something when the caller leaves or the target breaks off, once it had all of the call", async () => {
      const key = await newKey();
      const seen = target.got.length;
      const never = Promise.withResolvers<Response>();
      target.answer = () => never.promise;
      const leaving = new AbortController();
      const pending = app.call("/dear", { key, signal: leaving.signal, body: "x" });
      await target.calls(seen + 1);
      leaving.abort();
      const left = await pending;
      expect(await rowOf(left)).toMatchObject({ status: "cancelled", statusCode: 499, cost: COST });

      target.answer = () =>
        new Response(
          new ReadableStream({
            async start(controller) {
              controller.enqueue(Buffer.from("half"));
              await new Promise((resolve) => setImmediate(resolve));
              controller.error(new Error("gone"));
            },
          }),
        );
      const broken = await app.call("/dear", { key });
      expect(await broken.text().catch(() => "broken")).toBe("broken");
      expect(await rowOf(broken)).toMatchObject({ status: "partial", statusCode: 200, cost: COST });
    });

    test("leave books that add up, and are summed up by their path", async () => {
      expect((await get("/api/admin/ledger/verify")).body).toMatchObject({ ok: true });
      const metrics = await (await app.call("/metrics", { key: MASTER_KEY })).text();
      expect(metrics).toContain('path="/dear"');
    });
  });
}
