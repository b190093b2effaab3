import { expect, test } from "bun:test";
import { chargedPrices } from "../../src/catalog/charged-prices.ts";
import { builtInTable, ModelBook } from "../../src/catalog/model-facts.ts";
import { splitModelName } from "../../src/contract/model-families.ts";

const book = new ModelBook(await builtInTable());

/** The newest models of each maker in November 2026. */
const FLAGSHIPS = [
  "openai/gpt-6.1-sol",
  "openai/gpt-6.1-terra",
  "openai/gpt-6-sol",
  "openai/gpt-6-luna",
  "openai/gpt-6-astra",
  "openai/gpt-5.3-codex",
  "anthropic/claude-fable-5-2",
  "anthropic/claude-opus-5-5",
  "anthropic/claude-sonnet-5-5",
  "anthropic/claude-haiku-5-5",
  "gemini/gemini-4-argon",
  "gemini/gemini-3.8-flash",
  "xai/grok-4.7",
  "deepseek/deepseek-v4-pro",
  "deepseek/deepseek-flash",
  "mistral/mistral-large-4",
  "mistral/mistral-medium-latest",
  "moonshot/kimi-k3.1-pro",
  "zai/glm-5.3",
  "minimax/MiniMax-M3",
  "dashscope/qwen3.8-max",
  "meta_llama/muse-spark-1.3",
  "cohere/command-a-plus-05-2026",
] as const;

/** The sources state zero for these, which is not a price. */
const UNPRICED: ReadonlySet<string> = new Set(["cohere/command-a-plus-05-2026"]);

test.each(FLAGSHIPS)("%s has its limits, capabilities and prices", (name) => {
  const { provider, model } = splitModelName(name) ?? { provider: "", model: "" };
  const facts = book.factsFor(
    { provider, upstreamModel: model, params: {}, info: {} },
    Date.parse("2026-11-19T12:00:00Z"),
  );
  expect(facts).toMatchObject({
    maxInputTokens: expect.any(Number),
    maxOutputTokens: expect.any(Number),
    supportsVision: expect.any(Boolean),
    supportsFunctionCalling: true,
    supportsReasoning: expect.any(Boolean),
  });
  if (UNPRICED.has(name)) expect(facts.prices).toBeNull();
  else expect(facts.prices && chargedPrices(facts.prices, "chat")).not.toBeNull();
});
