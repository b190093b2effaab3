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
  ])("of a hundred thousand %s without a break ends", async (_, unit) => {
    expect(await countTokens(unit.repeat(100_000 / unit.length))).toBeGreaterThan(0);
  });

  test("of a long text gives way to others, and ends when nobody waits for it any more", async () => {
    const word = () =>
      Array.from({ length: 31 }, () => String.fromCharCode(97 + Math.floor(Math.random() * 26))).join("");
    const text = Array.from({ length: 20_000 }, word).join(" ");
    let turns = 0;
    const leaving = new AbortController();
    const others = setInterval(() => {
      if (++turns === 3) leaving.abort(new Error("left"));
    }, 0);
    const outcome = await countTokens(text, leaving.signal).catch((thrown: unknown) => thrown);
    clearInterval(others);
    expect(outcome).toEqual(new Error("left"));
    expect(turns).toBeGreaterThanOrEqual(3);
  });

  test("does not cut a character in two", async () => {
    expect(await countTokens("🦊".repeat(128))).toBe(encode("🦊".repeat(128)).length);
  });
});
