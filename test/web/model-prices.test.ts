import { describe, expect, test } from "bun:test";
import { headlinePrices, type PricedModel, tellingPrices } from "../../web/src/components/model-prices.ts";

const USD = 1_000_000_000;
const FREE_TOKENS = [
  { component: "input", price: 0 },
  { component: "output", price: 0 },
];
const told = (prices: ReturnType<typeof tellingPrices>): string[] =>
  prices.map(({ component, nano, unit }) => `${component} ${Number(nano) / USD} / ${unit}`);

describe("prices of a model", () => {
  test.each<[string, PricedModel, string[]]>([
    ["pictures", { type: "image", pricing: [...FREE_TOKENS, priced("image", 1_000)] }, ["image 0.001 / picture"]],
    [
      "speech",
      { type: "audio_speech", pricing: [...FREE_TOKENS, priced("character", 1)] },
      ["character 1 / 1M characters"],
    ],
    [
      "hearing",
      { type: "audio_transcription", pricing: [...FREE_TOKENS, priced("second", 100)] },
      ["second 0.0001 / second"],
    ],
    [
      "embedding",
      { type: "embedding", pricing: [priced("input", 0.02), priced("output", 0)] },
      ["input 0.02 / 1M tokens"],
    ],
    [
      "chat",
      { type: "chat", pricing: [priced("input", 0.1), priced("output", 0.4)] },
      ["input 0.1 / 1M tokens", "output 0.4 / 1M tokens"],
    ],
  ])("of %s have their unit, and no token price where tokens are not what is charged", (_, model, expected) => {
    expect(told(headlinePrices(model))).toEqual(expected);
    expect(told(tellingPrices(model))).toEqual(expected);
  });

  test("that are nothing at all are told", () => {
    expect(told(tellingPrices({ type: "chat", pricing: FREE_TOKENS }))).toHaveLength(2);
  });

  test("that are listed beside what is charged are told too", () => {
    const pricing = [priced("input", 0.1), priced("output", 0.4), priced("cache_read", 0.05)];
    expect(told(tellingPrices({ type: "chat", pricing }))).toContain("cache_read 0.05 / 1M tokens");
    expect(headlinePrices({ type: "chat", pricing })).toHaveLength(2);
  });
});

/** USD for a million. */
function priced(component: string, usd: number): PricedModel["pricing"][number] {
  return { component, price: Math.round(usd * USD) };
}
