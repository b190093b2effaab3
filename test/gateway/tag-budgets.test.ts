import { afterEach, describe, expect, spyOn, test } from "bun:test";
import { newPerson } from "../accounts/people.ts";
import { MASTER_KEY } from "../app.ts";
import { look, startCachedApp } from "../cache/cached-app.ts";
import { SteppedClock } from "../stepped-clock.ts";
import { DATABASES, freshDatabase } from "../storage/databases.ts";
import { type Balanced, balance } from "./balanced.ts";

const opened: Pick<Balanced, "stop">[] = [];
afterEach(async () => {
  for (const one of opened.splice(0)) await one.stop();
});

const DAY_MS = 86_400_000;
/** Tuesday, the tenth, at noon: neither the week nor the month ends while a test steps on by days. */
const TENTH = Date.UTC(2030, 8, 10, 12);
function onTheTenth(): SteppedClock {
  const clock = new SteppedClock();
  clock.set(TENTH - clock.nowMs());
  return clock;
}
const midnightAfter = (ms: number): number => (Math.floor(ms / DAY_MS) + 1) * DAY_MS;

/** A call has ten tokens in: at the provider it costs 0.10 USD. */
const INFO = { free: false, input_cost_per_token: 0.01, output_cost_per_token: 0 };
const ONE = { a: { params: { model: "openai/m", api_key: "k" }, info: INFO } };
const budgetOf = (period: string, ...tags: string[]) => ({
  tag_budget_config: Object.fromEntries(tags.map((tag) => [tag, { max_budget: 0.2, budget_duration: period }])),
});
const DAILY = budgetOf("1d", "shop");

const open = async (
  router: object = DAILY,
  databaseUrl: string | null = null,
  general: object = {},
  entries: Parameters<typeof balance>[0] = ONE,
): Promise<Balanced> => {
  const made = await balance(entries, router, databaseUrl, general, onTheTenth());
  opened.push(made);
  return made;
};
const tagged = (...tags: string[]) => ({ metadata: { tags } });
const budgets = async (group: Balanced) => (await group.admin("GET", "/provider/budgets")).body;
const spend = async (group: Balanced, calls: number, fields: object = tagged("shop")) => {
  for (let call = 0; call < calls; call++) expect(await group.served(fields)).toBe("a");
};

describe("the budget of a tag", () => {
  test("when it is spent, calls with the tag are 429 until the period ends, and others go on", async () => {
    // What customers pay is another matter.
    const group = await open(DAILY, null, { markup_percent: 100 });
    await spend(group, 2, tagged("x", "shop"));
    const endMs = midnightAfter(group.clock.nowMs());
    const budget_reset_at = new Date(endMs).toISOString();
    expect(await budgets(group)).toEqual({
      providers: {},
      tags: { shop: { budget_limit: 0.2, time_period: "1d", spend: 0.2, budget_reset_at } },
    });
    const response = await group.post(tagged("y", "shop"));
    const seconds = String(Math.ceil((endMs - group.clock.nowMs()) / 1000));
    expect([response.status, response.headers.get("retry-after")]).toEqual([429, seconds]);
    expect(await response.json()).toMatchObject({
      error: {
        type: "budget_exceeded",
        code: "budget_exceeded",
        message: `The budget of the tag \`shop\` is used up; it begins anew at ${budget_reset_at}, or an administrator raises it.`,
      },
    });
    expect(await group.served({ ...tagged("shop"), stream: true })).toBe(429);
    expect(await group.served(tagged("shopping", "x"))).toBe("a");
    expect(await group.served()).toBe("a");
    expect(group.upstreams.a?.calls).toBe(4);
    await group.app.service.flush();
    const { body } = await group.admin("GET", "/api/admin/logs?status=rejected");
    expect(body.data).toMatchObject([
      { model: "g", statusCode: 429, cost: 0, tags: ["shop"] },
      { model: "g", statusCode: 429, errorCode: "budget_exceeded", cost: 0, tags: ["y", "shop"] },
    ]);

    group.clock.step(endMs - group.clock.nowMs() - 1);
    expect(await group.served(tagged("shop"))).toBe(429);
    group.clock.step(1);
    await spend(group, 2);
    expect(await group.served(tagged("shop"))).toBe(429);
  });

  test("counts calls whose tag stands in the request, in its metadata, in a header, at the key or at its team", async () => {
    const group = await open(budgetOf("1d", "body", "nested", "header", "key", "team"));
    const person = await newPerson(group.app);
    const [team] = ((await person.send("GET", "/api/gw/teams")).body as { data: { id: string }[] }).data;
    expect((await person.send("PATCH", `/api/gw/teams/${team?.id}`, { tags: ["team"] })).status).toBe(200);
    const made = await person.send("POST", "/api/gw/api-keys", { name: "k", teamId: team?.id, tags: ["key"] });
    const { key } = made.body as { key: string };
    const call = async () => {
      const response = await group.app.call("/v1/chat/completions", {
        key,
        headers: { "x-gw-tags": "other, header" },
        json: { model: "g", messages: [{ role: "user", content: "who?" }], tags: ["body"], ...tagged("nested") },
      });
      return { status: response.status, text: await response.text() };
    };
    expect((await call()).status).toBe(200);
    const { tags } = (await budgets(group)) as { tags: Record<string, { spend: number }> };
    expect(Object.entries(tags).map(([tag, { spend: spent }]) => [tag, spent])).toEqual(
      ["body", "nested", "header", "key", "team"].map((tag) => [tag, 0.1]),
    );
    // Each of them alone is enough to be refused.
    for (const tag of Object.keys(tags)) {
      group.reload({ tag_budget_config: { [tag]: { budget_limit: 0.1, time_period: "1d" } } });
      const { status, text } = await call();
      expect([tag, status, text.includes(`the tag \`${tag}\``)]).toEqual([tag, 429, true]);
    }
  });

  test("refuses a call before its question is paid for to be compared by its meaning", async () => {
    const spent = { tag_budget_config: { shop: { max_budget: 0, budget_duration: "1d" } } };
    const vectors = { model_name: "vectors", litellm_params: { model: "echo/embedding" } };
    const params = { type: "semantic", embedding_model: "vectors", similarity_threshold: 0.8 };
    const cached = await startCachedApp(params, { router_settings: spent }, [vectors]);
    opened.push({ stop: cached.close });
    const { chat, books, upstream } = cached;
    const asked = await Promise.all([chat("who?", { tags: ["shop"] }), chat("who?", { tags: ["shop"] })]);
    expect(asked.map((response) => response.status)).toEqual([429, 429]);
    expect(await asked[0]?.json()).toMatchObject({ error: { code: "budget_exceeded" } });
    expect(books.ended.map(({ record }) => [record.operation, record.status])).toEqual([
      ["chat", "rejected"],
      ["chat", "rejected"],
    ]);
    expect((await look(await chat("who?"))).hit).toBe(false);
    expect(upstream.count).toBe(1);
    // What is kept of the very same question costs nothing.
    expect((await look(await chat("who?", { tags: ["shop"] }))).hit).toBe(true);
  });

  test("is not spent elsewhere: no other deployment or group takes the call", async () => {
    const entries = { ...ONE, spare: { ...ONE.a, group: "spare" } };
    const group = await open({ ...DAILY, fallbacks: [{ g: ["spare"] }], num_retries: 3 }, null, {}, entries);
    await spend(group, 2);
    expect(await group.served(tagged("shop"))).toBe(429);
    expect(group.upstreams.spare?.calls).toBe(0);
  });

  test("holds beside a provider's, and the one that lasts longest is told", async () => {
    const both = { tag_budget_config: { ...budgetOf("1h", "short").tag_budget_config, ...DAILY.tag_budget_config } };
    const group = await open(both);
    await spend(group, 2, tagged("short", "shop"));
    const response = await group.post(tagged("short", "shop"));
    expect(await response.text()).toContain("`shop`");
    expect(await group.served(tagged("short"))).toBe(429);
    group.clock.step(3_600_000);
    expect(await group.served(tagged("short"))).toBe("a");
    group.reload({ ...DAILY, provider_budget_config: { openai: { budget_limit: 0.3, time_period: "1d" } } });
    expect(await group.served(tagged("other"))).toBe(429);
  });

  test("is told by metrics and settings", async () => {
    const group = await open();
    await spend(group, 1);
    const metrics = await (await group.app.call("/metrics", { key: MASTER_KEY })).text();
    expect(metrics).toContain('turnpike_upstream_budget_usd{of="tag",name="shop"} 0.2\n');
    expect(metrics).toContain('turnpike_upstream_budget_spent_usd{of="tag",name="shop"} 0.1\n');
    const { settings } = (await group.admin("GET", "/api/admin/settings")).body as {
      settings: Record<string, { value: unknown }>;
    };
    expect(settings["router_settings.tag_budget_config"]?.value).toEqual({
      shop: { budget_limit: 0.2, time_period: "1d" },
    });
  });

  test("without it the books are asked nothing", async () => {
    const group = await open({});
    const asked = spyOn(group.app.storage.usage, "providerCosts");
    await spend(group, 3);
    await group.app.service.renewBudgets();
    expect(asked).not.toHaveBeenCalled();
  });
});

for (const { kind, missing } of DATABASES) {
  describe.skipIf(missing)(`the budget of a tag over ${kind}`, () => {
    test("that a reload brings knows with the first call what was spent before it", async () => {
      using database = await freshDatabase(kind);
      const group = await open({}, database.settings.databaseUrl);
      await spend(group, 2);
      await spend(group, 1, tagged("other"));
      await group.app.service.flush();
      group.reload(DAILY);
      expect(await group.served(tagged("shop"))).toBe(429);
      expect(await budgets(group)).toMatchObject({ tags: { shop: { spend: 0.2 } } });
    });

    test("counts a call once, however often and in whatever way the tag is written that the log has", async () => {
      using database = await freshDatabase(kind);
      const group = await open(DAILY, database.settings.databaseUrl);
      await spend(group, 1, tagged("shop\0", "sh\0op", "shop", "\0"));
      await group.app.service.flush();
      group.reload({});
      expect(await group.served()).toBe("a");
      group.reload(DAILY);
      await spend(group, 1, tagged("shop\0"));
      expect(await budgets(group)).toMatchObject({ tags: { shop: { spend: 0.2 } } });
      expect(await group.served(tagged("shop\0"))).toBe(429);
    });

    test("knows of calls that have left the log", async () => {
      using database = await freshDatabase(kind);
      const monthly = budgetOf("30d", "shop", "other");
      const group = await open(monthly, database.settings.databaseUrl, { usage_retention_days: 1 });
      await spend(group, 1, tagged("shop", "other"));
      await group.app.service.flush();
      group.clock.step(2 * DAY_MS);
      await spend(group, 1);
      await group.app.service.flush();
      await group.app.service.tidy();
      await group.app.service.tidy();
      expect(await group.app.storage.usage.count({})).toBe(1);
      // What this process knew is forgotten, and read again.
      group.reload({});
      expect(await group.served()).toBe("a");
      group.reload(monthly);
      await group.app.service.renewBudgets();
      expect(await group.served(tagged("shop"))).toBe(429);
      expect(await budgets(group)).toMatchObject({ tags: { shop: { spend: 0.2 }, other: { spend: 0.1 } } });
    });
  });
}

for (const { kind, missing } of DATABASES.filter((one) => one.kind === "postgres")) {
  describe.skipIf(missing)(`processes over ${kind}`, () => {
    test("what is spent is spent after a restart, and known to the others after their next look", async () => {
      using database = await freshDatabase(kind);
      const url = database.settings.databaseUrl;
      const [one, other] = [await open(DAILY, url), await open(DAILY, url)];
      await spend(one, 2);
      await one.app.service.flush();
      const after = await open(DAILY, url);
      expect(await after.served(tagged("shop"))).toBe(429);
      other.clock.step(60_000);
      await other.app.service.renewBudgets();
      expect(await other.served(tagged("shop"))).toBe(429);
    });

    test("a deployment's budget is known after a restart, also of calls that have left the log", async () => {
      using database = await freshDatabase(kind);
      const url = database.settings.databaseUrl;
      const entries = { a: { ...ONE.a, params: { ...ONE.a.params, max_budget: 0.2, budget_duration: "30d" } } };
      const group = await open({}, url, { usage_retention_days: 1 }, entries);
      await spend(group, 2, {});
      await group.app.service.flush();
      group.clock.step(2 * DAY_MS);
      await group.app.service.tidy();
      expect(await group.app.storage.usage.count({})).toBe(0);
      const after = await open({}, url, { usage_retention_days: 1 }, entries);
      after.clock.step(2 * DAY_MS);
      expect(await after.served()).toBe(429);
    });
  });
}
