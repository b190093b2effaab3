import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { runs } from "../../test/property-runs.ts";
import { type CallUnits, NO_UNITS } from "../contract/usage.ts";
import { chargedPrices } from "./charged-prices.ts";
import { amountOf, costOf, exactAmountOf, exactCostOf } from "./cost.ts";
import { readMarkup, readOwnPrices } from "./own-prices.ts";
import { flatPrice, PRICE_COMPONENTS, type Price, type Prices, SERVICE_TIERS } from "./price.ts";
import { priceSheet, readPriceSheet } from "./price-sheet.ts";
import { unitsOf } from "./units.ts";

const femto = fc.bigInt({ min: 0n, max: 10n ** 12n });
const flat = fc.record({
  base: femto,
  tiers: fc
    .uniqueArray(fc.record({ aboveTokens: fc.integer({ min: 1, max: 400_000 }), price: femto }), {
      maxLength: 2,
      selector: (tier) => tier.aboveTokens,
    })
    .map((tiers) => tiers.sort((a, b) => a.aboveTokens - b.aboveTokens)),
});
const price: fc.Arbitrary<Price> = fc
  .record({ price: flat, flex: fc.option(flat), priority: fc.option(flat) })
  .map(({ price, flex, priority }) => ({
    ...price,
    services: { ...(flex ? { flex } : {}), ...(priority ? { priority } : {}) },
  }));
const prices: fc.Arbitrary<Prices> = fc.dictionary(fc.constantFrom(...PRICE_COMPONENTS), price);
const tier = fc.constantFrom(...SERVICE_TIERS);
const markup = fc.bigInt({ min: 0n, max: 20_000n });
const sheet = fc.tuple(prices, tier, markup).map(([list, at, markupBp]) => priceSheet(list, at, markupBp));
const some = fc.integer({ min: 0, max: 300_000 });
const usage = fc.record({
  prompt_tokens: some,
  completion_tokens: some,
  prompt_tokens_details: fc.record({ cached_tokens: some, cache_creation_tokens: some, audio_tokens: some }),
  completion_tokens_details: fc.record({ reasoning_tokens: some, audio_tokens: some }),
  images: fc.integer({ min: 0, max: 10 }),
  seconds: fc.integer({ min: 0, max: 3_600_000 }).map((ms) => ms / 1000),
  characters: some,
});
const units: fc.Arbitrary<CallUnits> = usage.map(unitsOf);

/** As lists have them: so many dollars a million tokens. */
const usual: fc.Arbitrary<Price> = fc
  .integer({ min: 0, max: 200_000 })
  .map((thousandths) => ({ base: BigInt(thousandths) * 1_000_000n, tiers: [] }));
const usualSheet = fc
  .tuple(fc.dictionary(fc.constantFrom(...PRICE_COMPONENTS), fc.oneof(usual, flat)), markup)
  .map(([list, markupBp]) => priceSheet(list, "standard", markupBp));
const small = fc.record({ prompt_tokens: fc.nat(3000), completion_tokens: fc.nat(3000), seconds: fc.nat(100) });

describe("the cost of a call", () => {
  test("is the same by plain numbers, where these are exact, as by those of any size", () => {
    let plain = 0;
    fc.assert(
      fc.property(fc.oneof(sheet, usualSheet), fc.oneof(units, small.map(unitsOf)), (list, used) => {
        if (list.plain) plain++;
        expect(costOf(list, used)).toEqual(exactCostOf(list, used));
        expect(amountOf(list, used)).toBe(exactAmountOf(list, used));
        expect(amountOf(list, used)).toBe(costOf(list, used).cost);
      }),
      { numRuns: runs(2_000) },
    );
    expect(plain).toBeGreaterThan(runs(2_000) / 20);
  });

  test("is the sum of its parts, to the last nano-USD", () => {
    fc.assert(
      fc.property(sheet, units, (list, used) => {
        const { cost, parts } = costOf(list, used);
        expect(parts.reduce((sum, part) => sum + part.nanoUsd, 0n)).toBe(cost);
        for (const part of parts) expect(part.nanoUsd).toBeGreaterThanOrEqual(0n);
      }),
    );
  });

  test("is the provider's cost plus the mark-up, each rounded up once", () => {
    fc.assert(
      fc.property(sheet, units, (list, used) => {
        const { cost, providerCost, parts } = costOf(list, used);
        const exact = parts.reduce((sum, { thousandths, femtoUsd }) => sum + thousandths * femtoUsd, 0n);
        const nano = 1_000_000_000n;
        expect(providerCost).toBe((exact + nano - 1n) / nano);
        const divisor = nano * 10_000n;
        expect(cost).toBe((exact * (10_000n + list.markupBp) + divisor - 1n) / divisor);
        expect(cost).toBeGreaterThanOrEqual(providerCost);
      }),
    );
  });

  test("comes out the same from the stored units and the stored sheet", () => {
    fc.assert(
      fc.property(sheet, units, (list, used) => {
        const stored = readPriceSheet(list.text);
        expect(stored?.version).toBe(list.version);
        const again = stored && costOf(stored, JSON.parse(JSON.stringify(used)) as CallUnits);
        expect(again).toEqual(costOf(list, used));
      }),
    );
  });

  test("never falls when a call uses more, where the price does not change with the length", () => {
    const even = fc.dictionary(fc.constantFrom(...PRICE_COMPONENTS), femto.map(flatPrice));
    fc.assert(
      fc.property(even, units, some, some, (list, used, more, said) => {
        const before = costOf(priceSheet(list), used).cost;
        const after = {
          ...used,
          promptTokens: used.promptTokens + more,
          completionTokens: used.completionTokens + said,
        };
        expect(costOf(priceSheet(list), after).cost).toBeGreaterThanOrEqual(before);
      }),
    );
  });

  test("stays an amount that JSON can hold, whatever an upstream reports", () => {
    const mad = unitsOf({ prompt_tokens: 1e300, completion_tokens: Number.MAX_SAFE_INTEGER, images: 1e18 });
    const dear = priceSheet({
      input: flatPrice(10n ** 18n),
      output: flatPrice(10n ** 18n),
      image: flatPrice(10n ** 20n),
    });
    const { cost, parts } = costOf(dear, mad);
    expect(cost).toBe(BigInt(Number.MAX_SAFE_INTEGER));
    expect(parts.reduce((sum, part) => sum + part.nanoUsd, 0n)).toBe(cost);
  });

  test("of a call that used nothing of what has a price is nothing", () => {
    expect(costOf(priceSheet({ input: flatPrice(5n) }), NO_UNITS)).toEqual({ cost: 0n, providerCost: 0n, parts: [] });
  });
});

describe("a service tier", () => {
  const own = readOwnPrices({
    input_cost_per_token: "0.000002",
    input_cost_per_token_flex: "0.000001",
    input_cost_per_token_priority: "0.000004",
    input_cost_per_token_batches: "0.0000005",
    input_cost_per_token_above_200k_tokens: "0.000003",
    input_cost_per_token_above_200k_tokens_priority: "0.000006",
    output_cost_per_token: "0.00001",
  });
  const at = (tier: (typeof SERVICE_TIERS)[number], promptTokens: number) =>
    costOf(priceSheet(own, tier), { ...NO_UNITS, promptTokens, completionTokens: 1 }).cost - 10_000n;

  test("has its own price, and its own price for a long prompt", () => {
    expect(SERVICE_TIERS.map((tier) => at(tier, 1))).toEqual([2_000n, 1_000n, 4_000n, 500n]);
    expect(SERVICE_TIERS.map((tier) => at(tier, 300_000) / 300_000n)).toEqual([3_000n, 1_000n, 6_000n, 500n]);
  });

  test("has a version of its own only where its prices differ", () => {
    const versions = SERVICE_TIERS.map((tier) => priceSheet(own, tier).version);
    expect(new Set(versions).size).toBe(4);
    const plain: Prices = { input: flatPrice(1n), output: flatPrice(2n) };
    expect(priceSheet(plain, "flex").version).toBe(priceSheet({ ...plain }, "standard").version);
    expect(priceSheet(plain, "standard", 1n).version).not.toBe(priceSheet(plain).version);
  });
});

describe("a mark-up", () => {
  test("is read from decimal text, in hundredths of a percent", () => {
    expect(readMarkup({ markup_percent: "12.5" })).toBe(1_250n);
    expect(readMarkup({ markup_percent: 0.1 })).toBe(10n);
    expect(readMarkup({})).toBeNull();
  });
});

describe("a price list", () => {
  const one = flatPrice(1n);

  test("is whole for a chat only with both of its sides", () => {
    expect(chargedPrices({ input: one }, "chat")).toBeNull();
    expect(chargedPrices({ input: one, output: flatPrice(0n) }, "chat")).not.toBeNull();
    expect(chargedPrices({ input: one }, "embedding")).not.toBeNull();
    expect(chargedPrices({ input: one }, "speech")).toBeNull();
    expect(chargedPrices({ request: one }, "rerank")).toEqual({ request: one });
  });

  test("charges a picture or a sound by one measure, never by its tokens as well", () => {
    const all: Prices = { input: one, output: one, image: one, second: one, character: one, request: one };
    expect(chargedPrices(all, "image")).toEqual({ image: one, request: one });
    expect(chargedPrices(all, "speech")).toEqual({ character: one, request: one });
    expect(chargedPrices(all, "transcription")).toEqual({ second: one, request: one });
    expect(chargedPrices(all, "chat")).toBe(all);
  });
});
