import { expect, test } from "bun:test";
import fc from "fast-check";
import { runs } from "../../../test/property-runs.ts";
import { DeliveredText } from "./delivered-text.ts";

const FIELDS = ["content", "reasoning_content", "reasoning", "arguments", "text", "refusal"] as const;

/** The fields and their values, as one expression has them. */
const SAID = /"(?:content|reasoning_content|reasoning|arguments|text|refusal)"\s*:\s*"((?:[^"\\]|\\.)*)"/g;

test("what frames have said is all of it, in their order", () => {
  const said = fc.string({ unit: "grapheme" });
  fc.assert(
    fc.property(fc.array(fc.tuple(fc.constantFrom(...FIELDS), said, fc.boolean())), (pieces) => {
      const delivered = new DeliveredText();
      for (const [field, text, asBytes] of pieces) {
        const frame = `data: ${JSON.stringify({ choices: [{ index: 0, delta: { role: null, [field]: text } }] })}\n\n`;
        delivered.addFrame(asBytes ? Buffer.from(frame) : frame);
      }
      expect(delivered.text).toBe(pieces.map(([, text]) => text).join(""));
    }),
  );
});

test("of frames that are no JSON the same is read as of any", () => {
  const token = fc.constantFrom('"content"', '"text"', ":", " ", '"', "\\", "\\\\", "a", "{", "é", '"content":"');
  fc.assert(
    fc.property(fc.array(token, { maxLength: 30 }), (tokens) => {
      const frames = tokens.join("");
      const delivered = new DeliveredText();
      delivered.addFrame(frames);
      const expected = [...frames.matchAll(SAID)].map(([, text = ""]) => {
        try {
          return JSON.parse(`"${text}"`) as string;
        } catch {
          return text;
        }
      });
      expect(delivered.text).toBe(expected.join(""));
    }),
    { numRuns: runs(2_000) },
  );
});
