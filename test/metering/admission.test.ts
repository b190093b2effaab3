import { afterAll, beforeEach, describe, expect, test } from "bun:test";
import { systemClock } from "../../src/lib/clock.ts";
import { MASTER_KEY, startApp } from "../app.ts";
import { restrictedKey } from "../models/restricted-key.ts";
import { MemoryBooks } from "./memory-books.ts";

const books = new MemoryBooks();
const app = await startApp(
  `
model_list:
  - model_name: anything/*
    litellm_params: { model: openai_like/*, api_base: "https://llm.example.com/v1" }
  - model_name: unpriced
    litellm_params: { model: hosted_vllm/own, api_base: "http://127.0.0.1:1/v1" }
    model_info: { base_model: openai_like/own }
  - model_name: half-priced
    litellm_params: { model: hosted_vllm/own, api_base: "http://127.0.0.1:1/v1" }
    model_info: { input_cost_per_token: 0.000001 }
  - model_name: gift
    litellm_params: { model: echo/chat }
    model_info: { free: true, input_cost_per_token: 1, output_cost_per_token: 1 }
  - model_name: dear
    litellm_params: { model: echo/chat }
    model_info: { input_cost_per_token: 0.001, output_cost_per_token: 0.002, markup_percent: "12.5" }
  - model_name: short
    litellm_params: { model: echo/chat, max_tokens: 10 }
    model_info: { input_cost_per_token: 0, output_cost_per_token: 0.000001 }
general_settings: { markup_percent: 10, max_output_estimate: 2000 }
`,
  null,
  systemClock,
  { ledger: books },
);
afterAll(() => app.close());
const demo = app.first.demoKey ?? "";
beforeEach(() => {
  books.credit = 10n ** 12n;
  books.full = false;
});

const post = (model: string, key = demo, fields: object = {}) =>
  app.call("/v1/chat/completions", {
    key,
    json: { model, messages: [{ role: "user", content: "hello there" }], ...fields },
  });

describe("a call", () => {
  test("holds its estimate against the organization's wallet, and is in the journal before it is sent", async () => {
    await app.call("/key/update", { key: MASTER_KEY, json: { key: demo, tags: ["of the key", "a"] } });
    const response = await post("echo", demo, { max_tokens: 50, n: 2, user: "somebody", metadata: { tags: ["a"] } });
    expect(response.status).toBe(200);
    const record = await books.last();
    const [hold, opened] = [books.held.at(-1), books.opened.at(-1)];
    expect(hold?.creditSources).toEqual([
      { id: `wallet:${record.organizationId}`, organizationId: record.organizationId ?? "", limit: null },
    ]);
    // Two choices of fifty tokens, the prompt's bytes by three, and ten percent on top.
    expect(hold?.amount).toBeGreaterThan((100n * 400n * 110n) / 100n);
    expect(hold?.amount).toBeLessThan(100_000n);
    expect(opened).toMatchObject({ creditSources: hold?.creditSources.map(({ id }) => id) });
    expect(opened?.record).toMatchObject({
      id: record.id,
      keyId: record.keyId,
      status: "aborted",
      estimated: true,
      model: "echo",
    });
    expect(opened?.inputCost).toBeGreaterThan(0n);
    expect(opened?.inputCost).toBeLessThan(record.cost);
    expect(record).toMatchObject({
      endUser: "somebody",
      tags: ["of the key", "a"],
      requestedModel: "echo",
      provider: "echo",
    });
    expect(books.ended.at(-1)?.creditSources).toEqual(hold?.creditSources.map(({ id }) => id));
  });

  test("without a limit holds no more than the configured answer", async () => {
    await (await post("dear")).text();
    const long = books.held.at(-1)?.amount ?? 0n;
    // 2,000 tokens at 0.002 USD, with the deployment's own mark-up of 12.5 %.
    const answer = (2_000n * 2_000_000n * 1_125n) / 1_000n;
    expect(long).toBeGreaterThanOrEqual(answer);
    expect(long).toBeLessThan(answer + 100_000_000n);
    await (await post("short")).text();
    expect(books.held.at(-1)?.amount).toBe((10n * 1_000n * 110n) / 100n);
  });

  test("is charged with the mark-up of its deployment, else with that of all", async () => {
    await (await post("dear")).text();
    const dear = await books.last();
    expect(dear.cost).toBe((dear.providerCost * 1_125n) / 1_000n);
    await (await post("echo")).text();
    const echo = await books.last();
    expect(echo.cost).toBe((echo.providerCost * 110n + 99n) / 100n);
  });

  test("of the master key is charged to nobody, and has its row", async () => {
    const before = books.held.length;
    expect((await post("unpriced", MASTER_KEY)).status).toBe(503);
    expect((await post("echo", MASTER_KEY)).status).toBe(200);
    expect(books.held.length).toBe(before);
    expect(await books.last()).toMatchObject({ organizationId: null, keyId: "master", status: "succeeded" });
    expect(books.ended.at(-1)?.creditSources).toEqual([]);
  });

  test.each([
    ["unpriced", "input_cost_per_token"],
    ["half-priced", "output_cost_per_token"],
    ["anything/unheard-of", "an entry of its own"],
  ])("of a model without a price is refused, with what to do about it: %s", async (model, field) => {
    const opened = books.opened.length;
    const response = await post(model);
    expect(response.status).toBe(400);
    const { error } = (await response.json()) as { error: { code: string; message: string } };
    expect(error.code).toBe("price_unknown");
    expect(error.message).toContain(`\`${model}\``);
    expect(error.message).toContain(field);
    expect(error.message).toContain("free: true");
    expect(books.opened.length).toBe(opened);
    expect(books.ended.at(-1)?.record).toMatchObject({
      status: "rejected",
      statusCode: 400,
      errorCode: "price_unknown",
      requestedModel: model,
      cost: 0n,
    });
  });

  test("without credit is refused and not sent, but for a model that is free", async () => {
    books.credit = 0n;
    const response = await post("echo");
    expect(response.status).toBe(429);
    expect(response.headers.get("x-should-retry")).toBe("false");
    expect(await response.json()).toMatchObject({ error: { code: "insufficient_quota", name: "RateLimitError" } });
    expect(books.ended.at(-1)?.record).toMatchObject({ status: "rejected", errorCode: "insufficient_quota" });
    const free = await post("gift");
    expect(free.status).toBe(200);
    expect(free.headers.get("x-gw-response-cost")).toBe("0");
    expect(await books.last()).toMatchObject({ model: "gift", cost: 0n, priceVersion: null, status: "succeeded" });
  });

  test("beyond a budget is refused; the pot is the budget's present window", async () => {
    const { id, key } = await restrictedKey(app, []);
    await app.storage.accounts.keys.update(id, { budget: 1n, budgetWindow: "month" });
    const response = await post("echo", key);
    expect(response.status).toBe(429);
    expect(response.headers.get("x-should-retry")).toBe("false");
    expect(await response.json()).toMatchObject({ error: { code: "budget_exceeded" } });
    const now = new Date();
    const month = Date.UTC(now.getUTCFullYear(), now.getUTCMonth(), 1);
    expect(books.held.at(-1)?.creditSources.map((pot) => pot.id.split(":")[0])).toEqual(["wallet", "budget"]);
    expect(books.held.at(-1)?.creditSources[1]).toMatchObject({ id: `budget:key:${id}:${month}`, limit: 1n });
  });

  test("that cannot be written down is 503, and what was held for it comes back", async () => {
    books.full = true;
    const closed = books.closed.length;
    const response = await post("echo");
    expect(response.status).toBe(503);
    expect(books.closed.slice(closed)).toEqual([null]);
  });

  test("of an invoiced organization holds nothing of a wallet", async () => {
    const { organizationId } = books.opened.findLast(({ record }) => record.organizationId !== null)?.record ?? {};
    await app.storage.accounts.organizations.update(organizationId ?? "", { billing: "invoiced" });
    const { key } = await restrictedKey(app, ["echo"]);
    const before = books.held.length;
    books.credit = 0n;
    expect((await post("echo", key)).status).toBe(200);
    expect(books.held.length).toBe(before);
    const record = await books.last();
    expect(record).toMatchObject({ organizationId, status: "succeeded" });
    expect(record.cost).toBeGreaterThan(0n);
    await app.storage.accounts.organizations.update(organizationId ?? "", { billing: "prepaid" });
  });
});
