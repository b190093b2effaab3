import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { cutText, parseStops } from "./cut.ts";

describe("cutText", () => {
  test("a stop text that spans pieces ends the answer before it", () => {
    const cut = cutText("one two three four", ["wo th"], 100);
    expect(cut).toEqual({ pieces: ["one", " t"], finish: "stop" });
  });

  test("the first stop text in the answer wins, not the first of the list", () => {
    expect(cutText("a b c", ["c", "b"], 100).pieces.join("")).toBe("a ");
  });

  test("no stop text is ever in what is sent", () => {
    const text = fc.string({ unit: fc.constantFrom("a", "b", " ") });
    const stop = fc.string({ unit: fc.constantFrom("a", "b", " "), minLength: 1, maxLength: 4 });
    fc.assert(
      fc.property(text, fc.array(stop, { maxLength: 4 }), fc.nat(10), (said, stops, max) => {
        const sent = cutText(said, stops, max).pieces.join("");
        return said.startsWith(sent) && stops.every((one) => !sent.includes(one));
      }),
    );
  });

  test("too many pieces are cut with the reason `length`", () => {
    expect(cutText("one two three", [], 2)).toEqual({ pieces: ["one", " two"], finish: "length" });
    expect(cutText("one two three", [], 3).finish).toBe("stop");
  });
});

describe("parseStops", () => {
  test("a text and a list of up to four are read", () => {
    expect(parseStops({})).toEqual([]);
    expect(parseStops({ stop: "x" })).toEqual(["x"]);
    expect(parseStops({ stop: ["a", "b", "c", "d"] })).toHaveLength(4);
  });

  test("five, an empty text and other types are refused", () => {
    for (const stop of [["a", "b", "c", "d", "e"], "", [1], 7]) expect(() => parseStops({ stop })).toThrow();
  });
});
