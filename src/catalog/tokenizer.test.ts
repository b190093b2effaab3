import { describe, expect, test } from "bun:test";
import { encode } from "gpt-tokenizer/encoding/o200k_base";
import { countTokens } from "./tokenizer.ts";

describe("counting tokens", () => {
  const prose = "The quick brown fox, aged 7½, jumps over https://example.test/a?b=c: “über”!\n\n\tif (x) { y(); }\n";

  test("of text that people write is exact, however long it is", async () => {
    expect(await countTokens("")).toBe(0);
    expect(await countTokens(prose)).toBe(encode(prose).length);
    const long = prose.repeat(2_000);
    expect(await countTokens(long)).toBe(encode(long).length);
  });

  test("takes the marks of a conversation for the text that they are", async () => {
    expect(await countTokens("<|endoftext|> and <|im_start|>")).toBeGreaterThan(5);
  });

  test.each([
    ["letters", "a"],
    ["spaces", " "],
    ["line ends", "\n"],
    ["signs", "=-"],
    ["pairs of surrogates", "🦊"],
  ])("of a hundred thousand %s without a break ends soon, and gives way to others meanwhile", async (_, unit) => {
    let others = 0;
    setImmediate(() => others++);
    const startedAt = performance.now();
    expect(await countTokens(unit.repeat(100_000 / unit.length))).toBeGreaterThan(0);
    expect(performance.now() - startedAt).toBeLessThan(3_000);
    expect(others).toBe(1);
  });

  test("does not cut a character in two", async () => {
    expect(await countTokens("🦊".repeat(128))).toBe(encode("🦊".repeat(128)).length);
  });
});
