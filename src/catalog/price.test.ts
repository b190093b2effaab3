import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { costNanoUsd } from "./cost.ts";
import { parseScaled } from "./decimal.ts";
import { flatPrice, type Price, type Prices, parsePrice, parsePricePer, toUsd } from "./price.ts";
import type { MeteredUsage } from "./units.ts";

describe("a price", () => {
  test.each([
    ["0.00000015", 150_000_000n],
    [1.5e-7, 150_000_000n],
    [0.1, 100_000_000_000_000n],
    [2, 2_000_000_000_000_000n],
    ["0", 0n],
    [1e-15, 1n],
    ["0.0000000000000001", 1n],
    [1e-30, 1n],
  ])("of %p is %p femto-USD", (usd, femto) => {
    expect(parsePrice(usd)).toBe(femto);
  });

  test.each([
    ["free"],
    [-1],
    ["-1"],
    [Number.NaN],
    [Number.POSITIVE_INFINITY],
    [null],
    [{}],
    [""],
    ["1e9999"],
    ["0x10"],
  ])("is not %p", (value) => {
    expect(parsePrice(value)).toBeNull();
  });

  test("per million is the same price per unit", () => {
    expect(parsePricePer(0.15, 6)).toBe(parsePrice(1.5e-7));
    expect(parsePricePer(0.08333333333333334, 6)).toBe(83_333_334n);
  });

  test("goes to text and back without loss", () => {
    fc.assert(
      fc.property(fc.bigInt({ min: 0n, max: 10n ** 18n }), (femto) => {
        const text = femto.toString().padStart(16, "0");
        expect(parsePrice(`${text.slice(0, -15)}.${text.slice(-15)}`)).toBe(femto);
      }),
    );
  });

  test("of fifteen digits or fewer goes through the number that JSON has without loss", () => {
    fc.assert(
      fc.property(fc.bigInt({ min: 0n, max: 10n ** 15n - 1n }), (femto) => {
        expect(parsePrice(toUsd(femto))).toBe(femto);
      }),
    );
  });

  test("that is finer than its unit is rounded up, by less than one", () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 1_000_000 }), fc.integer({ min: 0, max: 12 }), (whole, digits) => {
        const exact = BigInt(whole);
        const scaled = parseScaled(`${whole}e-${digits}`, 0) ?? -1n;
        expect(scaled * 10n ** BigInt(digits) - exact).toBeGreaterThanOrEqual(0n);
        expect(scaled * 10n ** BigInt(digits) - exact).toBeLessThan(10n ** BigInt(digits));
      }),
    );
  });
});

const femto = fc.bigInt({ min: 0n, max: 10n ** 13n });
/** A list whose longer tiers never cost less, as every public one is. */
const price: fc.Arbitrary<Price> = fc.tuple(femto, fc.array(femto, { maxLength: 2 })).map(([base, steps]) => {
  let last = base;
  return {
    base,
    tiers: steps.map((step, index) => {
      last += step;
      return { aboveTokens: (index + 1) * 1000, price: last };
    }),
  };
});
const prices: fc.Arbitrary<Prices> = fc.record(
  {
    input: price,
    output: price,
    cache_read: price,
    cache_write: price,
    reasoning: price,
    audio_input: price,
    audio_output: price,
    image: price,
    second: price,
    character: price,
    request: price,
  },
  { requiredKeys: [] },
);
const tokens = fc.integer({ min: 0, max: 5_000 });
const usage = fc
  .record({
    cached: tokens,
    written: tokens,
    heard: tokens,
    text: tokens,
    thought: tokens,
    spoken: tokens,
    said: tokens,
    images: fc.integer({ min: 0, max: 10 }),
    milliseconds: fc.integer({ min: 0, max: 3_600_000 }),
    characters: tokens,
  })
  .map((parts) => ({
    parts,
    usage: {
      prompt_tokens: parts.cached + parts.written + parts.heard + parts.text,
      completion_tokens: parts.thought + parts.spoken + parts.said,
      prompt_tokens_details: {
        cached_tokens: parts.cached,
        cache_creation_tokens: parts.written,
        audio_tokens: parts.heard,
      },
      completion_tokens_details: { reasoning_tokens: parts.thought, audio_tokens: parts.spoken },
      images: parts.images,
      seconds: parts.milliseconds / 1000,
      characters: parts.characters,
    } satisfies MeteredUsage,
  }));

describe("what a call costs", () => {
  test("is the exact sum of its parts, rounded up once", () => {
    fc.assert(
      fc.property(prices, usage, (list, { parts, usage }) => {
        const at = (one: Price | undefined): bigint =>
          one ? (one.tiers.findLast((tier) => usage.prompt_tokens > tier.aboveTokens)?.price ?? one.base) : 0n;
        const exact =
          BigInt(parts.text) * at(list.input) +
          BigInt(parts.cached) * at(list.cache_read ?? list.input) +
          BigInt(parts.written) * at(list.cache_write ?? list.input) +
          BigInt(parts.heard) * at(list.audio_input ?? list.input) +
          BigInt(parts.said) * at(list.output) +
          BigInt(parts.thought) * at(list.reasoning ?? list.output) +
          BigInt(parts.spoken) * at(list.audio_output ?? list.output) +
          BigInt(parts.images) * at(list.image) +
          BigInt(parts.characters) * at(list.character) +
          at(list.request);
        const thousandths = exact * 1000n + BigInt(parts.milliseconds) * at(list.second);
        const cost = costNanoUsd(list, usage);
        expect(cost * 1_000_000_000n).toBeGreaterThanOrEqual(thousandths);
        expect(cost * 1_000_000_000n - thousandths).toBeLessThan(1_000_000_000n);
        expect(costNanoUsd(list, structuredClone(usage))).toBe(cost);
      }),
    );
  });

  test("never falls when more is used", () => {
    fc.assert(
      fc.property(prices, usage, tokens, tokens, (list, { usage }, moreIn, moreOut) => {
        const more = {
          ...usage,
          prompt_tokens: usage.prompt_tokens + moreIn,
          completion_tokens: usage.completion_tokens + moreOut,
          images: usage.images + 1,
        };
        expect(costNanoUsd(list, more)).toBeGreaterThanOrEqual(costNanoUsd(list, usage));
      }),
    );
  });

  test("of two calls is at most one nano-USD more than that of both in one, where length does not matter", () => {
    const flat = fc.record({ input: femto.map(flatPrice), output: femto.map(flatPrice) });
    fc.assert(
      fc.property(flat, tokens, tokens, tokens, tokens, (list, a, b, c, d) => {
        const one = costNanoUsd(list, { prompt_tokens: a + c, completion_tokens: b + d });
        const two =
          costNanoUsd(list, { prompt_tokens: a, completion_tokens: b }) +
          costNanoUsd(list, { prompt_tokens: c, completion_tokens: d });
        expect(two - one).toBeGreaterThanOrEqual(0n);
        expect(two - one).toBeLessThanOrEqual(1n);
      }),
    );
  });

  test("is never negative and never fails, whatever an upstream reports", () => {
    const odd = fc.oneof(
      fc.constantFrom<unknown>(-1, Number.NaN, Number.POSITIVE_INFINITY, 1e300, 0.5, "7", null, undefined, {}, []),
      fc.integer(),
    );
    const report = fc.record(
      {
        prompt_tokens: odd,
        completion_tokens: odd,
        prompt_tokens_details: fc.record({ cached_tokens: odd, cache_creation_tokens: odd, audio_tokens: odd }),
        completion_tokens_details: fc.record({ reasoning_tokens: odd, audio_tokens: odd }),
        seconds: odd,
        images: odd,
        characters: odd,
      },
      { requiredKeys: [] },
    );
    fc.assert(
      fc.property(prices, report, (list, reported) => {
        expect(costNanoUsd(list, reported as MeteredUsage)).toBeGreaterThanOrEqual(0n);
      }),
    );
  });

  test("does not charge a cached token twice, and no detail beyond its whole", () => {
    const list = { input: flatPrice(1_000_000n), cache_read: flatPrice(0n), cache_write: flatPrice(2_000_000n) };
    const details = { cached_tokens: 60, cache_creation_tokens: 30 };
    expect(costNanoUsd(list, { prompt_tokens: 100, prompt_tokens_details: details })).toBe(10n + 60n);
    expect(costNanoUsd(list, { prompt_tokens: 100, prompt_tokens_details: { cached_tokens: 500 } })).toBe(0n);
    expect(costNanoUsd(list, { prompt_tokens: 100, cache_read_input_tokens: 100 })).toBe(0n);
  });

  test("knows the writes that a cache keeps for an hour", () => {
    const list = { input: flatPrice(1_000_000n), cache_write_1h: flatPrice(5_000_000n) };
    const details = {
      cache_creation_tokens: 10,
      cache_creation_token_details: { ephemeral_1h_input_tokens: 4 },
    };
    expect(costNanoUsd(list, { prompt_tokens: 10, prompt_tokens_details: details })).toBe(6n + 20n);
    const anthropic = { cache_creation_input_tokens: 10, cache_creation: { ephemeral_1h_input_tokens: 4 } };
    expect(costNanoUsd(list, { prompt_tokens: 10, ...anthropic })).toBe(6n + 20n);
  });

  test("of nothing at a price of zero is zero", () => {
    expect(costNanoUsd({ input: flatPrice(0n) }, { prompt_tokens: 10 })).toBe(0n);
    expect(costNanoUsd({ input: flatPrice(1n) }, { prompt_tokens: 0 })).toBe(0n);
    expect(costNanoUsd({ input: flatPrice(1n) }, { prompt_tokens: 1 })).toBe(1n);
  });
});
