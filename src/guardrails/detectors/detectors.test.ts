import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { compilePattern } from "../../lib/linear-pattern.ts";
import { PERSONAL, SECRETS } from "../entities.ts";
import { findAll } from "../scanner.ts";
import { hasRun, isAlphanumeric } from "./characters.ts";
import { passesLuhn } from "./credit-card.ts";
import { entropyOf } from "./high-entropy.ts";
import { remainder97 } from "./iban.ts";
import { PatternDetector } from "./pattern.ts";
import { WordList } from "./word-list.ts";

const ALL = { ...PERSONAL, ...SECRETS };
const foundIn = (entity: string, text: string): string[] =>
  findAll(ALL[entity] ?? [], text).map(({ start, end }) => text.slice(start, end));

/** A real-looking value never stands in this file in one piece: scanners of repositories would take it for a leak. */
const joined = (...parts: string[]): string => parts.join("");
const random = (length: number): string => {
  const chars = "aZ3kQ9xW7bT2mL5vR8nC4pY6sD1gH0jF";
  return Array.from({ length }, (_, index) => chars[(index * 7 + (index % 5)) % chars.length]).join("");
};
const OPENAI = joined("sk-", "proj-", random(40));
const GITHUB = joined("gh", "p_", random(36));
const AWS = joined("AK", "IA", "IOSFODNN7EXAMPLE");
const KEY_BODY = Array.from({ length: 5 }, () => random(32).repeat(2)).join("\n");
const PRIVATE = joined("-----BEGIN RSA PRIVATE", " KEY-----\n", KEY_BODY, "\n-----END RSA PRIVATE", " KEY-----");
const JWT = joined(
  "ey",
  "JhbGciOiJIUzI1NiJ9",
  ".ey",
  "JzdWIiOiIxMjM0NTY3ODkwIn0",
  ".dozjgNryP4J3jVmNHl0w5N_XgL0n3I9PlFUP0THsR8U",
);

describe("what is found", () => {
  test.each([
    ["email", "Write to bob.smith+news@mail.example.co.uk.", "bob.smith+news@mail.example.co.uk"],
    ["email", "(alice@example.com)", "alice@example.com"],
    ["email", "联系bob@example.com谢谢", "bob@example.com"],
    ["email", "宛先：ｂｏｂ＠ｅｘａｍｐｌｅ．ｃｏｍ", "ｂｏｂ＠ｅｘａｍｐｌｅ．ｃｏｍ"],
    ["phone", "電話０９０－１２３４－５６７８まで", "０９０－１２３４－５６７８"],
    ["credit_card", "４１１１　１１１１　１１１１　１１１１", "４１１１　１１１１　１１１１　１１１１"],
    ["email", "<a href='mailto:x_1@sub-domain.example.org'>", "x_1@sub-domain.example.org"],
    ["email", "An Jörg.Müller@bücher.example.de, bitte", "Jörg.Müller@bücher.example.de"],
    ["email", "почта: иван@пример.рф", "иван@пример.рф"],
    ["email", "4×bob@example.com", "bob@example.com"],
    ["phone", "Call +49 30 901820 today", "+49 30 901820"],
    ["phone", "Call +49\u00a030\u202f901820 today", "+49\u00a030\u202f901820"],
    ["phone", "415\u2011555\u20112671", "415\u2011555\u20112671"],
    ["phone", "0049 30 901820", "0049 30 901820"],
    ["phone", "0049 (30) 901820.", "0049 (30) 901820"],
    ["phone", "Call (415) 555-2671.", "(415) 555-2671"],
    ["phone", "415-555-2671", "415-555-2671"],
    ["phone", "+1 (415) 555-2671!", "+1 (415) 555-2671"],
    ["phone", "tel. 030 / 9018200", null],
    ["phone", "tel. 030/9018200", "030/9018200"],
    ["phone", "+4915112345678", "+4915112345678"],
    ["credit_card", "pay with 4111 1111 1111 1111 now", "4111 1111 1111 1111"],
    ["credit_card", "5500-0055-5555-5559", "5500-0055-5555-5559"],
    ["credit_card", "5500\u00a00055\u00a05555\u00a05559", "5500\u00a00055\u00a05555\u00a05559"],
    ["credit_card", "5500–0055–5555–5559", "5500–0055–5555–5559"],
    ["credit_card", "5500\u200b0055\u200b5555\u200b5559", "5500\u200b0055\u200b5555\u200b5559"],
    ["credit_card", "amex 378282246310005,", "378282246310005"],
    ["credit_card", "4111 1111 1111 1111 12 28", "4111 1111 1111 1111"],
    ["iban", "IBAN DE89 3704 0044 0532 0130 00.", "DE89 3704 0044 0532 0130 00"],
    [
      "iban",
      "DE89\u202f3704\u202f0044\u202f0532\u202f0130\u202f00",
      "DE89\u202f3704\u202f0044\u202f0532\u202f0130\u202f00",
    ],
    ["iban", "gb82west12345698765432", "gb82west12345698765432"],
    ["iban", "FR14 2004 1010 0505 0001 3M02 606", "FR14 2004 1010 0505 0001 3M02 606"],
    ["us_ssn", "ssn 123-45-6789.", "123-45-6789"],
    ["us_ssn", "ssn 123 45 6789", "123 45 6789"],
    ["us_ssn", "ssn 123\u201145\u20116789", "123\u201145\u20116789"],
    ["ip_address", "from 192.168.10.254.", "192.168.10.254"],
    ["ip_address", "at 2001:db8::ff00:42:8329 now", "2001:db8::ff00:42:8329"],
    ["ip_address", "[::ffff:192.0.2.128]", "::ffff:192.0.2.128"],
    ["api_key", `key ${OPENAI}, please`, OPENAI],
    ["api_key", `"${GITHUB}"`, GITHUB],
    ["api_key", `AWS_ACCESS_KEY_ID=${AWS}`, AWS],
    ["api_key", joined("a xo", "xb-", "0123456789 b"), joined("xo", "xb-", "0123456789")],
    ["api_key", joined("xa", "pp-", "0123456789"), joined("xa", "pp-", "0123456789")],
    ["api_key", joined("da", "pi", "0123456789abcdef".repeat(2)), joined("da", "pi", "0123456789abcdef".repeat(2))],
    ["jwt", `Bearer ${JWT}`, JWT],
    ["private_key", `before\n${PRIVATE}\nafter`, PRIVATE],
    ["private_key", JSON.stringify({ key: PRIVATE }), JSON.stringify(PRIVATE).slice(1, -1)],
    ["password", "password: hunter2-is-long", "hunter2-is-long"],
    ["password", 'API_KEY = "abc123def456"', "abc123def456"],
    ["password", "postgres://app:s3cr3t!@db.internal/x", "s3cr3t!"],
    ["password", "pwd=abcdefg8", "abcdefg8"],
    ["password", "curl -H 'Authorization: Bearer abc123def456'", "abc123def456"],
    ["password", '{"authorization": "Basic dXNlcjpwYXNz0="}', "dXNlcjpwYXNz0="],
    ["high_entropy", `value ${random(40)} end`, random(40)],
    ["high_entropy", random(28), random(28)],
  ])("%s in %j", (entity, text, expected) =>
    expect(foundIn(entity, text)).toEqual(expected === null ? [] : [expected]),
  );

  test("a key whose last line is missing is found as far as it goes", () => {
    const cut = PRIVATE.slice(0, PRIVATE.indexOf("\n-----END"));
    expect(foundIn("private_key", `${cut} and so on`)).toEqual([cut]);
  });
});

describe("what is not", () => {
  test.each([
    ["email", "a @ b.com, @handle, user@localhost, x@y"],
    ["phone", "2024-01-15 and 10.0.0.1 and 1000 2000 and version 1.2.3.4567 and 12345678"],
    ["phone", "1999–2024, 10–20 and 0012345678 and 00 12 34 56 78"],
    ["credit_card", "4111 1111 1111 1112 and 1234567812345670 and 12345678901234567890123"],
    ["credit_card", "A4111111111111111 4111111111111111B"],
    ["iban", "DE89 3704 0044 0532 0130 01 and ZZ89370400440532013000 and DE8937040044053201300"],
    ["us_ssn", "000-12-3456 666-12-3456 912-12-3456 123-00-4567 123-45-0000 123-45-67890 1-123-45-6789"],
    ["ip_address", "256.1.1.1 1.2.3 1.2.3.4.5 10:30:45 std::vector ::"],
    ["api_key", "sk-short ask-me-anything-about-anything AKIA ghp_short"],
    ["jwt", "eyJhbGciOi.eyJzdW.x"],
    ["password", "password: required; the token is short; secret=abc"],
    ["high_entropy", "d41d8cd98f00b204e9800998ecf8427e 123e4567-e89b-12d3-a456-426614174000"],
    ["high_entropy", "this-is-a-long-name-of-a-thing-with-dashes AnotherVeryLongIdentifierOfAProgram"],
    ["high_entropy", random(201)],
  ])("%s in %j", (entity, text) => expect(foundIn(entity, text)).toEqual([]));
});

test("the first look for a run of characters sees what an expression finds", () => {
  const text = fc.string({ unit: fc.constantFrom("a", "0", " ", "ü"), maxLength: 40 });
  fc.assert(
    fc.property(text, fc.nat(10), fc.integer({ min: 1, max: 6 }), (given, from, length) => {
      const expected = new RegExp(`[a0]{${length}}`).test(given.slice(from));
      expect(hasRun(given, from, isAlphanumeric, length)).toBe(expected);
    }),
  );
});

describe("checksums", () => {
  test("one wrong digit is noticed", () => {
    expect(passesLuhn("4111111111111111")).toBe(true);
    for (let place = 0; place < 16; place++) {
      const digits = "4111111111111111".split("");
      digits[place] = String((Number(digits[place]) + 1) % 10);
      expect(passesLuhn(digits.join(""))).toBe(false);
    }
    expect(remainder97("GB82WEST12345698765432")).toBe(1);
    expect(remainder97("GB82WEST12345698765423")).not.toBe(1);
  });

  test("entropy is that of Shannon", () => {
    expect(entropyOf("aaaa")).toBe(0);
    expect(entropyOf("abcd")).toBe(2);
  });
});

describe("word lists", () => {
  test.each(["project  x", "project\nx", "Project\r\n\tX", "project\u00a0x", "pro\u00adject x", "project \u200bx"])(
    "find a phrase however its blanks are written: %j",
    (text) => {
      expect(inList(`of ${text}!`)).toEqual([text]);
    },
  );

  const list = new WordList(["Falcon", "project x", "straße", "project x-ray"], "word", true);
  const inList = (text: string, detector = list) =>
    findAll([detector], text).map(({ start, end }) => text.slice(start, end));

  test("are looked for as words, without regard to case, the longest first", () => {
    expect(inList("FALCON, the falconer; Project X-Ray, project x, STRAßE")).toEqual([
      "FALCON",
      "Project X-Ray",
      "project x",
      "STRAßE",
    ]);
  });

  test.each([
    "_falcon_",
    "__the falcon__",
    "falcon🦅",
    "🦅falcon",
    "❤️falcon",
    "falconの計画",
    "その falcon",
    "ＦＡＬＣＯＮ",
  ])("are found beside what is no letter of a word: %j", (text) => {
    expect(inList(text).map((found) => found.normalize("NFKC").toLowerCase())).toEqual(["falcon"]);
  });

  test("are found where a script has no blanks, and not in the middle of a letter or a longer word", () => {
    expect(inList("ｆａｌｃｏｎ falcon", new WordList(["Ｆａｌｃｏｎ"], "word", true))).toHaveLength(2);
    expect(inList("これは東京計画です", new WordList(["東京計画"], "word", true))).toEqual(["東京計画"]);
    const rare = "\u{1e900}";
    for (const text of [`falcon${rare}`, `${rare}falcon`, "falcón", "falcoń", "falcon7", "falcon_id", "__my_falcon"])
      expect(inList(text)).toEqual([]);
    expect(inList("\ud83d falcon \udd85, falcon\ud83d")).toEqual(["falcon", "falcon"]);
  });

  test("or anywhere", () => {
    expect(inList("the falconer", new WordList(["falcon"], "word", false))).toEqual(["falcon"]);
  });
});

describe("patterns", () => {
  const inText = (source: string, text: string, reach = 100) =>
    findAll([new PatternDetector("own", compilePattern(source), reach)], text).map(({ start, end }) =>
      text.slice(start, end),
    );

  test("are found with what stands around them", () => {
    expect(inText(String.raw`\bEMP-\d{4}\b`, "EMP-1234, xEMP-1234, EMP-12345, EMP-9999")).toEqual([
      "EMP-1234",
      "EMP-9999",
    ]);
    expect(inText("(?i)^secret", "Secret secret")).toEqual(["Secret"]);
    expect(inText("a+", `${"-".repeat(5_000)}aaa${"-".repeat(5_000)}aa`)).toEqual(["aaa", "aa"]);
  });

  test.each(["(?=a)", String.raw`(a)\1`, "(", "a*", String.raw`\b`, "((a{100}){100}){100}"])(
    "%s is refused",
    (source) => expect(() => compilePattern(source)).toThrow(),
  );

  /** Patterns that run for ever elsewhere, on the text that makes them. Steps are characters that the engine is given. */
  test.each([
    ["(a+)+$", `${"a".repeat(400_000)}!`, 1_000_000],
    ["(a|a)*b", "a".repeat(400_000), 1_000_000],
    ["^(([a-z])+.)+[A-Z]([a-z])+$", "a".repeat(400_000), 1_000_000],
    ["(?:x+x+)+y", "x".repeat(400_000), 1_000_000],
    // Each match looks to the end of what it is given: their number is what is bounded here.
    ["a.*z|a", "a".repeat(400_000), 30_000_000],
  ])(
    "%s takes a bounded number of steps on a long text",
    (source, text, stepsMax) => {
      const compiled = compilePattern(source);
      let steps = 0;
      const counted = {
        find(given: string, from: number) {
          steps += given.length - from;
          return compiled.find(given, from);
        },
      };
      try {
        findAll([new PatternDetector("own", counted, 1_000)], text);
      } catch (thrown) {
        expect(String(thrown)).toContain("too much");
      }
      expect(steps).toBeGreaterThan(0);
      expect(steps).toBeLessThan(stepsMax);
    },
    60_000,
  );

  test("what matches without an end in sight is refused", () => {
    expect(() => inText("a+", "a".repeat(100))).toThrow("too much");
    expect(inText("a+", "a".repeat(99))).toEqual(["a".repeat(99)]);
  });
});
