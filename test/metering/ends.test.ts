import { describe, expect, test } from "bun:test";
import { costOf } from "../../src/catalog/cost.ts";
import { readPriceSheet } from "../../src/catalog/price-sheet.ts";
import { restrictedKey } from "../models/restricted-key.ts";
import { startBooked } from "./booked-app.ts";

/** How often the upstream was asked. */
let requests = 0;
/** A stream whose prompt says `held` does not end before this does. */
let held: Promise<void> = Promise.resolve();
/** Upstreams of OpenAI's form that leave things out: no usage, a service tier, a body that is none. */
const upstream = Bun.serve({
  port: 0,
  hostname: "127.0.0.1",
  development: false,
  async fetch(request) {
    requests++;
    const body = (await request.json()) as { stream?: boolean; messages: { content: string }[] };
    const said = body.messages[0]?.content ?? "";
    const head = { id: "chatcmpl-424", object: "chat.completion", created: 1, model: "m", service_tier: "priority" };
    const usage = said.includes("counted") ? { prompt_tokens: 10, completion_tokens: 4, total_tokens: 14 } : undefined;
    if (said.includes("page")) return new Response("<html>", { headers: { "content-type": "application/json" } });
    if (body.stream !== true) {
      const choices = [
        { index: 0, message: { role: "assistant", content: "one two three four" }, finish_reason: "stop" },
      ];
      return Response.json({ ...head, choices, usage });
    }
    const chunk = (delta: object, more: object = {}) =>
      `data: ${JSON.stringify({ ...head, object: "chat.completion.chunk", choices: [{ index: 0, delta, finish_reason: null }], ...more })}\n\n`;
    const frames = ["one", " two", " three", " four"].map((content) => chunk({ content }));
    const end = usage ? [chunk({}, { choices: [], usage })] : [];
    async function* pieces() {
      yield frames.join("");
      if (said.includes("held")) await held;
      yield [...end, "data: [DONE]\n\n"].join("");
    }
    return new Response(pieces(), { headers: { "content-type": "text/event-stream" } });
  },
});
const { app, books } = await startBooked(
  {
    model_list: [
      {
        model_name: "slow",
        litellm_params: { model: "echo/chat" },
        model_info: { input_cost_per_token: "0.000001", output_cost_per_token: "0.000002" },
      },
      {
        model_name: "silent",
        litellm_params: { model: "hosted_vllm/m", api_base: `http://127.0.0.1:${upstream.port}/v1` },
        model_info: {
          input_cost_per_token: "0.000001",
          output_cost_per_token: "0.000002",
          input_cost_per_token_priority: "0.00001",
          output_cost_per_token_priority: "0.00002",
        },
      },
    ],
  },
  upstream,
);
const key = app.first.demoKey ?? "";
const post = (model: string, content: string, fields: object = {}, signal?: AbortSignal) =>
  app.call("/v1/chat/completions", {
    key,
    json: { model, messages: [{ role: "user", content }], ...fields },
    ...(signal ? { signal } : {}),
  });
const until = async (isSo: () => boolean): Promise<void> => {
  while (!isSo()) await Bun.sleep(1);
};

describe("an answer without a count", () => {
  test("is counted here, the same streamed or not, and marked", async () => {
    await (await post("silent", "hello there")).text();
    const plain = await books.last();
    await (await post("silent", "hello there", { stream: true })).text();
    const streamed = await books.last();
    // Four words are four tokens; the prompt's two have the form of a conversation around them.
    expect(plain).toMatchObject({ status: "succeeded", estimated: true, completionTokens: 4, promptTokens: 9 });
    expect(streamed).toMatchObject({ status: "succeeded", estimated: true, completionTokens: 4, promptTokens: 9 });
    expect(streamed.cost).toBeGreaterThan(0n);
  });

  test("has the price of the service tier that the upstream says it gave, and keeps its name of the answer", async () => {
    for (const stream of [false, true]) {
      await (await post("silent", "counted", { stream })).text();
      expect(await books.last()).toMatchObject({
        cost: 10n * 10_000n + 4n * 20_000n,
        estimated: false,
        upstreamId: "chatcmpl-424",
      });
    }
  });
});

describe("the end of an answer", () => {
  test("leaves only once the call is in the journal", async () => {
    for (const stream of [false, true]) {
      const gate = Promise.withResolvers<void>();
      books.gate = gate.promise;
      const [ended, begun] = [books.ended.length, books.ending];
      let whole = false;
      const answer = post("silent", "counted", { stream }).then(async (response) => {
        const text = await response.text();
        whole = true;
        return text;
      });
      await until(() => books.ending > begun);
      expect([whole, books.ended.length]).toEqual([false, ended]);
      gate.resolve();
      expect(await answer).toContain(stream ? "[DONE]" : "one two three four");
      expect(books.ended.length).toBe(ended + 1);
    }
  });

  test("a malformed one is free", async () => {
    for (const stream of [false, true]) {
      expect((await post("silent", "a page", { stream })).status).toBe(502);
      expect(await books.last()).toMatchObject({ status: "failed", cost: 0n, errorCode: "upstream_error" });
    }
  });

  test.each(["html", "half_json", "empty"])("%s in place of an answer is free", async (malformed) => {
    expect((await post("echo", "hello", { echo_fault: { malformed } })).status).toBe(502);
    expect(await books.last()).toMatchObject({ status: "failed", cost: 0n });
    expect(books.closed.at(-1)).toBeNull();
  });
});

describe("a caller that leaves", () => {
  test("in the middle of a stream is charged for the prompt and for what was delivered", async () => {
    const response = await post("echo", "one two three four five six seven eight nine ten", {
      stream: true,
      echo_fault: { token_delay_ms: 20 },
    });
    const reader = response.body?.getReader();
    for (let frames = 0; frames < 4; frames++) await reader?.read();
    await reader?.cancel();
    const record = await books.last();
    expect(record).toMatchObject({ status: "cancelled", statusCode: 499, estimated: true, errorCode: "client_left" });
    expect(record.promptTokens).toBeGreaterThan(5);
    expect(record.completionTokens).toBeGreaterThan(0);
    expect(record.completionTokens).toBeLessThan(10);
    expect(books.closed.at(-1)).toBe(record.cost);
  });

  test("before a plain answer is charged for the prompt alone", async () => {
    const client = new AbortController();
    const opened = books.opened.length;
    const answer = post("echo", "hello there", { echo_fault: { delay_ms: 60_000 } }, client.signal);
    await until(() => books.opened.length > opened);
    client.abort();
    await answer;
    const record = await books.last();
    expect(record).toMatchObject({ status: "cancelled", completionTokens: 0, estimated: true });
    expect(record.cost).toBe(books.opened.at(-1)?.inputCost ?? 0n);
  });

  test("before anything was sent pays nothing", async () => {
    const asked = requests;
    await post("silent", "counted", {}, AbortSignal.abort()).catch(() => undefined);
    expect(await books.last()).toMatchObject({ status: "cancelled", cost: 0n, promptTokens: 0, attempts: [] });
    expect(books.closed.at(-1)).toBeNull();
    expect(requests).toBe(asked);
  });

  test("after the last frame has paid already, and pays once", async () => {
    const ended = books.ended.length;
    const response = await post("silent", "counted", { stream: true });
    const reader = response.body?.getReader();
    await reader?.read();
    await reader?.cancel();
    expect(await books.last()).toMatchObject({ status: "succeeded", cost: 180_000n });
    expect(books.ended.length).toBe(ended + 1);
  });
});

test("an answer that nobody reads ends with its time limit", async () => {
  await post("slow", "hello", { stream: true, timeout: 0.2, echo_fault: { token_delay_ms: 50 } });
  expect(await books.last()).toMatchObject({ status: "partial", errorCode: "timeout", model: "slow" });
});

describe("an upstream that breaks", () => {
  test.each(["cut_after", "error_after"])("in mid-stream (%s) is charged for what was delivered", async (fault) => {
    const response = await post("echo", "one two three four five", { stream: true, echo_fault: { [fault]: 3 } });
    const text = await response.text();
    expect(text).not.toContain("[DONE]");
    const record = await books.last();
    expect(record).toMatchObject({ status: "partial", statusCode: 200, estimated: true });
    expect(record.completionTokens).toBeGreaterThan(0);
    expect(record.cost).toBeGreaterThan(0n);
  });

  test("before the first byte is free", async () => {
    for (const stream of [false, true]) {
      const response = await post("echo", "hello", { stream, echo_fault: { status: 500 } });
      expect(response.status).toBeGreaterThanOrEqual(500);
      expect(await books.last()).toMatchObject({ status: "failed", cost: 0n, stream });
    }
  });
});

test("a long stream tells the journal how far it is", async () => {
  const response = await post("echo", "one two three four five six seven", {
    stream: true,
    echo_fault: { token_delay_ms: 200 },
  });
  await response.text();
  const record = await books.last();
  const told = books.progressed.filter(({ id }) => id === record.id);
  expect(told.length).toBeGreaterThan(0);
  for (const { cost } of told) expect(cost).toBeGreaterThan(0n);
});

test("the price sheet of a call is kept while it runs, so that its row can be recomputed if it never ends", async () => {
  const { key: own } = await restrictedKey(app, []);
  const ending = Promise.withResolvers<void>();
  held = ending.promise;
  const messages = [{ role: "user", content: "held" }];
  const json = { model: "silent", messages, service_tier: "flex", stream: true };
  const response = await app.call("/v1/chat/completions", { key: own, json });
  const { record } = books.opened.at(-1) ?? {};
  if (!record?.priceVersion) throw new Error("the call has no price");
  let prices = await app.storage.usage.findPrices(record.priceVersion);
  while (!prices) prices = await app.storage.usage.findPrices(record.priceVersion);
  const sheet = readPriceSheet(prices.prices);
  expect(sheet && costOf(sheet, record).cost).toBe(record.cost);
  expect(books.ended.at(-1)?.record.id).not.toBe(record.id);
  ending.resolve();
  await response.text();
});

test("requests and answers are kept only for organizations that want it, with the price sheet of every charge", async () => {
  await (await post("silent", "counted")).text();
  const before = await books.last();
  expect(await app.storage.usage.findContents(before.id)).toBeNull();
  await app.storage.accounts.organizations.update(before.organizationId ?? "", { storePrompts: true });
  const { key: other } = await restrictedKey(app, []);
  for (const stream of [false, true]) {
    const json = { model: "silent", messages: [{ role: "user", content: "counted" }], stream };
    await (await app.call("/v1/chat/completions", { key: other, json })).text();
    const record = await books.last();
    let kept = await app.storage.usage.findContents(record.id);
    while (!kept) kept = await app.storage.usage.findContents(record.id);
    expect(JSON.parse(kept.request ?? "")).toMatchObject({ messages: [{ content: "counted" }] });
    expect(kept.response).toContain("one two three four");
    const prices = await app.storage.usage.findPrices(record.priceVersion ?? "");
    const sheet = prices && readPriceSheet(prices.prices);
    expect(sheet && costOf(sheet, record).cost).toBe(record.cost);
  }
});
