import { expect, test } from "bun:test";
import type { TableEntry } from "./entry.ts";
import { readGenaiPrices } from "./genai-prices.ts";
import { readLiteLlm } from "./litellm.ts";
import { mergeSources } from "./merge.ts";
import { readPiAi } from "./pi-ai.ts";
import { linesOf, summaryOf } from "./table-file.ts";

const TODAY = "2026-11-19";
const USD = { input_cost_per_token: 2e-6, output_cost_per_token: 1e-5 };

const litellm = (map: Record<string, Record<string, unknown>>) => readLiteLlm(map);
const pi = (id: string, cost: object, more: object = {}) =>
  readPiAi({
    openai: {
      chat: { [id]: { id, type: "chat", input: ["text", "image"], contextWindow: 9, maxTokens: 5, cost, ...more } },
    },
  });
const genai = (id: string, prices: object, more: object = {}) =>
  readGenaiPrices(
    (name) => (name === "openai" ? { models: [{ id, match: {}, prices, ...more } as never] } : undefined),
    TODAY,
  );

function merge(
  sources: Partial<Record<"litellm" | "pi-ai" | "pydantic-genai-prices", ReturnType<typeof litellm>>>,
  supplement: Record<string, TableEntry> = {},
) {
  const all = { litellm: new Map(), "pi-ai": new Map(), "pydantic-genai-prices": new Map(), ...sources };
  return mergeSources(all, supplement, (provider) => provider !== "unserved");
}
const entryOf = (map: Record<string, unknown>, name = "m") =>
  merge({ litellm: litellm({ [name]: { litellm_provider: "openai", mode: "chat", ...map } }) }).models[
    `openai/${name}`
  ];

test("facts of several sources complete each other, and LiteLLM's come first", () => {
  const { models, disagreements } = merge({
    litellm: litellm({
      m: { litellm_provider: "openai", mode: "chat", ...USD, max_output_tokens: 4, supports_vision: false },
      "unserved/x": { litellm_provider: "unserved", mode: "chat", ...USD },
    }),
    "pi-ai": pi("m", { input: 3, output: 10, cacheRead: 0.2, cacheWrite: 0 }, { reasoning: true }),
  });
  expect(models).toEqual({
    "openai/m": { context: 9, output: 4, can: "reasoning tools", cannot: "vision", prices: { input: 2, output: 10 } },
  });
  const prices = { litellm: 2, "pi-ai": 3 };
  expect(disagreements).toEqual([{ model: "openai/m", component: "input", prices, chosen: 2 }]);
});

test("two sources that agree with each other outvote LiteLLM's price", () => {
  const { models } = merge({
    litellm: litellm({ m: { litellm_provider: "openai", mode: "chat", ...USD } }),
    "pi-ai": pi("m", { input: 3, output: 10, cacheRead: 0, cacheWrite: 0 }),
    "pydantic-genai-prices": genai("m", { input_mtok: 3, output_mtok: 10 }),
  });
  expect(models["openai/m"]?.prices).toEqual({ input: 3, output: 10 });
});

test("a model is free only if two sources say so", () => {
  const zero = litellm({ m: { litellm_provider: "openai", mode: "chat", input_cost_per_token: 0 } });
  expect(merge({ litellm: zero }).models).toEqual({});
  expect(merge({ litellm: zero, "pydantic-genai-prices": genai("m", {}) }).models).toEqual({
    "openai/m": { free: true },
  });
  expect(merge({ litellm: zero }, { "openai/m": { free: true } }).models).toEqual({ "openai/m": { free: true } });
});

test("a price that cannot be charged exactly is left out", () => {
  const image = { mode: "image_generation", output_cost_per_image: 0.04 };
  expect(entryOf(image)).toEqual({ prices: { image: 40_000 } });
  expect(entryOf({ ...image, output_cost_per_image_4K: 0.2 })).toBeUndefined();
  expect(
    entryOf({ ...image, mode: "image_edit", output_cost_per_image: undefined, input_cost_per_image: 0.1 }),
  ).toBeUndefined();
  expect(entryOf({ mode: "embedding", input_cost_per_query: 0.1 })).toBeUndefined();
  expect(entryOf({ mode: "video_generation", ...USD })).toBeUndefined();
  const searching = { ...USD, search_context_cost_per_query: { search_context_size_low: 0.01 } };
  expect(entryOf(searching)).toEqual({ prices: { input: 2, output: 10 } });
  expect(entryOf(searching, "m-search-preview")).toBeUndefined();
  const audio = { mode: "audio_transcription", input_cost_per_audio_token: 1e-6, input_cost_per_second: 1e-4 };
  expect(entryOf(audio)).toEqual({ prices: { audio_input: 1 } });
});

test("prices by length of the prompt, by service tier and by hour stay", () => {
  const range = (from: number, to: number, price: number) => ({ range: [from, to], input_cost_per_token: price });
  expect(entryOf({ tiered_pricing: [range(0, 32e3, 1e-6), range(32e3, 64e3, 2e-6)] })).toEqual({
    prices: { input: { base: 1, above: { 32000: 2 } } },
  });
  expect(entryOf({ tiered_pricing: [range(5, 32e3, 1e-6)] })).toBeUndefined();
  expect(entryOf({ ...USD, input_cost_per_token_above_512k_tokens: 4e-6, output_cost_per_token_flex: 5e-6 })).toEqual({
    prices: { input: { base: 2, above: { 512000: 4 } }, output: { base: 10, flex: 5 } },
  });
  const windows = [
    { hours_utc: ["00:00-01:00"], weekdays: [1] },
    { hours_utc: "00:00-00:00", weekdays: [6, 7] },
  ];
  expect(entryOf({ ...USD, off_peak_pricing: { input_cost_per_token: 1e-6, windows } })).toEqual({
    prices: { input: 2, output: 10 },
    changes: [
      { hours: ["00:00-01:00"], days: [1], prices: { input: 1 } },
      { days: [6, 7], prices: { input: 1 } },
    ],
  });
});

test("a price that another source announces is taken over with its day", () => {
  const announced = [
    { prices: { input_mtok: 2, output_mtok: 10 } },
    { constraint: { type: "start_date", start_date: "2027-01-01" }, prices: { input_mtok: 4, output_mtok: 10 } },
  ];
  const { models } = merge({
    litellm: litellm({ m: { litellm_provider: "openai", mode: "chat", ...USD } }),
    "pydantic-genai-prices": genai("m", announced, { match: { or: [{ equals: "m2" }] } }),
  });
  const changes = [{ from: "2027-01-01", prices: { input: 4, output: 10 } }];
  expect(models["openai/m"]).toEqual({ prices: { input: 2, output: 10 }, changes });
  expect(models["openai/m2"]).toEqual({ prices: { input: 2, output: 10 }, changes });
});

test("the file has a line for each model, and the summary names what changes", () => {
  const table = (models: Record<string, TableEntry>) => ({ date: TODAY, sources: { litellm: "1.2.3" }, models });
  const after = table({ "a/b": { prices: { input: 2 } }, "a/c": {}, "a/d": { free: true } });
  expect(linesOf(after).split("\n")).toHaveLength(6);
  expect(JSON.parse(linesOf(after))).toEqual(after);
  const before = table({ "a/b": { prices: { input: 1 } }, "a/c": { prices: { input: 1 } }, "a/e": {} });
  expect(summaryOf(before, after, 3)).toEqual([
    "Sources: litellm 1.2.3",
    "Models: 3, 2 with a price; 1 added, 1 removed",
    "Prices on which the sources disagree: 3 (scripts/facts/disagreements.json)",
    "Lost their price: 1",
    "  a/c",
    "Changed price: 2",
    "  a/b: input 1 -> input 2",
    "  a/c: input 1 -> no price",
    "Removed: 1",
    "  a/e",
  ]);
});
