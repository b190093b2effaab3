import { afterAll, beforeEach, describe, expect, test } from "bun:test";
import { systemClock } from "../../src/lib/clock.ts";
import { startApp } from "../app.ts";
import { MemoryBooks } from "../metering/memory-books.ts";
import { Moody, status, WELL } from "../upstreams/moody.ts";
import { Opening, saying } from "../upstreams/opening.ts";

const [first, second] = [new Moody("first"), new Moody("second")];
/** Says what Unicode ends lines with, and JSON does not. */
const odd = new Moody("odd\u2028data: {\u2029");
/** Says what a test has it say, and breaks off. */
const opening = new Opening();
const entry = (group: string, upstream: { readonly address: string }, price: string) => ({
  model_name: group,
  litellm_params: { model: "hosted_vllm/m", api_base: upstream.address },
  model_info: { id: `${group}-1`, input_cost_per_token: price, output_cost_per_token: price },
});
const yaml = (on: boolean) =>
  JSON.stringify({
    model_list: [
      entry("main", first, "0.000001"),
      entry("spare", second, "0.00001"),
      entry("odd", odd, "0.000001"),
      entry("opening", opening, "0.000001"),
    ],
    router_settings: {
      num_retries: 0,
      fallbacks: [{ main: ["spare"] }, { odd: ["spare"] }, { opening: ["spare"] }],
      enable_mid_stream_fallbacks: on,
    },
  });
const books = new MemoryBooks();
const app = await startApp(yaml(true), null, systemClock, { ledger: books });
const plain = await startApp(yaml(false));
afterAll(async () => {
  await Promise.all([app.close(), plain.close(), first.stop(), second.stop(), odd.stop(), opening.stop()]);
});
beforeEach(() => {
  for (const upstream of [first, second]) Object.assign(upstream, { mood: WELL, calls: 0, served: 0 });
  opening.raw = null;
});

interface Chunk {
  readonly id?: string;
  readonly model?: string;
  readonly error?: { readonly code: string };
  readonly choices: { readonly delta: { readonly content?: string; readonly role?: string } }[];
  readonly gw_metadata?: object;
}

async function stream(from: typeof app, fields: object = {}): Promise<{ chunks: Chunk[]; done: boolean }> {
  const response = await from.call("/v1/chat/completions", {
    key: from.first.demoKey ?? "",
    json: { model: "main", stream: true, messages: [{ role: "user", content: "who?" }], ...fields },
  });
  const data = (await response.text())
    .split("\n\n")
    .filter((event) => event !== "")
    .map((event) => event.slice("data: ".length));
  const frames = data.filter((one) => one !== "[DONE]").map((one) => JSON.parse(one) as Chunk);
  return { chunks: frames, done: data.at(-1) === "[DONE]" };
}
const textOf = (chunks: Chunk[]) => chunks.map(({ choices }) => choices?.[0]?.delta.content ?? "").join("");

test("a chunk that is damaged passes as it does where nothing goes on elsewhere", async () => {
  const damaged =
    '{"id":"c","object":"chat.completion.chunk","model":"m","choices":[{"index":0,"delta":{"content":"I"}]}';
  opening.raw = `data: ${damaged}\n\ndata: [DONE]\n\n`;
  const texts = await Promise.all(
    [app, plain].map(async (from) =>
      (
        await from.call("/v1/chat/completions", {
          key: from.first.demoKey ?? "",
          json: { model: "opening", stream: true, messages: [{ role: "user", content: "who?" }] },
        })
      ).text(),
    ),
  );
  expect(texts[1]).toContain('"content":"I"}]}');
  expect(texts[0]).toBe(texts[1] ?? "");
  expect(texts[0]).not.toContain("upstream_error");
});

describe("a stream that breaks off after its first byte", () => {
  test("goes on elsewhere where that is switched on, and says so", async () => {
    first.mood = { kind: "cut", after: 2 };
    const { chunks, done } = await stream(app);
    expect(done).toBe(true);
    expect(textOf(chunks)).toBe("I amI am second");
    const notices = chunks.filter(({ gw_metadata }) => gw_metadata);
    expect(notices).toHaveLength(1);
    expect(notices[0]?.gw_metadata).toEqual({
      mid_stream_fallback: { from: "main", to: "spare", reason: "upstream_error" },
    });
    expect(new Set(chunks.map(({ id }) => id)).size).toBe(1);
    // The one that goes on sees what was said.
    expect(second.seen.messages).toMatchObject([
      { role: "user", content: "who?" },
      { role: "assistant", content: "I am" },
      { role: "user" },
    ]);
  });

  test("goes on after any text", async () => {
    odd.mood = { kind: "cut", after: 4 };
    const { chunks, done } = await stream(app, { model: "odd" });
    expect(done).toBe(true);
    expect(textOf(chunks)).toBe(`I am ${odd.name}I am second`);
    expect(second.seen.messages).toMatchObject([{}, { role: "assistant", content: `I am ${odd.name}` }, {}]);
  });

  test("goes on after a chunk that has no choices", async () => {
    opening.chunks = [saying({ content: "I" }), { queue_position: 3 }];
    const { chunks, done } = await stream(app, { model: "opening" });
    expect(done).toBe(true);
    expect(textOf(chunks)).toBe("II am second");
  });

  test("goes on at the group that stands in where its own has nobody else, however many retries there are", async () => {
    first.mood = { kind: "cut", after: 2 };
    const { chunks, done } = await stream(app, { num_retries: 2 });
    expect(done).toBe(true);
    expect(textOf(chunks)).toBe("I amI am second");
    expect(first.calls).toBe(1);
  });

  test("before its first word is asked for elsewhere as it was asked for at first", async () => {
    opening.chunks = [saying({ role: "assistant", content: "" })];
    const { chunks, done } = await stream(app, { model: "opening" });
    expect(done).toBe(true);
    expect(textOf(chunks)).toBe("I am second");
    expect(second.seen.messages).toEqual([{ role: "user", content: "who?" }]);
    expect(await books.last()).toMatchObject({ status: "succeeded", model: "spare", cost: 150_000n });
  });

  test("in the middle of a chunk goes on without that chunk", async () => {
    const chunk =
      '{"id":"c","object":"chat.completion.chunk","created":1,"model":"m","choices":[{"index":0,"delta":{"content":"I"}}]}';
    opening.raw = `data: ${chunk}\n\ndata: ${chunk.slice(0, -2)}`;
    const { chunks, done } = await stream(app, { model: "opening" });
    expect(done).toBe(true);
    expect(textOf(chunks)).toBe("II am second");
  });

  test("does not go on after more than text", async () => {
    const call = { index: 0, function: { name: "f", arguments: "{" } };
    opening.chunks = [saying({ content: "I" }), saying({ tool_calls: [call] })];
    const { done } = await stream(app, { model: "opening" });
    expect(done).toBe(false);
    expect(second.calls).toBe(0);
  });

  test("is charged for what the one that goes on has done, as its price is", async () => {
    first.mood = { kind: "cut", after: 1 };
    const ended = books.ended.length;
    await stream(app);
    const record = await books.last();
    expect(books.ended.length).toBe(ended + 1);
    expect(record).toMatchObject({ status: "succeeded", model: "spare", cost: 150_000n });
    expect(record.attempts.map(({ deploymentId, error }) => [deploymentId, error])).toEqual([
      ["main-1", "upstream_error"],
      ["spare-1", null],
    ]);
  });

  test("ends with an error frame when those who could go on fail too", async () => {
    first.mood = { kind: "cut", after: 2 };
    second.mood = { kind: "cut", after: 1 };
    const { chunks, done } = await stream(app);
    expect(done).toBe(false);
    expect(chunks.at(-1)?.error?.code).toBe("upstream_error");
    expect(await books.last()).toMatchObject({ status: "partial", model: "spare" });
  });

  test("has the price of the one that gave it where nobody could go on", async () => {
    first.mood = { kind: "cut", after: 2 };
    second.mood = status(500);
    const { chunks, done } = await stream(app);
    expect(done).toBe(false);
    expect(textOf(chunks)).toBe("I am");
    const record = await books.last();
    expect(record).toMatchObject({ status: "partial", model: "main", deploymentId: "main-1" });
    expect(record.cost).toBe(BigInt(record.promptTokens + record.completionTokens) * 1_000n);
    expect(record.attempts.map(({ deploymentId }) => deploymentId)).toEqual(["main-1", "spare-1"]);
    expect(books.closed.at(-1)).toBe(record.cost);
  });

  test("ends with an error frame where that is not switched on", async () => {
    first.mood = { kind: "cut", after: 2 };
    const { chunks, done } = await stream(plain);
    expect(done).toBe(false);
    expect(chunks.at(-1)?.error?.code).toBe("upstream_error");
    expect(second.calls).toBe(0);
  });

  test("does not go on where the request wants no fallbacks", async () => {
    first.mood = { kind: "cut", after: 2 };
    const { done } = await stream(app, { disable_fallbacks: true });
    expect(done).toBe(false);
    expect(second.calls).toBe(0);
  });
});
