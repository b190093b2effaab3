import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { guardsOf } from "../../../test/guardrails/guards-of.ts";
import { runs } from "../../../test/property-runs.ts";
import type { CallGuards } from "../call-guards.ts";
import { Vault } from "../vault.ts";
import { quoteMasked } from "./quote-stage.ts";
import { unmaskObject } from "./unmask-stage.ts";

const CARD = 4111111111111111;

async function said(guards: CallGuards, text: string, length: number, saysJson = false): Promise<string[]> {
  let kept = "";
  const stage = guards.answer(
    saysJson ? "content" : "arguments",
    false,
    (piece) => {
      kept += piece;
    },
    saysJson,
  );
  let out = "";
  for (let at = 0; at < text.length; at += length) out += await stage.push(text.slice(at, at + length));
  return [out + (await stage.end()), kept];
}

describe("a number of JSON that is masked", () => {
  const given = `{"a": ${CARD},"b":[${CARD} , -${CARD},1],"c":{"d":${CARD}},"e":"to ${CARD}\\n", "f":[[],true,${CARD}]}`;
  const masked = {
    a: "[CREDIT_CARD_1]",
    b: ["[CREDIT_CARD_1]", "-[CREDIT_CARD_1]", 1],
    c: { d: "[CREDIT_CARD_1]" },
    e: "to [CREDIT_CARD_1]\n",
    f: [[], true, "[CREDIT_CARD_1]"],
  };

  test.each([false, true])("leaves JSON, however it is cut, also in what is said as JSON: %p", async (saysJson) => {
    for (let length = 1; length <= given.length; length++) {
      const guards = guardsOf({ guardrail: "pii", mode: "post_call" });
      for (const text of await said(guards, given, length, saysJson)) expect(JSON.parse(text)).toEqual(masked);
    }
  });

  test("leaves what is stored JSON, too, however small it is", () => {
    const guards = guardsOf({ guardrail: "regex", patterns: ["\\d{4,}"], mode: "logging_only" });
    expect(JSON.parse(guards.stored(`{"a":1234,"b":${CARD},"c":[-1234.5]}`))).toEqual({
      a: "[PATTERN_2]",
      b: "[PATTERN_1]",
      c: ["-[PATTERN_2].5"],
    });
  });

  test("comes back as a number where it was one, and as a text where the model makes it one", async () => {
    const guards = guardsOf({ guardrail: "pii" });
    expect(await guards.request([String(CARD), "bob@example.com"])).toEqual(["[CREDIT_CARD_1]", "[EMAIL_1]"]);
    guards.stoodForNumber("[CREDIT_CARD_1]");
    guards.stoodForNumber("[EMAIL_9]");
    const answer =
      '{"[CREDIT_CARD_1]" : "[CREDIT_CARD_1]","b":["[CREDIT_CARD_1]" , [CREDIT_CARD_1]],"c":"my [CREDIT_CARD_1]","d":[EMAIL_1],"e":"\\"[CREDIT_CARD_1]","f":"[EMAIL_1]"}';
    const whole = {
      [String(CARD)]: CARD,
      b: [CARD, CARD],
      c: `my ${CARD}`,
      d: "bob@example.com",
      e: `"${CARD}`,
      f: "bob@example.com",
    };
    for (let length = 1; length <= answer.length; length++)
      expect(JSON.parse((await said(guards, answer, length))[0] ?? "")).toEqual(whole);
    expect((await said(guards, '{"a":"[CREDIT_CARD_1]"', 3))[0]).toBe(`{"a":${CARD}`);
  });

  test("was a text where only a text was masked", async () => {
    const guards = guardsOf({ guardrail: "pii" });
    await guards.request([String(CARD)]);
    expect((await said(guards, '{"a":"[CREDIT_CARD_1]"}', 4))[0]).toBe(`{"a":"${CARD}"}`);
  });
});

test("any JSON passes as it is where nothing of ours is in it, however it is cut", () => {
  const vault = new Vault();
  vault.mask("x", "email", true);
  vault.mask("x", "email", false);
  const texts = fc.oneof(
    fc.json(),
    fc.string({ unit: fc.constantFrom(...'"\\[]{}:,A_1 -e.\n'.split("")), maxLength: 30 }),
  );
  fc.assert(
    fc.property(texts, fc.integer({ min: 1, max: 9 }), (text, length) => {
      for (const stage of [quoteMasked(() => vault), unmaskObject(vault)]) {
        let out = "";
        for (let at = 0; at < text.length; at += length) out += stage.push(text.slice(at, at + length));
        expect(out + stage.end()).toBe(text);
      }
    }),
    { numRuns: runs(3_000) },
  );
});
