import { describe, expect, test } from "bun:test";
import { calcPrice } from "@pydantic/genai-prices";
import { costNanoUsd } from "./cost.ts";
import { type DescribedModel, loadModelBook } from "./model-facts.ts";
import { modeOf } from "./model-mode.ts";
import { flatPrice } from "./price.ts";
import { LISTINGS } from "./public-books.ts";

const book = await loadModelBook();
const AT = Date.parse("2026-01-15T12:00:00Z");

const model = (name: string, info: object = {}, params: object = {}): DescribedModel => ({
  provider: name.slice(0, name.indexOf("/")),
  upstreamModel: name.slice(name.indexOf("/") + 1),
  info: { ...info },
  params: { ...params },
});
const facts = (name: string, info: object = {}, params: object = {}) => book.factsFor(model(name, info, params), AT);

describe("what is known about a model", () => {
  test("comes from the public lists", () => {
    expect(facts("openai/gpt-4o-mini")).toMatchObject({
      mode: "chat",
      maxInputTokens: 128_000,
      maxOutputTokens: 16_384,
      supportsVision: true,
      supportsFunctionCalling: true,
      supportsReasoning: false,
      supportsPromptCaching: true,
      prices: { input: { base: 150_000_000n }, output: { base: 600_000_000n }, cache_read: { base: 75_000_000n } },
    });
  });

  test("of a dated name is what is known of the plain one", () => {
    expect(facts("openai/gpt-4o-2024-08-06").maxOutputTokens).toBe(facts("openai/gpt-4o").maxOutputTokens);
  });

  test("has the prices of long prompts", () => {
    expect(facts("gemini/gemini-2.5-pro").prices?.input).toEqual({
      base: 1_250_000_000n,
      tiers: [{ aboveTokens: 200_000, price: 2_500_000_000n }],
    });
  });

  test("has prices per second for what is paid by the hour", () => {
    const { prices, mode } = facts("openai/whisper-1");
    expect(mode).toBe("audio_transcription");
    expect(prices && costNanoUsd(prices, { seconds: 60 })).toBe(6_000_000n);
  });

  test.each(["openai/no-such-model", "openai_like/gpt-4o", "__proto__/constructor"])(
    "is nothing for %s, and its price is not zero",
    (name) => {
      expect(facts(name)).toMatchObject({
        maxInputTokens: null,
        maxOutputTokens: null,
        supportsVision: null,
        prices: null,
      });
    },
  );

  test("is that the models of this process, and those that the list gives away, are free", () => {
    for (const name of ["echo/chat", "openai/omni-moderation-latest"]) {
      expect(facts(name).prices).toMatchObject({ input: { base: 0n }, output: { base: 0n } });
    }
  });

  test("gives way to what the deployment states", () => {
    const info = { mode: "responses", max_input_tokens: 7, supports_vision: false, input_cost_per_token: 1e-6 };
    expect(facts("openai/gpt-4o", info, { output_cost_per_token: "0.000002" })).toMatchObject({
      mode: "responses",
      maxInputTokens: 7,
      maxOutputTokens: 16_384,
      supportsVision: false,
      prices: { input: { base: 1_000_000_000n, tiers: [] }, output: { base: 2_000_000_000n } },
    });
  });

  test("does not mix a stated price with the list's price for the same side", () => {
    const own = facts("anthropic/claude-sonnet-4-5", { input_cost_per_token: 0 }).prices;
    expect(own?.input).toEqual({ base: 0n, tiers: [] });
    expect(own?.cache_read).toBeUndefined();
    expect(own?.cache_write_1h).toBeUndefined();
    expect(own?.output?.base).toBe(15_000_000_000n);
  });

  test("is a price of zero for what the operator runs, unless a price is stated", () => {
    const free = { input: { base: 0n }, output: { base: 0n } };
    expect(facts("hosted_vllm/anything").prices).toMatchObject(free);
    const at = (apiBase: string, info: object = {}) =>
      book.factsFor({ ...model("openai/gpt-4o", info), apiBase }, AT).prices;
    expect(at("http://10.0.0.7/v1")).toMatchObject(free);
    expect(at("http://vllm:8000/v1", { input_cost_per_token: 1e-6 })).toEqual({ input: flatPrice(1_000_000_000n) });
    expect(at("http://10.0.0.7/v1", { base_model: "gpt-4o" })?.input?.base).toBe(2_500_000_000n);
    expect(at("https://gateway.example.com/v1")?.input?.base).toBe(2_500_000_000n);
  });

  test("prefers the parameters' price to the information's, and reads tiers", () => {
    const params = { input_cost_per_token: 2e-6, input_cost_per_token_above_128k_tokens: 4e-6 };
    expect(facts("hosted_vllm/x", { input_cost_per_token: 1e-6 }, params).prices).toEqual({
      input: { base: 2_000_000_000n, tiers: [{ aboveTokens: 128_000, price: 4_000_000_000n }] },
    });
  });

  test("of a deployment with a name of its own is what its base model is", () => {
    expect(facts("azure/our-deployment").prices).toBeNull();
    expect(facts("azure/our-deployment", { base_model: "azure/gpt-4o" }).prices?.input?.base).toBe(2_500_000_000n);
    expect(facts("azure/our-deployment", { base_model: "gpt-4o" }).maxInputTokens).toBe(128_000);
  });

  test("can change with the hour and the day", () => {
    const at = (time: string) => book.pricesFor(model("deepseek/deepseek-chat"), Date.parse(time))?.input?.base;
    expect(at("2026-01-15T12:00:00Z")).not.toBe(at("2026-01-15T20:00:00Z"));
    expect(at("2026-01-15T12:00:00Z")).toBe(at("2026-01-16T12:00:00Z"));
  });
});

describe("the cost of a call", () => {
  const usage = { input_tokens: 250_001, cache_read_tokens: 1_234, output_tokens: 777 };
  test.each(["openai/gpt-4o", "anthropic/claude-sonnet-4-5", "gemini/gemini-2.5-pro", "groq/llama-3.3-70b-versatile"])(
    "of %s is what the list's own arithmetic says",
    (name) => {
      const { provider, upstreamModel } = model(name);
      const providerId = LISTINGS.get(provider)?.prices ?? "";
      const theirs = calcPrice(usage, upstreamModel, { providerId, timestamp: new Date(AT) })?.total_price ?? -1;
      const prices = book.pricesFor(model(name), AT) ?? {};
      const ours = costNanoUsd(prices, {
        prompt_tokens: usage.input_tokens,
        completion_tokens: usage.output_tokens,
        prompt_tokens_details: { cached_tokens: usage.cache_read_tokens },
      });
      expect(Math.abs(Number(ours) - theirs * 1e9)).toBeLessThan(1.01);
    },
  );
});

test.each([
  ["openai", "gpt-4o", "chat"],
  ["openai", "text-embedding-3-small", "embedding"],
  ["openai", "tts-1-hd", "audio_speech"],
  ["openai", "gpt-4o-mini-tts", "audio_speech"],
  ["openai", "gpt-image-1", "image_generation"],
  ["openai", "omni-moderation-latest", "moderation"],
  ["cohere", "rerank-v3.5", "rerank"],
  ["voyage", "voyage-3", "embedding"],
  ["text-completion-openai", "anything", "completion"],
])("%s/%s is for %s", (provider, name, mode) => {
  expect(modeOf(provider, name)).toBe(mode);
});
