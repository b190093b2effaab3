import { describe, expect, test } from "bun:test";
import { loadText } from "./load-text.ts";

const WRONG_DURATION = "must be a number and a unit (s, m, h, d, w, mo), e.g. 30s, 12h, 1d, 7d, 30d or 1mo";

function faultsOf(text: string) {
  const loaded = loadText(text);
  return loaded.ok ? [] : loaded.faults.map(({ line, path, message }) => [line, path, message]);
}

describe("budgets of tags", () => {
  test("are read from either section and by either name", () => {
    const tagsOf = (text: string) => {
      const loaded = loadText(text);
      expect(loaded.warnings).toEqual([]);
      return loaded.ok ? loaded.config.router.tagBudgets : loaded.faults;
    };
    const shop = { "product:shop": { limit: 10_000_000_000n, period: "1d", window: "day" } } as const;
    const written = "{tag_budget_config: {product:shop: {max_budget: 10, budget_duration: 1d}}}";
    expect(tagsOf(`litellm_settings: ${written}\n`)).toEqual(shop);
    expect(tagsOf(`gateway_settings: ${written}\n`)).toEqual(shop);
    expect(tagsOf(`router_settings: ${written}\n`)).toEqual(shop);
    expect(tagsOf("")).toEqual({});
  });

  test("of both sections are those of the router, and it is said that the others have no effect", () => {
    const written = "{tag_budget_config: {product:shop: {max_budget: 10, budget_duration: 1d}}}";
    const other = "{tag_budget_config: {a: {budget_limit: 0.5, time_period: 1mo}}}";
    const loaded = loadText(`litellm_settings: ${written}\nrouter_settings: ${other}\n`);
    expect(loaded.ok && loaded.config.router.tagBudgets).toEqual({
      a: { limit: 500_000_000n, period: "1mo", window: "month" },
    });
    expect(loaded.warnings).toMatchObject([
      {
        line: 1,
        path: "litellm_settings.tag_budget_config",
        message: "has no effect: `router_settings.tag_budget_config` is set too and holds instead of it",
        protects: true,
      },
    ]);
  });

  test("that are wrong are faults, each with its place", () => {
    const path = "litellm_settings.tag_budget_config";
    const long = "x".repeat(257);
    expect(
      faultsOf(`litellm_settings:
  tag_budget_config:
    a: {max_budget: 1, budget_duration: 10y}
    b: {max_budget: 1}
    c: {budget_duration: 1d}
    d: {max_budget: 1, budget_limit: 1, budget_duration: 1d}
    ${long}: {max_budget: 1, budget_duration: 1d}
    "a\\0": {max_budget: 1, budget_duration: 1d}
    e:
`),
    ).toEqual([
      [3, `${path}.a.budget_duration`, WRONG_DURATION],
      [4, `${path}.b`, expect.stringContaining("`budget_duration` is missing")],
      [5, `${path}.c`, expect.stringContaining("`max_budget` is missing")],
      [6, `${path}.d.budget_limit`, "means the same as `max_budget`; keep one of them"],
      [7, expect.stringContaining(path), "a tag has 1 to 256 characters, none of them zero"],
      [8, expect.stringContaining(path), "a tag has 1 to 256 characters, none of them zero"],
      [9, `${path}.e`, expect.stringContaining("`max_budget` is missing")],
      [9, `${path}.e`, expect.stringContaining("`budget_duration` is missing")],
    ]);
  });
});

describe("budgets of providers", () => {
  test("take any length of time as a period", () => {
    const loaded = loadText(`router_settings:
  provider_budget_config:
    openai: {budget_limit: 1, time_period: 12h}
    azure: {budget_limit: 1, time_period: 2w}
    anthropic: {budget_limit: 1, time_period: 3mo}
`);
    expect(loaded.warnings).toEqual([]);
    expect(loaded.ok && loaded.config.router.providerBudgets).toMatchObject({
      openai: { window: "12h" },
      azure: { window: "2w" },
      anthropic: { window: "3mo" },
    });
  });

  test("are read with every spelling of a period", () => {
    const loaded = loadText(`router_settings:
  optional_pre_call_checks: [router_budget_limiting]
  provider_budget_config:
    openai: {budget_limit: 100, time_period: 1d}
    azure: {budget_limit: "0.07", time_period: 1mo}
    vertex_ai: {budget_limit: 0.000000000001, time_period: 24h}
    anthropic: {budget_limit: 0, time_period: 7d}
`);
    expect(loaded.warnings).toEqual([]);
    expect(loaded.ok && loaded.config.router.providerBudgets).toEqual({
      openai: { limit: 100_000_000_000n, period: "1d", window: "day" },
      azure: { limit: 70_000_000n, period: "1mo", window: "month" },
      vertex_ai: { limit: 1n, period: "24h", window: "day" },
      anthropic: { limit: 0n, period: "7d", window: "week" },
    });
  });

  test("that are wrong are faults, each with its place", () => {
    const faults = faultsOf(`router_settings:
  provider_budget_config:
    opnai: {budget_limit: 1, time_period: 1d}
    azure: {budget_limit: -1, time_period: 2y}
    anthropic: {budget_limit: 1}
    gemini: {time_period: 1h}
    groq: 5
    mistral: {budget_limit: 9000000, time_period: 1h, budget: 3}
`);
    const path = "router_settings.provider_budget_config";
    expect(faults).toEqual([
      [3, `${path}.opnai`, "unknown provider `opnai`; did you mean `openai`?"],
      [4, `${path}.azure.budget_limit`, "expected a number from 0 to 8000000"],
      [4, `${path}.azure.time_period`, WRONG_DURATION],
      [5, `${path}.anthropic`, expect.stringContaining("`time_period` is missing")],
      [6, `${path}.gemini`, expect.stringContaining("`budget_limit` is missing")],
      [7, `${path}.groq`, expect.stringContaining("expected a map of keys")],
      [8, `${path}.mistral.budget_limit`, "expected a number from 0 to 8000000"],
      [8, `${path}.mistral.budget`, expect.stringContaining("unknown key `budget`")],
    ]);
    expect(faultsOf("router_settings: {provider_budget_config: [openai]}\n")).toHaveLength(1);
  });
});

describe("the budget of a deployment", () => {
  const entry = (params: string) => `model_list:
  - model_name: m
    litellm_params:
      model: echo/chat
${params.replace(/^/gm, "      ")}
`;

  test("is read, and is no default of its calls", () => {
    const loaded = loadText(entry("max_budget: 2.5\nbudget_duration: 1d"));
    expect(loaded.warnings).toEqual([]);
    expect(loaded.ok && loaded.config.deployments[0]?.params).toEqual({ max_budget: 2.5, budget_duration: "1d" });
  });

  test("that is wrong is a fault at its place", () => {
    const path = "model_list[0].litellm_params";
    expect(faultsOf(entry("max_budget: much\nbudget_duration: 2y"))).toEqual([
      [5, `${path}.max_budget`, expect.stringContaining("expected a number")],
      [6, `${path}.budget_duration`, WRONG_DURATION],
    ]);
    expect(faultsOf(entry("max_budget: 8000001\nbudget_duration: 30d"))).toEqual([
      [5, `${path}.max_budget`, "expected a number from 0 to 8000000"],
    ]);
  });

  test("half of it has no effect, and that is said: first where somebody counts on it", () => {
    const first = loadText(entry("max_budget: 1")).warnings;
    expect(first).toMatchObject([{ line: 5, path: "model_list[0].litellm_params.max_budget", protects: true }]);
    expect(first[0]?.message).toContain("no effect without `budget_duration`");
    const second = loadText(entry("budget_duration: 1h")).warnings;
    expect(second.map(({ line, message }) => [line, message])).toEqual([[5, "it has no effect without `max_budget`"]]);
  });
});

describe("the budget of each end user", () => {
  const budgetOf = (text: string) => {
    const loaded = loadText(text);
    return loaded.ok ? loaded.config.limits.endUserBudget : loaded.faults;
  };

  test("stands beside the limits, or under the name that it has elsewhere", () => {
    const limits = (written: string) => `general_settings: {end_user_limits: {${written}}}\n`;
    const five = (budgetWindow: string) => ({ budget: 5_000_000_000n, budgetWindow }) as never;
    expect(budgetOf("")).toBeNull();
    expect(budgetOf(limits("rpm: 3"))).toBeNull();
    expect(budgetOf(limits("max_budget: 5"))).toEqual(five("total"));
    expect(budgetOf(limits("max_budget: 5, budget_duration: 30d"))).toEqual(five("month"));
    expect(budgetOf("litellm_settings: {max_end_user_budget: 5}\n")).toEqual(five("total"));
    const both = `litellm_settings: {max_end_user_budget: 7}\n${limits("max_budget: 5, budget_duration: 1d")}`;
    expect(budgetOf(both)).toEqual(five("day"));
    const loaded = loadText(limits("max_budget: 5"));
    expect(loaded.ok && loaded.config.limits.endUser).toBeNull();
  });

  test("that is wrong is a fault with its place", () => {
    const path = "general_settings.end_user_limits";
    const faults = (written: string) => faultsOf(`general_settings:\n  end_user_limits: ${written}\n`);
    expect(faults("{budget_duration: 10y, max_budget: -1}")).toEqual([
      [2, `${path}.budget_duration`, WRONG_DURATION],
      [2, `${path}.max_budget`, expect.stringContaining("a number from 0")],
    ]);
    expect(faults("{budget_duration: 1d}")).toEqual([
      [2, `${path}.budget_duration`, expect.stringContaining("needs `max_budget`")],
    ]);
  });
});
