import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import type { CreateEmbeddingResponse } from "openai/resources";
import { testEcho } from "../test-echo.ts";
import { embed } from "./embed.ts";

const { json, refusal } = testEcho();

function cosine(left: string, right: string, dimensions = 256): number {
  const other = embed(right, dimensions);
  return embed(left, dimensions).reduce((sum, value, at) => sum + value * (other[at] ?? 0), 0);
}

describe("embed", () => {
  test("every vector has length 1 and depends on the text alone", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary", minLength: 1 }), fc.integer({ min: 1, max: 600 }), (text, dimensions) => {
        const vector = embed(text, dimensions);
        expect(vector).toEqual(embed(text, dimensions));
        expect(Math.sqrt(vector.reduce((sum, value) => sum + value * value, 0))).toBeCloseTo(1, 5);
      }),
    );
  });

  const related: readonly [string, string][] = [
    ["How do I reset my password?", "Password reset: how to set a new password"],
    ["The cat sat on the mat", "A cat is sitting on a mat"],
    ["invoices are sent by email every month", "monthly invoice emails"],
    ["東京は日本の首都です", "日本の首都はどこですか"],
  ];
  const unrelated: readonly [string, string][] = [
    ["How do I reset my password?", "The train to Lyon leaves at noon"],
    ["The cat sat on the mat", "quarterly revenue rose sharply"],
    ["invoices are sent by email every month", "the mountain lake was frozen"],
    ["東京は日本の首都です", "猫がマットに座った"],
  ];

  test("texts that share words are clearly nearer than others", () => {
    for (const [left, right] of related) expect(cosine(left, right)).toBeGreaterThan(0.3);
    for (const [left, right] of unrelated) expect(Math.abs(cosine(left, right))).toBeLessThan(0.2);
  });

  test("a question finds the passage that answers it", () => {
    const passages = [
      "To reset a forgotten password, open the sign-in page and choose Forgot password.",
      "Credits are bought on the billing page by card and never expire.",
      "A team can hold several API keys; revoke a key to stop calls made with it.",
      "Streaming answers arrive as server-sent events, one token at a time.",
    ];
    const best = (query: string) => passages.toSorted((a, b) => cosine(query, b) - cosine(query, a))[0];
    expect(best("I forgot my password")).toBe(passages[0]);
    expect(best("do bought credits expire?")).toBe(passages[1]);
    expect(best("how can I revoke an API key")).toBe(passages[2]);
    expect(best("stream tokens as events")).toBe(passages[3]);
  });
});

describe("embeddings", () => {
  const ask = (body: object) => json<CreateEmbeddingResponse>("embeddings", { model: "echo", ...body });

  test("one vector for each text, token list or text of a list, with the tokens counted", async () => {
    expect(await ask({ input: "Hello world" })).toMatchObject({
      data: [{ index: 0 }],
      usage: { prompt_tokens: 2, total_tokens: 2 },
    });
    expect((await ask({ input: ["a", "b", "c"] })).data.map(({ index }) => index)).toEqual([0, 1, 2]);
    expect(await ask({ input: [1, 2, 3] })).toMatchObject({ data: [{ index: 0 }], usage: { total_tokens: 3 } });
    expect((await ask({ input: [[1, 2], [3]] })).data).toHaveLength(2);
  });

  test("256 dimensions, or as many as asked for", async () => {
    expect((await ask({ input: "x" })).data[0]?.embedding).toHaveLength(256);
    expect((await ask({ input: "x", dimensions: 4096 })).data[0]?.embedding).toHaveLength(4096);
    expect((await ask({ input: "x", dimensions: 1 })).data[0]?.embedding).toHaveLength(1);
  });

  test("base64 holds the same numbers as little-endian floats", async () => {
    const plain = await ask({ input: "Hello" });
    const packed = await json<{ data: { embedding: string }[] }>("embeddings", {
      model: "echo",
      input: "Hello",
      encoding_format: "base64",
    });
    const bytes = Buffer.from(packed.data[0]?.embedding ?? "", "base64");
    const numbers = Array.from({ length: bytes.length / 4 }, (_, at) => bytes.readFloatLE(at * 4));
    expect(numbers).toEqual(plain.data[0]?.embedding ?? []);
  });

  test("empty input and impossible dimensions are refused", async () => {
    for (const input of ["", [], [""], [[]], [1.5], undefined]) {
      expect(await refusal("embeddings", { model: "echo", input })).toMatchObject({ status: 400, param: "input" });
    }
    expect(await refusal("embeddings", { model: "echo", input: "x", dimensions: 4097 })).toMatchObject({
      param: "dimensions",
    });
  });
});
