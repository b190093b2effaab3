import { afterEach, describe, expect, spyOn, test } from "bun:test";
import { MASTER_KEY } from "../app.ts";
import { SteppedClock } from "../stepped-clock.ts";
import { DATABASES } from "../storage/databases.ts";
import { migratedUrl } from "../storage/migrated.ts";
import { status, WELL } from "../upstreams/moody.ts";
import { type Balanced, balance } from "./balanced.ts";

const opened: Balanced[] = [];
afterEach(async () => {
  for (const one of opened.splice(0)) await one.stop();
});
/** At noon of tomorrow: no window but the hour's ends while a test steps on. */
function atNoon(): SteppedClock {
  const clock = new SteppedClock();
  clock.set(midnightAfter(clock.nowMs()) + DAY_MS / 2 - clock.nowMs());
  return clock;
}
const open = async (
  entries: Parameters<typeof balance>[0],
  router: object,
  databaseUrl: string | null = null,
  general: object = {},
): Promise<Balanced> => {
  const made = await balance(entries, router, databaseUrl, general, atNoon());
  opened.push(made);
  return made;
};

const DAY_MS = 86_400_000;
/** A call has ten tokens in: at the provider it costs 0.10 USD. */
const INFO = { free: false, input_cost_per_token: 0.01, output_cost_per_token: 0 };
const at = (provider: string, params: object = {}) => ({
  params: { model: `${provider}/m`, api_key: "k", ...params },
  info: INFO,
});
/** All calls go to `a` as long as it takes them. */
const TWO = { a: at("openai", { weight: 1 }), b: at("hosted_vllm", { weight: 0 }) };
const daily = (...providers: string[]) => ({
  provider_budget_config: Object.fromEntries(providers.map((name) => [name, { budget_limit: 0.2, time_period: "1d" }])),
});
const midnightAfter = (ms: number): number => (Math.floor(ms / DAY_MS) + 1) * DAY_MS;

const served = async (group: Balanced, calls: number): Promise<(string | number)[]> => {
  const answers: (string | number)[] = [];
  for (let call = 0; call < calls; call++) answers.push(await group.served());
  return answers;
};
const states = async (group: Balanced) => {
  const { body } = await group.admin("GET", "/api/admin/deployments?group=g");
  return Object.fromEntries((body.data as { id: string; state: string }[]).map(({ id, state }) => [id, state]));
};
const budgets = async (group: Balanced) => (await group.admin("GET", "/provider/budgets")).body;

describe("the budget of a provider", () => {
  test("when it is spent, another provider answers until the period ends", async () => {
    // What customers pay is another matter.
    const group = await open(TWO, daily("openai"), null, { markup_percent: 100 });
    const resetsAt = new Date(midnightAfter(group.clock.nowMs())).toISOString();
    const told = (spend: number) => ({
      providers: { openai: { budget_limit: 0.2, time_period: "1d", spend, budget_reset_at: resetsAt } },
      tags: {},
    });
    expect(await budgets(group)).toEqual(told(0));
    expect(await group.served()).toBe("a");
    expect(await budgets(group)).toEqual(told(0.1));
    expect(await states(group)).toEqual({ a: "well", b: "well" });
    expect(await served(group, 3)).toEqual(["a", "b", "b"]);
    expect(await budgets(group)).toEqual(told(0.2));
    const [a, b] = (await group.admin("GET", "/api/admin/deployments?group=g")).body.data as object[];
    expect(a).toMatchObject({ state: "spent", spentUntil: resetsAt });
    expect(a).toMatchObject({
      budgets: [...[{ of: "provider", limit: 200_000_000, limitUsd: "0.2", spent: 200_000_000, spentUsd: "0.2" }]].map(
        (one) => ({ ...one, period: "1d", resetsAt }),
      ),
    });
    expect(b).toMatchObject({ state: "well", spentUntil: null, budgets: [] });

    group.clock.step(midnightAfter(group.clock.nowMs()) - group.clock.nowMs() - 1);
    expect(await group.served()).toBe("b");
    group.clock.step(1);
    expect(await states(group)).toEqual({ a: "well", b: "well" });
    expect(await served(group, 3)).toEqual(["a", "a", "b"]);
  });

  test("where all are spent, the call is 429 with when to come back, and in the log", async () => {
    const group = await open(TWO, daily("openai", "hosted_vllm"));
    expect(await served(group, 4)).toEqual(["a", "a", "b", "b"]);
    const response = await group.post();
    const seconds = Math.ceil((midnightAfter(group.clock.nowMs()) - group.clock.nowMs()) / 1000);
    expect([response.status, response.headers.get("retry-after")]).toEqual([429, String(seconds)]);
    expect(await response.json()).toMatchObject({
      error: {
        message:
          `No deployments available for selected model \`g\`, try again in ${seconds} seconds. ` +
          "What may be spent on it until then is spent.",
      },
    });
    // One by its id is no way round.
    expect(await group.served({ model: "a" })).toBe(429);
    await group.app.service.flush();
    const { body } = await group.admin("GET", "/api/admin/logs?status=rejected");
    expect(body.data).toMatchObject([{ requestedModel: "a" }, { requestedModel: "g", statusCode: 429, cost: 0 }]);
    expect([group.upstreams.a?.calls, group.upstreams.b?.calls]).toEqual([2, 2]);
  });

  test("groups that stand in take over", async () => {
    const group = await open(
      { a: at("openai"), spare: { ...at("hosted_vllm"), group: "spare" } },
      { ...daily("openai"), fallbacks: [{ g: ["spare"] }] },
    );
    expect(await served(group, 4)).toEqual(["a", "a", "spare", "spare"]);
  });

  test("a group that stands in is asked by each call, also after it has failed: nobody else had them", async () => {
    const group = await open(
      { a: at("openai"), spare: { ...at("hosted_vllm"), group: "spare" } },
      { ...daily("openai"), fallbacks: [{ g: ["spare"] }], num_retries: 0, disable_cooldowns: true },
    );
    expect(await served(group, 2)).toEqual(["a", "a"]);
    group.set(status(500), "spare");
    expect(await served(group, 20)).toEqual(Array.from({ length: 20 }, () => 429));
    expect(group.upstreams.spare?.calls).toBe(20);
    group.set(WELL, "spare");
    expect(await group.served()).toBe("spare");
  });

  test("a deployment whose provider is spent is no help to one that fails", async () => {
    const group = await open(TWO, { ...daily("openai"), num_retries: 1, disable_cooldowns: true });
    expect(await served(group, 2)).toEqual(["a", "a"]);
    group.set(status(400), "b");
    expect(await group.served()).toBe(400);
    group.set(status(500), "b");
    expect(await group.served()).toBe(502);
    expect(group.upstreams.a?.calls).toBe(2);
  });

  test("nothing may be spent where it is 0", async () => {
    const group = await open(TWO, {
      provider_budget_config: { openai: { budget_limit: 0, time_period: "1h" } },
    });
    expect(await served(group, 2)).toEqual(["b", "b"]);
    group.clock.step(DAY_MS);
    expect(await group.served()).toBe("b");
  });

  test("is told by metrics and settings", async () => {
    const group = await open(TWO, daily("openai"));
    await group.served();
    const metrics = await (await group.app.call("/metrics", { key: MASTER_KEY })).text();
    expect(metrics).toContain('turnpike_upstream_budget_usd{of="provider",name="openai"} 0.2\n');
    expect(metrics).toContain('turnpike_upstream_budget_spent_usd{of="provider",name="openai"} 0.1\n');
    const { settings } = (await group.admin("GET", "/api/admin/settings")).body as {
      settings: Record<string, { value: unknown }>;
    };
    expect(settings["router_settings.provider_budget_config"]?.value).toEqual({
      openai: { budget_limit: 0.2, time_period: "1d" },
    });
  });

  test("that a reload brings knows with the first call what was spent before it", async () => {
    const group = await open(TWO, {});
    expect(await served(group, 2)).toEqual(["a", "a"]);
    await group.app.service.flush();
    group.reload(daily("openai"));
    expect(await group.served()).toBe("b");
    expect(await budgets(group)).toMatchObject({ providers: { openai: { spend: 0.2 } } });
  });

  test("that a reload brings holds no call up where the books cannot be read: it counts from then on", async () => {
    const group = await open(TWO, {});
    expect(await served(group, 2)).toEqual(["a", "a"]);
    await group.app.service.flush();
    const asked = spyOn(group.app.storage.usage, "providerCosts").mockRejectedValue(new Error("gone"));
    group.reload(daily("openai"));
    expect(await served(group, 3)).toEqual(["a", "a", "b"]);
    // Not once for each call.
    expect(asked).toHaveBeenCalledTimes(1);
  });

  test("what fails costs nothing of it", async () => {
    const group = await open({ a: at("openai") }, { ...daily("openai"), num_retries: 0 });
    group.set(status(500));
    for (let call = 0; call < 3; call++) expect(await group.served()).toBe(502);
    expect(await budgets(group)).toMatchObject({ providers: { openai: { spend: 0 } } });
  });
});

describe("the budget of a deployment", () => {
  test("when it is spent, the others of the group answer, also those of its provider", async () => {
    const group = await open(
      {
        a: at("openai", { weight: 1, max_budget: 0.1, budget_duration: "1h" }),
        b: at("openai", { weight: 0 }),
      },
      {},
    );
    expect(await served(group, 3)).toEqual(["a", "b", "b"]);
    expect(await states(group)).toEqual({ a: "spent", b: "well" });
    const [a] = (await group.admin("GET", "/api/admin/deployments?group=g")).body.data as object[];
    expect(a).toMatchObject({ budgets: [{ of: "deployment", limitUsd: "0.1", spentUsd: "0.1", period: "1h" }] });
    expect(await budgets(group)).toEqual({ providers: {}, tags: {} });
    group.clock.step(3_600_000);
    expect(await served(group, 2)).toEqual(["a", "b"]);
    // Neither is told to the provider.
    expect(Object.keys(group.upstreams.a?.seen ?? {})).not.toContain("max_budget");
    expect(Object.keys(group.upstreams.a?.seen ?? {})).not.toContain("budget_duration");
  });

  test("holds beside its provider's: either is enough", async () => {
    const own = { max_budget: 0.1, budget_duration: "30d" };
    const group = await open(
      { a: at("openai", { weight: 1, ...own }), b: at("openai", { weight: 0 }) },
      daily("openai"),
    );
    expect(await served(group, 3)).toEqual(["a", "b", 429]);
  });

  test("of a stored model holds from when it is made, and changes at once", async () => {
    const group = await open({ b: { ...at("hosted_vllm"), group: "other" } }, {});
    const address = group.upstreams.b?.address;
    const params = { model: "openai/m", api_key: "k", api_base: address, max_budget: 0.1, budget_duration: "1d" };
    const made = await group.admin("POST", "/model/new", {
      model_name: "g",
      litellm_params: params,
      model_info: { id: "kept", ...INFO },
    });
    expect(made.status).toBe(200);
    expect(await served(group, 2)).toEqual(["kept", 429]);
    const changed = { model_info: { id: "kept" }, litellm_params: { max_budget: 0.2 } };
    expect((await group.admin("POST", "/model/update", changed)).status).toBe(200);
    expect(await served(group, 2)).toEqual(["kept", 429]);
  });
});

test("without budgets nothing is asked of the books, and nothing is kept", async () => {
  const group = await open(TWO, {});
  const asked = spyOn(group.app.storage.usage, "providerCosts");
  expect(await served(group, 4)).toEqual(["a", "a", "a", "a"]);
  await group.app.service.renewBudgets();
  expect(asked).not.toHaveBeenCalled();
  expect(await budgets(group)).toEqual({ providers: {}, tags: {} });
  expect(await states(group)).toEqual({ a: "well", b: "well" });
});

for (const { kind, missing } of DATABASES.filter((one) => one.kind === "postgres")) {
  describe.skipIf(missing)(`over ${kind}`, () => {
    const entries = {
      a: at("openai", { weight: 1 }),
      b: at("hosted_vllm", { weight: 0, max_budget: 0.2, budget_duration: "1d" }),
    };

    test("what is spent is spent after a restart, until the period ends", async () => {
      const url = await migratedUrl(kind);
      const before = await open(entries, daily("openai"), url);
      expect(await served(before, 5)).toEqual(["a", "a", "b", "b", 429]);
      await before.app.service.flush();
      const after = await open(entries, daily("openai"), url);
      expect(await after.served()).toBe(429);
      expect(await budgets(after)).toMatchObject({ providers: { openai: { spend: 0.2 } } });
      after.clock.step(DAY_MS);
      expect(await after.served()).toBe("a");
    });

    test("what one process has spent, the other knows after its next look", async () => {
      const url = await migratedUrl(kind);
      const [one, other] = [await open(entries, daily("openai"), url), await open(entries, daily("openai"), url)];
      expect([await one.served(), await other.served()]).toEqual(["a", "a"]);
      await Promise.all([one.app.service.flush(), other.app.service.flush()]);
      for (const each of [one, other]) {
        each.clock.step(10_000);
        await each.app.service.renewBudgets();
        expect(await each.served()).toBe("b");
      }
      await Promise.all([one.app.service.flush(), other.app.service.flush()]);
      // The log is read less often than the sums are.
      one.clock.step(10_000);
      await one.app.service.renewBudgets();
      expect(await states(one)).toEqual({ a: "spent", b: "well" });
      one.clock.step(50_000);
      await one.app.service.renewBudgets();
      expect(await states(one)).toEqual({ a: "spent", b: "spent" });
    });
  });
}
