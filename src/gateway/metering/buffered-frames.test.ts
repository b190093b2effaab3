import { expect, test } from "bun:test";
import fc from "fast-check";
import { HeldFrames } from "./buffered-frames.ts";

const piece = fc.oneof(
  fc.string({ unit: "grapheme" }),
  fc.constantFrom("x".repeat(1023), "✓".repeat(1023), "é".repeat(1024), "x".repeat(5000)),
);

test("held frames are given back whole and in their order, however they came", () => {
  fc.assert(
    fc.property(fc.array(fc.array(fc.tuple(piece, fc.boolean()), { maxLength: 30 })), (rounds) => {
      const held = new HeldFrames();
      for (const pieces of rounds) {
        for (const [text, asBytes] of pieces) held.add(asBytes ? Buffer.from(text) : text);
        expect(held.take()).toBe(pieces.map(([text]) => text).join(""));
        expect(held.length).toBe(0);
      }
    }),
  );
});

test("a frame that is held is not changed by those that follow what was taken", () => {
  const held = new HeldFrames();
  held.add("first");
  const taken = held.take();
  held.add("other");
  expect([taken, held.take()]).toEqual(["first", "other"]);
});
