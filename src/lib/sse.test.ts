import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { runs } from "../../test/property-runs.ts";
import { NdjsonSplitter, type SseEvent, SseSplitter } from "./sse.ts";

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);

/** The name stands before the data where there is one. */
const show = ({ name, data }: SseEvent): string => (name === null ? data : `${name}=${data}`);

function split(input: Uint8Array, cuts: readonly number[]): string[] {
  const splitter = new SseSplitter();
  const events: SseEvent[] = [];
  let from = 0;
  for (const cut of [...cuts].sort((a, b) => a - b)) {
    events.push(...splitter.push(input.slice(from, cut)));
    from = Math.max(from, cut);
  }
  return [...events, ...splitter.push(input.slice(from)), ...splitter.end()].map(show);
}

describe("an event stream", () => {
  test.each([
    ["line feeds", "data: a\n\ndata: b\n\n", ["a", "b"]],
    ["carriage returns", "data: a\r\rdata: b\r\r", ["a", "b"]],
    ["both", "data: a\r\n\r\ndata: b\r\n\r\n", ["a", "b"]],
    ["no space after the colon", "data:a\n\n", ["a"]],
    ["two spaces keep one", "data:  a\n\n", [" a"]],
    ["several data lines of one event", "data: a\ndata: b\n\n", ["a\nb"]],
    ["comments and other fields", ": hi\nevent: x\nid: 1\nretry: 5\ndata: a\n\n", ["x=a"]],
    ["a missing blank line at the end", "data: a\n\ndata: b", ["a", "b"]],
    ["an event without data", "event: ping\n\ndata: a\n\n", ["a"]],
    ["data that is empty, which is no event", "data:\n\ndata: \n\ndata: a\n\n", ["a"]],
    ["nothing", "", []],
  ])("is split with %s", (_, text, events) => {
    expect(split(bytes(text), [])).toEqual(events);
  });

  test("gives the same events however its bytes are cut", () => {
    const line = fc.oneof(
      fc.constant("data: "),
      fc.constant("\n"),
      fc.constant("\r\n"),
      fc.constant("\r"),
      fc.string({ unit: "grapheme" }),
    );
    fc.assert(
      fc.property(fc.array(line), fc.array(fc.nat(400)), (lines, cuts) => {
        const input = bytes(lines.join(""));
        expect(
          split(
            input,
            cuts.map((cut) => Math.min(cut, input.length)),
          ),
        ).toEqual(split(input, []));
      }),
      { numRuns: runs(2_000) },
    );
  });

  test("with an endless line is refused", () => {
    const splitter = new SseSplitter(1_000);
    expect(() => splitter.push(bytes(`data: ${"x".repeat(2_000)}`))).toThrow(RangeError);
  });
});

test("lines of JSON are events of their own, blank ones none", () => {
  const splitter = new NdjsonSplitter();
  const events = [...splitter.push(bytes('{"a":1}\n\n{"b"')), ...splitter.push(bytes(":2}\r\n{}")), ...splitter.end()];
  expect(events.map((event) => event.data)).toEqual(['{"a":1}', '{"b":2}', "{}"]);
});
