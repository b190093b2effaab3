import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { runs } from "../../../test/property-runs.ts";
import { compilePattern } from "../../lib/linear-pattern.ts";
import type { Detector } from "../detector.ts";
import { PatternDetector } from "../detectors/pattern.ts";
import { WordList } from "../detectors/word-list.ts";
import { PERSONAL, SECRETS } from "../entities.ts";
import { findAll } from "../scanner.ts";
import { Vault } from "../vault.ts";
import { SpanStage } from "./span-stage.ts";
import { chain, type Stage } from "./stage.ts";
import { asJsonText, UnmaskStage } from "./unmask-stage.ts";

const personal = Object.values(PERSONAL).flat();
const secrets = Object.values(SECRETS).flat();
const own = [
  new PatternDetector("employee", compilePattern(String.raw`\bEMP-\d{4}\b`), 30),
  new PatternDetector("quoted", compilePattern(`"[^"]*"`), 40),
  new WordList(["falcon", "project x", "project x-ray", "d"], "word", true),
  new WordList(["ab", "aba"], "part", false),
];
const DETECTORS: readonly (readonly [string, readonly Detector[]])[] = [
  ["personal data", personal],
  ["secrets", secrets],
  ["patterns and words", own],
  ["all of them", [...personal, ...secrets, ...own]],
];

/** Pieces that are found, almost found, or stand between: put together in any order, without a blank or with one. */
const PIECES = [
  ..."bob@example.com alice.b@mail.example.co.uk a@b @ +49 30 901820 (415) 555-2671 415-555-2671 030/9018200".split(
    " ",
  ),
  ..."4111 1111 1111 1111 4111111111111111 5500-0055-5555-5559 378282246310005 123-45-6789 192.168.10.254".split(" "),
  ..."2001:db8::ff00:42:8329 ::ffff:192.0.2.128 :: 10:30 DE89370400440532013000 GB82 WEST 1234 5698 7654 32".split(" "),
  ...["DE89 3704 0044 0532 0130 00", "password: hunter2-long", "token=", "postgres://app:s3cr3t!@", "EMP-1234", '"'],
  ...[
    "-----BEGIN PRIVATE",
    " KEY-----",
    "\nMIIEvQIBADANBg\n",
    "-----END PRIVATE",
    "-----",
    "Falcon",
    "project x",
    "-ray",
  ],
  ...[
    "sk-",
    "aZ3kQ9xW7bT2mL5vR8nC4pY6sD1gH0jF",
    "gh",
    "p_",
    "eyJhbGciOiJIUzI1NiJ9",
    ".",
    ",",
    "abab",
    "[EMAIL_1]",
    "[",
    "]",
  ],
  ...[
    "müller@bücher.de",
    "0049 30 901820",
    "4111\u00a01111\u20111111\u20091111",
    "DE89\u202f3704\u202f0044\u202f0532\u202f0130\u202f00",
    "Authorization: Bearer ",
    "\u00a0",
    "project  x",
    "project\nx",
    "\u200b",
    "é",
    "ß",
    "😀",
    "\n",
    "\\n",
    "\u0130",
    "の",
    "_",
    "❤\ufe0f",
    "０９０－１２３４－５６７８",
    "ｗｏｒｄ",
    " ",
    "  ",
    "-",
    "/",
    "0",
    "7",
    "x",
    "word",
    "The end. ",
  ],
];
const texts = fc
  .array(fc.oneof({ arbitrary: fc.constantFrom(...PIECES), weight: 6 }, fc.string({ maxLength: 6, unit: "binary" })), {
    maxLength: 14,
  })
  .map((pieces) => pieces.join(""));
const cuts = fc.array(fc.nat({ max: 40 }), { minLength: 1, maxLength: 30 });

function split(text: string, lengths: readonly number[]): string[] {
  const pieces: string[] = [];
  for (let at = 0, turn = 0; at < text.length; turn++) {
    const length = lengths[turn % lengths.length] || 1;
    pieces.push(text.slice(at, at + length));
    at += length;
  }
  return pieces;
}

function run(stage: Stage, pieces: readonly string[]): string {
  const out = pieces.map((piece) => stage.push(piece));
  return [...out, stage.end()].join("");
}

const outcome = (work: () => string): string => {
  try {
    return work();
  } catch (thrown) {
    return String(thrown);
  }
};

describe.each(DETECTORS)("%s", (_, detectors) => {
  const masking = (vault: Vault) =>
    new SpanStage(detectors, ({ category }, found) => vault.mask(found, category, true));

  test("however a text is cut, the same is found in it", () => {
    fc.assert(
      fc.property(texts, cuts, (text, lengths) => {
        const whole = outcome(() => run(masking(new Vault()), [text]));
        expect(outcome(() => run(masking(new Vault()), split(text, lengths)))).toBe(whole);
      }),
      { numRuns: runs(3_000) },
    );
  });

  test("what is found in pieces is what is found at once", () => {
    fc.assert(
      fc.property(texts, cuts, (text, lengths) => {
        const seen: string[] = [];
        const stage = new SpanStage(detectors, ({ category }, found) => {
          seen.push(`${category} ${found}`);
          return "";
        });
        const failed = outcome(() => run(stage, split(text, lengths))).startsWith("Error");
        if (failed) return;
        expect(seen).toEqual(findAll(detectors, text).map((m) => `${m.category} ${text.slice(m.start, m.end)}`));
      }),
      { numRuns: runs(1_000) },
    );
  });

  test("what was masked comes back, however it is cut", () => {
    fc.assert(
      fc.property(texts, cuts, cuts, (text, lengths, others) => {
        const vault = new Vault();
        vault.reserve(text);
        const masked = outcome(() => run(masking(vault), split(text, lengths)));
        if (masked.startsWith("Error")) return;
        expect(run(new UnmaskStage(vault), split(masked, others))).toBe(text);
        const json = JSON.stringify({ text: masked });
        expect(JSON.parse(run(new UnmaskStage(vault, asJsonText), split(json, others)))).toEqual({ text });
      }),
      { numRuns: runs(2_000) },
    );
  });
});

describe("what is held back", () => {
  test.each([
    ["Hello there, how are ", "you", "Hello there, how are you"],
    ["Write to bob@exam", "", "Write to "],
    ["Write to bob@example.com. Then", "", "Write to [EMAIL_1]. Then"],
    ["It costs 41", "", "It costs "],
    ["The BIC, DE89 3704 0044", "", "The BIC, "],
  ])("of %j then %j", (first, second, expected) => {
    const vault = new Vault();
    const stage = new SpanStage(personal, ({ category }, found) => vault.mask(found, category, true));
    const out = stage.push(first) + stage.push(second);
    expect(expected.startsWith(out) && expected.length - out.length <= 4).toBe(true);
  });

  test("is bounded, whatever comes", () => {
    for (const piece of [
      "a",
      "1",
      "@",
      "-",
      "A1 ",
      "-----BEGIN PRIVATE KEY-----\nAAAA",
      "eyJaaaaaaaaaaaa.",
      "4 ",
      '"x',
    ]) {
      let [given, taken] = [0, 0];
      const stage = new SpanStage([...personal, ...secrets], (match) => {
        given -= match.end - match.start - 1;
        return "*";
      });
      for (let turn = 0; turn < 1_200; turn++) {
        given += piece.length;
        taken += stage.push(piece).length;
        expect(given - taken).toBeLessThan(14_000);
      }
    }
  });
});

describe("a vault", () => {
  test("gives a value one placeholder, and none that stands in the request", () => {
    const vault = new Vault();
    vault.reserve("I wrote [EMAIL_1] myself");
    expect([
      vault.mask("a@b.co", "email", true),
      vault.mask("c@d.co", "email", true),
      vault.mask("a@b.co", "email", true),
    ]).toEqual(["[EMAIL_2]", "[EMAIL_3]", "[EMAIL_2]"]);
    expect(run(new UnmaskStage(vault), ["[EMAIL_1] [EM", "AIL_", "2] [EMAIL_9] [EMAIL_3"])).toBe(
      "[EMAIL_1] a@b.co [EMAIL_9] [EMAIL_3",
    );
  });

  test("does not give back what is not to come back", () => {
    const vault = new Vault();
    const [kept, lost] = [vault.mask("x", "own thing", true), vault.mask("x", "own thing", false)];
    expect(run(new UnmaskStage(vault), [`${kept} ${lost}`])).toBe(`x ${lost}`);
  });

  test("comes back where it is written in another case, unless the request has it so", () => {
    const vault = new Vault();
    vault.reserve("my [email_1]");
    expect(vault.mask("bob", "email", true)).toBe("[EMAIL_2]");
    expect(run(new UnmaskStage(vault), "[Email_2] [email_1] [EMAIL_1] [eMAIL_2".split(""))).toBe(
      "bob [email_1] [EMAIL_1] [eMAIL_2",
    );
  });
});

test("stages behind each other pass everything on, with promises or without", async () => {
  const upper: Stage = { push: (text) => text.toUpperCase(), end: () => "!" };
  const later: Stage = { push: async (text) => `<${text}>`, end: async () => "." };
  const chained = chain([upper, upper]);
  expect([chained.push("a"), chained.end()]).toEqual(["A", "!!"]);
  const mixed = chain([upper, later, upper]);
  expect([await mixed.push("a"), await mixed.end()]).toEqual(["<A>", "<!>.!"]);
});

describe("time", () => {
  /** Texts of 400 kB on which a careless search takes time that grows with the square of their length. */
  const HARD: readonly string[] = [
    "a".repeat(400_000),
    "1".repeat(400_000),
    "1 ".repeat(200_000),
    "@".repeat(400_000),
    "a@".repeat(200_000),
    "a.".repeat(200_000),
    ":".repeat(400_000),
    "A1".repeat(200_000),
    "DE89 ".repeat(80_000),
    "eyJ".repeat(130_000),
    `${"-----BEGIN PRIVATE KEY-----\n".repeat(14_000)}`,
    "password=".repeat(44_000),
    "a://b:".repeat(66_000),
    "bob@example.com ".repeat(25_000),
    "( 0 (".repeat(80_000),
    '"'.repeat(400_000),
  ];

  /** Steps are what the detectors look at, counted by wrapping the text's length: here, by what each call may cost. */
  test("a long text is looked through in a bounded number of steps", () => {
    for (const text of HARD) {
      let calls = 0;
      const counted = [...personal, ...secrets].map((one) => ({
        next: (all: string, from: number) => {
          calls++;
          return one.next(all, from);
        },
        open: one.open,
      }));
      findAll(counted, text);
      expect(calls).toBeLessThan(12 * text.length);
    }
  }, 60_000);

  test("a stream without a break is not looked through anew with each of its pieces", () => {
    for (const text of [...HARD, "sk-".repeat(10_000), "SG.aaaaaaaaaaaaaaaaaaaaaaaa".repeat(1_000)]) {
      let looks = 0;
      const counted = secrets.map((one) => ({
        next: (all: string, from: number) => {
          looks += all.length - from;
          return one.next(all, from);
        },
        open: one.open,
      }));
      const stage = new SpanStage(counted, (_, found) => found);
      const given = text.slice(0, 20_000);
      let out = "";
      for (let at = 0; at < given.length; at += 4) out += stage.push(given.slice(at, at + 4));
      expect(out + stage.end()).toBe(given);
      expect(looks).toBeLessThan(80 * secrets.length * given.length);
    }
  }, 60_000);
});
