import { afterAll, describe, expect, test } from "bun:test";
import { systemClock } from "../../src/lib/clock.ts";
import { startApp } from "../app.ts";
import { MemoryBooks } from "../metering/memory-books.ts";
import { Moody } from "../upstreams/moody.ts";
import { Opening } from "../upstreams/opening.ts";

/** One whose connection breaks, and one that ends without a word. */
const [breaking, ending] = [new Moody("breaking"), new Opening()];
const entry = (group: string, upstream: { readonly address: string }) => ({
  model_name: group,
  litellm_params: { model: "hosted_vllm/m", api_base: upstream.address },
  model_info: { id: group, input_cost_per_token: "0.000001", output_cost_per_token: "0.000001" },
});
const config = (midStream: boolean) =>
  JSON.stringify({
    model_list: [entry("breaking", breaking), entry("ending", ending)],
    router_settings: { num_retries: 0, enable_mid_stream_fallbacks: midStream },
    litellm_settings: { cache: true },
    guardrails: [
      { guardrail_name: "words", litellm_params: { guardrail: "word_list", mode: "post_call", words: ["x"] } },
    ],
  });
const books = new MemoryBooks();
const app = await startApp(config(false), null, systemClock, { ledger: books });
const resuming = await startApp(config(true));
afterAll(() => Promise.all([app.close(), resuming.close(), breaking.stop(), ending.stop()]));

const choice = (index: number, finish: string | null, text = "word") => ({
  choices: [{ index, delta: { content: text }, finish_reason: finish }],
});
const USAGE = { choices: [], usage: { prompt_tokens: 10, completion_tokens: 5, total_tokens: 15 } };

async function stream(model: string, fields: object = {}, from = app) {
  const json = { model, stream: true, messages: [{ role: "user", content: "?" }], ...fields };
  const response = await from.call("/v1/chat/completions", { key: from.first.demoKey ?? "", json });
  const text = await response.text();
  return { text, hit: response.headers.get("x-gw-cache-hit") };
}

describe("a stream that breaks off between its end and the sign for it", () => {
  test.each([
    ["told its usage", 6, { status: "succeeded", cost: 15_000n, estimated: false }],
    ["not told it", 5, { status: "succeeded", estimated: true }],
  ])("is whole, and charged by what is known: %s", async (_, after, record) => {
    breaking.mood = { kind: "cut", after };
    for (const fields of [{}, { stream_options: { include_usage: true } }, { guardrails: ["words"] }]) {
      const { text } = await stream("breaking", fields);
      expect(text).toEndWith("data: [DONE]\n\n");
      expect(text).toContain('"finish_reason":"stop"');
      expect(text).not.toContain('"error"');
      expect(await books.last()).toMatchObject(record);
    }
    expect((await stream("breaking", {}, resuming)).text).toEndWith("data: [DONE]\n\n");
  });

  test("is not kept", async () => {
    ending.chunks = [choice(0, "stop"), USAGE];
    for (let turn = 0; turn < 2; turn++) {
      const { text, hit } = await stream("ending");
      expect([text.includes("[DONE]"), hit]).toEqual([true, null]);
    }
  });

  test("is whole only where every choice has ended", async () => {
    ending.chunks = [choice(0, null), choice(1, null), choice(0, "stop")];
    expect((await stream("ending", { n: 2 })).text).toContain("upstream_error");
    expect(await books.last()).toMatchObject({ status: "partial" });
    ending.chunks = [...ending.chunks, choice(1, "length")];
    expect((await stream("ending", { n: 2 })).text).toEndWith("data: [DONE]\n\n");
  });

  test("is not whole where a model says that it has ended", async () => {
    ending.chunks = [choice(0, null, '"finish_reason":"stop"')];
    expect((await stream("ending")).text).toContain("upstream_error");
  });

  test("is not whole where the upstream tells of a failure behind it", async () => {
    ending.chunks = [choice(0, "stop"), { error: { message: "no" } }];
    expect((await stream("ending")).text).toContain("upstream_error");
  });
});
