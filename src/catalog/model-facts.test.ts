import { describe, expect, test } from "bun:test";
import { builtInTable, type DescribedModel, ModelBook } from "./model-facts.ts";
import { modeOf } from "./model-mode.ts";
import { flatPrice } from "./price.ts";

const book = new ModelBook(await builtInTable());
const AT = Date.parse("2026-01-15T12:00:00Z");

const model = (name: string, info: object = {}, params: object = {}): DescribedModel => ({
  provider: name.slice(0, name.indexOf("/")),
  upstreamModel: name.slice(name.indexOf("/") + 1),
  info: { ...info },
  params: { ...params },
});
const facts = (name: string, info: object = {}, params: object = {}) => book.factsFor(model(name, info, params), AT);

describe("what is known about a model", () => {
  test("comes from the model table", () => {
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
    expect(facts("openai/gpt-4o-2031-08-06").maxOutputTokens).toBe(facts("openai/gpt-4o").maxOutputTokens);
    expect(facts("anthropic/claude-opus-5-20310806").prices).toEqual(facts("anthropic/claude-opus-5").prices);
    expect(facts("openai/ft:gpt-4o-2024-08-06:acme::id").prices?.input?.base).toBe(3_750_000_000n);
  });

  test("has the prices of long prompts", () => {
    expect(facts("gemini/gemini-2.5-pro").prices?.input).toMatchObject({
      base: 1_250_000_000n,
      tiers: [{ aboveTokens: 200_000, price: 2_500_000_000n }],
    });
  });

  test("has the prices of units other than tokens", () => {
    expect(facts("openai/whisper-1").prices).toEqual({ second: flatPrice(100_000_000_000n) });
    expect(facts("openai/tts-1").prices).toEqual({ character: flatPrice(15_000_000_000n) });
    expect(facts("openai/tts-1-hd").prices).toEqual({ character: flatPrice(30_000_000_000n) });
    expect(facts("cohere/rerank-v3.5").prices).toEqual({ request: flatPrice(2_000_000_000_000n) });
  });

  test.each([
    "azure/eu/gpt-4o-2024-08-06",
    "azure/us/gpt-6.1-sol",
    "azure/global/gpt-4o-2024-08-06",
    "fireworks_ai/accounts/fireworks/models/glm-5p2",
    "deepinfra/deepseek-ai/DeepSeek-V3",
    "novita/deepseek/deepseek-v3-0324",
    "together_ai/openai/gpt-oss-120b",
    "databricks/databricks-claude-opus-4-1",
    "dashscope/qwen3-max",
  ])("has a price for %s", (name) => {
    const { prices } = facts(name);
    expect([prices?.input?.base, prices?.output?.base]).toEqual([expect.any(BigInt), expect.any(BigInt)]);
  });

  // These cost by size and quality, or by the searches of a call, which the gateway does not count.
  test.each(["openai/dall-e-3", "azure/dall-e-3", "openai/gpt-4o-search-preview"])(
    "has no price for %s, which cannot be charged exactly",
    (name) => {
      expect(facts(name).prices).toBeNull();
    },
  );

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

  test("is that the models of this process, and those that the table marks as free, are free", () => {
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
