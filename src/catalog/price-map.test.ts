import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { runs } from "../../test/property-runs.ts";
import { decimalText, parseNearest, parseScaled } from "./decimal.ts";
import type { DescribedModel } from "./model-facts.ts";
import { componentOf, priceFieldsOf, readOwnPrices } from "./own-prices.ts";
import { parseNearestPrice, parsePrice, usdText } from "./price.ts";
import { PriceMap } from "./price-map.ts";

describe("a price of a map", () => {
  test.each([
    ["2.8e-9", 2_800_000n, true],
    ["2.80000000000000000001e-9", 2_800_000n, false],
    ["0.5e-15", 0n, false],
    ["1.5e-15", 2n, false],
    ["2.5e-15", 2n, false],
    ["2.5000000000000000000000000000001e-15", 3n, false],
    ["1E-15", 1n, true],
    ["9.999e-40", 0n, false],
  ])("%p is %p femto-USD, exactly: %p", (usd, nearest, exact) => {
    expect(parseNearestPrice(usd)).toEqual({ nearest, exact });
  });

  test("is at most half a femto-USD from what was written, and written out it is read as itself", () => {
    fc.assert(
      fc.property(fc.bigInt(0n, 10n ** 30n), fc.integer({ min: 0, max: 40 }), (units, shift) => {
        const found = parseNearest(`${units}e-${shift}`, 15);
        const scale = 10n ** BigInt(Math.max(shift - 15, 0));
        const exact = shift > 15 ? units : units * 10n ** BigInt(15 - shift);
        const apart = (found?.nearest ?? -1n) * scale - exact;
        expect((apart < 0n ? -apart : apart) * 2n).toBeLessThanOrEqual(scale);
        expect(found?.exact).toBe(apart === 0n);
        expect(parseScaled(decimalText(found?.nearest ?? 0n, 15), 15)).toBe(found?.nearest ?? null);
      }),
    );
  });

  test("that can be imported is the same after a configuration has read it as a number", () => {
    fc.assert(
      fc.property(fc.bigInt(0n, 8_000_000_000_000_000n), (femto) => {
        expect(parsePrice(Number(usdText(femto)))).toBe(femto);
      }),
      { numRuns: runs(2_000) },
    );
  });

  test("is written out in plain decimals", () => {
    expect([0n, 1n, 2_800_000n, 10n ** 15n, 125n * 10n ** 13n].map(usdText)).toEqual([
      "0",
      "0.000000000000001",
      "0.0000000028",
      "1",
      "1.25",
    ]);
  });
});

test("names of prices are read the same way in both directions", () => {
  const fields = {
    input_cost_per_token: "1e-6",
    input_cost_per_token_above_200k_tokens: "2e-6",
    input_cost_per_token_priority: "3e-6",
    input_cost_per_token_above_200k_tokens_priority: "4e-6",
    cache_creation_input_token_cost: "5e-6",
    cache_creation_input_token_cost_above_1hr: "6e-6",
    input_cost_per_query: "7e-3",
  };
  const written = priceFieldsOf(readOwnPrices(fields));
  expect(written.map(({ field }) => field).sort()).toEqual(Object.keys(fields).sort());
  for (const { field, component } of written) expect(componentOf(field)).toBe(component);
  for (const other of [
    "input_cost_per_pixel",
    "input_cost_per_token_cache_hit",
    "mode",
    "output_cost_per_second_1080p",
  ])
    expect(componentOf(other)).toBeNull();
});

describe("an entry", () => {
  const model = (provider: string, upstreamModel: string, info = {}): DescribedModel => ({
    provider,
    upstreamModel,
    params: {},
    info,
  });
  const map = new PriceMap({
    sample_spec: { input_cost_per_token: "0.0000", litellm_provider: "one of ..." },
    "gpt-4o": { litellm_provider: "openai" },
    "gpt-own": {},
    "azure/gpt-4o": { litellm_provider: "azure" },
    "anthropic.claude-x": { litellm_provider: "bedrock_converse" },
    "gemini-x": { litellm_provider: "vertex_ai-language-models" },
    "gemini/gemini-x": { litellm_provider: "gemini" },
    house: {},
    "some-model": { litellm_provider: "groq" },
  });

  test.each([
    ["fast", model("openai", "gpt-4o"), "gpt-4o"],
    ["fast", model("azure", "gpt-4o"), "azure/gpt-4o"],
    ["fast", model("azure", "my-own", { base_model: "azure/gpt-4o" }), "azure/gpt-4o"],
    ["fast", model("bedrock", "anthropic.claude-x"), "anthropic.claude-x"],
    ["fast", model("vertex_ai", "gemini-x"), "gemini-x"],
    ["fast", model("gemini", "gemini-x"), "gemini/gemini-x"],
    ["fast", model("openai", "gpt-own"), "gpt-own"],
    ["house", model("openai", "whatever"), "house"],
    // Another provider's price is none of its own, whatever callers call it.
    ["fast", model("openrouter", "gpt-4o"), null],
    ["gpt-4o", model("openrouter", "openai/gpt-4o-2"), null],
    ["some-model", model("openai", "some-model"), null],
    ["sample_spec", model("openai", "sample_spec"), null],
  ])("for %p, %p is %p", (group, deployment, name) => {
    expect(map.find(group, deployment)).toBe(name);
  });

  test("whose price is under the second of two names keeps it, and what nothing is charged by is named", () => {
    const { prices, ignored, faults } = new PriceMap({
      sound: { input_cost_per_second: "7e-5", output_cost_per_second: "0.0", input_cost_per_pixel: "1", mode: "x" },
    }).read("sound");
    expect(priceFieldsOf(prices)).toEqual([
      { field: "output_cost_per_second", component: "second", price: 70_000_000_000n },
    ]);
    expect([ignored, faults]).toEqual([["input_cost_per_pixel"], []]);
  });

  test("names the second of two prices for one thing, and what belongs to a price that it does not have", () => {
    const map = new PriceMap({
      sound: { output_cost_per_second: "0.1", input_cost_per_second: "0.02" },
      batch: { input_cost_per_token_batches: "1e-6" },
    });
    expect(map.read("sound").ignored).toEqual(["input_cost_per_second"]);
    expect(map.read("batch").ignored).toEqual(["input_cost_per_token_batches"]);
  });
});
