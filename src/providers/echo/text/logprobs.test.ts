import { expect, test } from "bun:test";
import { chatLogprob, completionLogprobs, rankTokens } from "./logprobs.ts";

test("the piece itself ranks first, and all probabilities sum to at most 1", () => {
  for (const piece of ["You", " the", " said", "🦊"]) {
    const ranked = rankTokens(piece, 20);
    expect(ranked).toHaveLength(20);
    expect(ranked[0]?.token).toBe(piece);
    expect(new Set(ranked.map(({ token }) => token)).size).toBe(20);
    const logprobs = ranked.map(({ logprob }) => logprob);
    expect(logprobs.toSorted((a, b) => b - a)).toEqual(logprobs);
    expect(logprobs.reduce((sum, logprob) => sum + Math.exp(logprob), 0)).toBeLessThanOrEqual(1.000001);
  }
});

test("a chat logprob carries the UTF-8 bytes of its piece", () => {
  expect(chatLogprob("é", 1)).toMatchObject({
    token: "é",
    bytes: [0xc3, 0xa9],
    top_logprobs: [{ bytes: [0xc3, 0xa9] }],
  });
});

test("offsets of a completion's pieces follow each other, and a text's first piece has no probability", () => {
  const logprobs = completionLogprobs(["One", " two"], 2, { offset: 0, startsText: true });
  expect(logprobs.text_offset).toEqual([0, 3]);
  expect(logprobs.token_logprobs[0]).toBeNull();
  expect(logprobs.top_logprobs?.[0]).toBeNull();
  expect(Object.keys(logprobs.top_logprobs?.[1] ?? {})).toHaveLength(2);
});
