import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { guardsOf } from "../../test/guardrails/guards-of.ts";
import type { Detector } from "./detector.ts";
import { WordList } from "./detectors/word-list.ts";
import { PERSONAL, SECRETS } from "./entities.ts";
import { visibleOnly } from "./invisible-characters.ts";
import { findAll } from "./scanner.ts";
import { SpanStage } from "./stages/span-stage.ts";

const EVERY: readonly Detector[] = [...Object.values(PERSONAL), ...Object.values(SECRETS)].flat();
const words = new WordList(["falcon", "می‌خواهم"], "word", true);
const all = [...EVERY, words];
/** Zero-width signs, marks of direction, a hyphen that is seldom drawn, fillers, choices of a picture, a tag of two units. */
const UNSEEN = [
  "\u200b",
  "\u200d",
  "\u200c",
  "\u2060",
  "\ufeff",
  "\u00ad",
  "\u202e",
  "\u3164",
  "\ufe0f",
  "\u034f",
  "\u0085",
  "\u0001",
  "\u001b",
  "\u007f",
  "\u{e0061}",
];
const VALUES = {
  "an e-mail address": "bob@example.com",
  "a phone number": "+49 30 12345678",
  "a card": "4111 1111 1111 1111",
  "an account": "DE89 3704 0044 0532 0130 00",
  "an address of a machine": "10.20.30.40",
  "a number of a person": "123-45-6789",
  "a key": "sk-aB3dE6gH9jK2mN5pQ8sT1v",
  "a password": "password=hunter2hunter2",
  "a listed word": "Falcon",
};
const hidden = (value: string, signs: readonly string[]): string =>
  value.split("").reduce((out, char, at) => out + (signs[at % signs.length] ?? "") + char);
const signsIn = fc.array(
  fc.array(fc.constantFrom(...UNSEEN), { maxLength: 3 }).map((some) => some.join("")),
  {
    minLength: 1,
    maxLength: 9,
  },
);
const masked = (stage: SpanStage, pieces: readonly string[]): string =>
  pieces.map((one) => stage.push(one)).join("") + stage.end();
const stageOf = () => new SpanStage(all, ({ category }) => `<${category}>`);

describe.each(Object.entries(VALUES))("%s", (_, value) => {
  test("is found with what nobody sees inside of it, and masked as a whole however it arrives", () => {
    const plain = masked(stageOf(), [`so: ${value}, and`]);
    expect(plain).not.toContain(value.slice(-4));
    fc.assert(
      fc.property(signsIn, fc.integer({ min: 1, max: 7 }), (signs, length) => {
        const text = `so: ${hidden(value, signs)}, and`;
        expect(visibleOnly(stageOf().whole(text))).toBe(plain);
        const units = text.split("");
        const pieces = units.flatMap((_unit, at) => (at % length === 0 ? [units.slice(at, at + length).join("")] : []));
        expect(visibleOnly(masked(stageOf(), pieces))).toBe(plain);
      }),
      { numRuns: 60 },
    );
  });

  test("comes back as it was written, and is told apart from what is beside it", async () => {
    const guards = guardsOf(
      { guardrail: "pii" },
      { guardrail: "secrets" },
      { guardrail: "word_list", words: ["falcon"], action: "mask" },
    );
    const text = `👩‍💻\u200b ${hidden(value, ["\u200b", "\u{e0061}"])} \u200b❤️`;
    const [shown = ""] = await guards.request([text]);
    expect(shown).toMatch(/^👩‍💻\u200b \D*\[[A-Z_]+_1\] \u200b❤️$/u);
    const stage = guards.answer("content", true, () => undefined);
    expect((await stage.push(shown)) + (await stage.end())).toBe(text);
  });
});

test.each(["\0", "\u0008", "\u001f", "\u007f"])("a text of ASCII alone hides nothing behind %j", (sign) => {
  for (const value of Object.values(VALUES))
    expect(visibleOnly(stageOf().whole(hidden(value, [sign])))).toBe(stageOf().whole(value));
});

test("blanks part what stands on either side of them", () => {
  for (const blank of ["\t", "\n", "\v", "\f", "\r"]) {
    const text = `bob@${blank}example.com`;
    expect(stageOf().whole(text)).toBe(text);
  }
});

test("a word that is written with a sign that nobody sees is found with it and without", () => {
  for (const word of ["می‌خواهم", "میخواهم", "می\u200c\u200bخواهم"])
    expect(findAll([words], `من ${word} بروم`)).toHaveLength(1);
});

test.each([
  "👨‍👩‍👧‍👦 🏳️‍🌈 🏴󠁧󠁢󠁥󠁮󠁧󠁿 1️⃣2️⃣3️⃣",
  "کتاب‌ها را می‌بینم و نمی‌توانم",
  "क्‍ष र्‍य ശ്രീ ന്‍",
  "\u200fשלום\u200e 12:30\u200f",
  "Donau\u00addampf\u00adschiff\u00adfahrt",
  "ᠮᠣᠩᠭᠣᠯ᠎ᠠ",
])("text in which such signs belong is left alone: %s", (text) => {
  expect(stageOf().whole(text)).toBe(text);
  expect(masked(stageOf(), text.split(""))).toBe(text);
});

test("more of them than can be held back are refused, where they come one by one", () => {
  const stage = stageOf();
  const pieces = Array.from({ length: 40 }, () => "\u200b".repeat(1_000));
  expect(() => masked(stage, ["bob", ...pieces])).toThrow("signs that nobody sees");
  expect(stageOf().whole(`bob${pieces.join("")}@example.com`)).toBe("<email>");
});
