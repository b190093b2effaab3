import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { newPerson, type Person, startAppOn } from "../accounts/people.ts";
import { MASTER_KEY, type TestApp } from "../app.ts";
import { GEMINI_COUNT, gemini } from "../gateway/dialect-answers.ts";
import { DATABASES } from "../storage/databases.ts";
import { newCall } from "../storage/new-usage.ts";
import { Moody } from "../upstreams/moody.ts";

const upstream = new Moody("one");
const google = Bun.serve({
  port: 0,
  hostname: "127.0.0.1",
  development: false,
  fetch: () => Response.json(gemini("Hello", "STOP", GEMINI_COUNT)),
});
const PRICES = { input_cost_per_token: 0.000003, output_cost_per_token: 0.000015 };
const YAML = JSON.stringify({
  model_list: [
    {
      model_name: "priced",
      litellm_params: { model: "hosted_vllm/m", api_base: upstream.address, api_key: "sk-up", ...PRICES },
    },
    {
      model_name: "unnamed",
      litellm_params: {
        model: "gemini/gemini-2.5-flash",
        api_base: `http://127.0.0.1:${google.port}`,
        api_key: "sk-up",
        ...PRICES,
      },
    },
  ],
});
/** Ten tokens in, five out. */
const COST = 0.000105;
afterAll(() => Promise.all([upstream.stop(), google.stop(true)]));

for (const { kind, missing } of DATABASES) {
  describe.skipIf(missing)(`what programs from OpenRouter ask of keys and calls, on ${kind}`, () => {
    let app: TestApp;
    let owner: Person;
    let stranger: Person;
    beforeAll(async () => {
      app = await startAppOn(kind, YAML);
      owner = await newPerson(app);
      stranger = await newPerson(app);
    });
    afterAll(() => app.close());

    const newKey = async (whose: Person, more: object = {}) => {
      const [team] = await app.storage.accounts.teams.list(whose.ownId);
      const json = { name: crypto.randomUUID(), team_id: team?.team.id, ...more };
      return (await whose.send("POST", "/api/gw/api-keys", json)).body as { id: string; key: string };
    };
    const ask = async (path: string, key: string, headers: Record<string, string> = {}) => {
      const answer = await app.call(path, { key, headers });
      return { status: answer.status, body: (await answer.json()) as { data: Record<string, unknown> } };
    };
    const chat = async (key: string, fields: object = {}) => {
      const messages = [{ role: "user", content: "hi" }];
      const answer = await app.call("/api/v1/chat/completions", {
        key,
        json: { model: "priced", messages, ...fields },
      });
      const text = await answer.text();
      await app.service.books.flush();
      return { id: /"id":"([^"]+)"/.exec(text)?.[1] ?? "", callId: answer.headers.get("x-request-id") ?? "" };
    };

    test("a call is found by the id of its answer, by whose key it was", async () => {
      const { key } = await newKey(owner);
      const { id, callId } = await chat(key, { user: "eve" });
      expect(id).toBe("c-one");
      const found = await ask(`/api/v1/generation?id=${id}`, key);
      expect(found).toMatchObject({
        status: 200,
        body: {
          data: {
            id,
            upstream_id: id,
            total_cost: COST,
            usage: COST,
            model: "priced",
            provider_name: "vLLM",
            api_type: "completions",
            streamed: false,
            cancelled: false,
            tokens_prompt: 10,
            tokens_completion: 5,
            native_tokens_prompt: 10,
            native_tokens_completion: 5,
            native_tokens_reasoning: 0,
            finish_reason: null,
            external_user: "eve",
          },
        },
      });
      const { latency, generation_time, created_at } = found.body.data;
      expect([typeof latency, typeof generation_time]).toEqual(["number", "number"]);
      expect(Math.abs(Date.now() - Date.parse(String(created_at)))).toBeLessThan(60_000);
      expect(await ask(`/api/v1/generation?id=${callId}`, key)).toMatchObject({
        status: 200,
        body: { data: { id: callId } },
      });
      const { data } = (await ask(`/api/v1/generation?id=${callId}`, MASTER_KEY)).body;
      expect(data.total_cost).toBe(COST);
    });

    test("one that has just been answered is found, though it is not in the log yet", async () => {
      const { key } = await newKey(owner);
      const json = { model: "priced", messages: [{ role: "user", content: "hi" }] };
      const answer = await app.call("/api/v1/chat/completions", { key, json });
      const { id } = (await answer.json()) as { id: string };
      expect(await ask(`/api/v1/generation?id=${id}`, key)).toMatchObject({ status: 200, body: { data: { id } } });
    });

    test("one whose id is ours is found, too, and so is a stream", async () => {
      const { key } = await newKey(owner);
      const unnamed = await chat(key, { model: "unnamed" });
      expect(unnamed.id).toBe(`chatcmpl-${unnamed.callId}`);
      expect(await ask(`/api/v1/generation?id=${unnamed.id}`, key)).toMatchObject({
        status: 200,
        body: { data: { id: unnamed.id, upstream_id: null, model: "unnamed", total_cost: COST } },
      });
      const streamed = await chat(key, { stream: true });
      expect(await ask(`/api/v1/generation?id=${streamed.id}`, key)).toMatchObject({
        status: 200,
        body: { data: { streamed: true, total_cost: COST } },
      });
    });

    test.each([
      ["messages", "msg_c-one", { max_tokens: 9, messages: [{ role: "user", content: "hi" }] }],
      ["completions", "c-one", { prompt: "hi" }],
    ])("one of %s is found by the id that it has there", async (operation, id, fields) => {
      const { key } = await newKey(owner);
      const answer = await app.call(`/api/v1/${operation}`, { key, json: { model: "priced", ...fields } });
      expect(await answer.json()).toMatchObject({ id });
      await app.service.books.flush();
      expect(await ask(`/api/v1/generation?id=${id}`, key)).toMatchObject({
        status: 200,
        body: { data: { id, upstream_id: "c-one", total_cost: COST } },
      });
    });

    test("what is another's, another tenant's or nobody's is 404", async () => {
      const { key } = await newKey(owner);
      const { id, callId } = await chat(key);
      const [colleague, foreign] = [(await newKey(owner)).key, (await newKey(stranger)).key];
      const asked = [id, callId, `chatcmpl-${callId}`, "c-none", crypto.randomUUID()];
      const answers = await Promise.all(
        [colleague, foreign].flatMap((other) => asked.map((one) => ask(`/api/v1/generation?id=${one}`, other))),
      );
      for (const answer of answers) {
        expect(answer).toMatchObject({
          status: 404,
          body: { error: { message: expect.stringMatching(/^There is no such call of this key\. .*a second more/) } },
        });
      }
      expect((await ask(`/api/v1/generation?id=${id}`, "sk-wrong")).status).toBe(401);
      expect((await ask("/api/v1/generation", key)).status).toBe(422);
      expect((await ask("/api/v1/generation?id=%00", key)).status).toBe(400);
    });

    test("of calls whose answers have one id the newest counts, and only so many are looked at", async () => {
      const keyId = crypto.randomUUID();
      const calls = [1, 2, 3].map((at) => newCall({ keyId, at, upstreamId: at === 3 ? "other" : "same" }));
      await app.storage.usage.record(calls);
      const find = async (among: number) =>
        (await app.storage.usage.findAnswered({ keyId }, ["same"], among))?.id ?? null;
      expect([await find(1), await find(2), await find(3)]).toEqual([null, calls[1]?.id, calls[1]?.id] as never);
    });

    test("a key is told what it may spend and has spent", async () => {
      const { id, key } = await newKey(owner, { budget: 1_000_000_000, budgetWindow: "month" });
      const now = Date.now();
      const mine = { organizationId: owner.ownId, keyId: id, userId: owner.id };
      const old = { ...mine, at: now - 400 * 24 * 60 * 60 * 1000, cost: 2_000_000_000n };
      await app.storage.usage.record([newCall(old)]);
      await chat(key);
      for (const path of ["/api/v1/key", "/api/v1/auth/key"]) {
        expect(await ask(path, key)).toMatchObject({
          status: 200,
          body: {
            data: {
              label: `sk-...${key.slice(-4)}`,
              limit: 1,
              limit_remaining: 1 - COST,
              limit_reset: "monthly",
              usage: 2 + COST,
              usage_daily: COST,
              usage_weekly: COST,
              usage_monthly: COST,
              is_free_tier: false,
              is_management_key: false,
              creator_user_id: String(owner.id),
            },
          },
        });
      }
      const { data } = (await ask("/api/v1/key", key)).body;
      expect("hash" in data || "workspace_id" in data).toBe(false);
    });

    test("one without a limit has none, and neither has the master key", async () => {
      const { key } = await newKey(owner);
      const unlimited = { limit: null, limit_remaining: null, limit_reset: null };
      expect((await ask("/api/v1/key", key)).body.data).toMatchObject({ ...unlimited, usage: 0 });
      expect((await ask("/api/v1/key", MASTER_KEY)).body.data).toMatchObject({ ...unlimited, label: "master key" });
    });

    test("credits are what is left and what was used, for who may see the balance", async () => {
      const person = await newPerson(app);
      await chat((await newKey(person)).key);
      const token = async (scopes: string[]) =>
        (
          (await person.send("POST", "/api/management-tokens", { name: crypto.randomUUID(), scopes })).body as {
            token: string;
          }
        ).token;
      const expected = { data: { total_credits: 10, total_usage: COST } };
      expect((await ask("/api/v1/credits", await token(["billing:read"]))).body).toEqual(expected);
      expect((await person.send("GET", "/api/v1/credits")).body).toEqual(expected as never);
      const { balance } = (await person.send("GET", "/api/balance")).body as { balance: number };
      expect(balance).toBe(Math.round((10 - COST) * 1e9));
      expect((await ask("/api/v1/credits", await token(["keys:read"]))).status).toBe(403);
      expect((await ask("/api/v1/credits", (await newKey(person)).key)).status).toBe(401);
      const named = await stranger.send("GET", "/api/v1/credits", undefined, { "x-organization-id": person.ownId });
      expect(named).toMatchObject({ status: 404, body: { error: { message: expect.any(String) } } });
    });
  });
}
