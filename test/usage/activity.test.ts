import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { systemClock } from "../../src/lib/clock.ts";
import { newPerson, type Person, startAppOn } from "../accounts/people.ts";
import type { TestApp } from "../app.ts";
import { DATABASES } from "../storage/databases.ts";
import { newCall } from "../storage/new-usage.ts";

const DAY_MS = 24 * 60 * 60 * 1000;
/** In the middle of a day, so that none begins while this runs. */
const NOON = Math.floor(Date.now() / DAY_MS) * DAY_MS + DAY_MS / 2;
const clock = { ...systemClock, nowMs: () => NOON };
const dayOf = (at: number) => new Date(at).toISOString().slice(0, 10);
const model_list = [
  { model_name: "*", litellm_params: { model: "openrouter/*", api_key: "sk-none" } },
  { model_name: "chat", litellm_params: { model: "openai/gpt-4o", api_key: "sk-none" } },
];

for (const { kind, missing } of DATABASES) {
  describe.skipIf(missing)(`OpenRouter's activity and providers, on ${kind}`, () => {
    const today = NOON - DAY_MS / 2;
    let app: TestApp;
    let owner: Person;
    let keyId: string;
    let token: string;
    beforeAll(async () => {
      app = await startAppOn(kind, JSON.stringify({ model_list }), clock);
      owner = await newPerson(app);
      const [team] = await app.storage.accounts.teams.list(owner.ownId);
      const key = await owner.send("POST", "/api/gw/api-keys", { name: "k", team_id: team?.team.id });
      keyId = (key.body as { id: string }).id;
      const made = await owner.send("POST", "/api/management-tokens", { name: "script", scopes: ["usage:read"] });
      token = (made.body as { token: string }).token;
      const mine = { organizationId: owner.ownId, teamId: team?.team.id ?? null, keyId, userId: owner.id };
      const mini = { ...mine, model: "openai/gpt-5-mini", provider: "openrouter", reasoningTokens: 3 };
      await app.storage.usage.record([
        newCall({ ...mini, at: today - 1, cost: 2_000_000n }),
        newCall({ ...mini, at: today - DAY_MS, cost: 1_000_000n }),
        newCall({ ...mine, at: today - 1, model: "chat", provider: "openai", cost: 5n, keyId: crypto.randomUUID() }),
        newCall({ ...mine, at: today - 1, model: "chat", provider: null, status: "rejected", cost: 0n }),
        newCall({ ...mini, at: today, cost: 7_000_000n }),
        newCall({ ...mini, at: today - 31 * DAY_MS, cost: 9_000_000n }),
        newCall({ ...mini, at: today - 1, organizationId: crypto.randomUUID(), teamId: null }),
      ]);
    });
    afterAll(() => app.close());

    const ask = async (query = "", key = token) => {
      const answer = await app.call(`/api/v1/activity${query}`, { key });
      return { status: answer.status, body: (await answer.json()) as { data: Record<string, unknown>[] } };
    };

    test("days that are over are summed up by model and provider, for who has a token", async () => {
      const { status, body } = await ask();
      expect(status).toBe(200);
      const { data } = body;
      expect(data).toHaveLength(2);
      expect(data.find(({ model }) => model === "openai/gpt-5-mini")).toEqual({
        date: dayOf(today - 1),
        model: "openai/gpt-5-mini",
        model_permaslug: "openai/gpt-5-mini",
        endpoint_id: "openrouter",
        provider_name: "OpenRouter",
        usage: 0.003,
        byok_usage_inference: 0,
        requests: 2,
        prompt_tokens: 200,
        completion_tokens: 20,
        reasoning_tokens: 6,
      });
      expect(data.find(({ model }) => model === "chat")).toMatchObject({ requests: 1, provider_name: "OpenAI" });
    });

    test("a day or a key narrow it", async () => {
      expect((await ask(`?date=${dayOf(today)}`)).body.data).toMatchObject([{ date: dayOf(today), usage: 0.007 }]);
      expect((await ask(`?date=${dayOf(today - 5 * DAY_MS)}`)).body.data).toEqual([]);
      expect((await ask(`?api_key_hash=${keyId}`)).body.data).toMatchObject([{ requests: 2 }]);
      expect((await ask("?api_key_hash=none")).status).toBe(404);
      for (const date of ["yesterday", "2020-01-01", dayOf(today + DAY_MS)]) {
        expect((await ask(`?date=${date}`)).status).toBe(400);
      }
    });

    test("a stranger sees nothing of it, and a token for something else may not ask", async () => {
      const stranger = await newPerson(app);
      const tokenFor = async (scope: string) =>
        (
          (await stranger.send("POST", "/api/management-tokens", { name: scope, scopes: [scope] })).body as {
            token: string;
          }
        ).token;
      expect((await ask("", await tokenFor("usage:read"))).body.data).toEqual([]);
      expect((await ask("", await tokenFor("keys:read"))).status).toBe(403);
    });

    test("providers are listed to everybody", async () => {
      const { data } = (await (await app.call("/api/v1/providers")).json()) as { data: Record<string, unknown>[] };
      expect(data.map(({ slug }) => slug)).toContain("openai");
      expect(data.find(({ slug }) => slug === "openai")).toEqual({
        name: "OpenAI",
        slug: "openai",
        privacy_policy_url: null,
        terms_of_service_url: null,
        status_page_url: null,
      });
    });
  });
}
