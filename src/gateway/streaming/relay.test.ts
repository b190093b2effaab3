import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { runs } from "../../../test/property-runs.ts";
import { classifyFailure } from "../../providers/classify.ts";
import type { UpstreamFailure } from "../../providers/dialect.ts";
import { DeliveredText } from "../metering/delivered-text.ts";
import { type RelayOptions, StreamRelay } from "./relay.ts";
import type { UpstreamReader } from "./upstream-reader.ts";
import { textOf } from "./write-stream.ts";

const PROVIDER = { classify: (failure: UpstreamFailure) => classifyFailure(failure, "Theirs") };
const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);
const chunk = (fields: object) =>
  JSON.stringify({ id: "1", object: "chat.completion.chunk", model: "upstream-name", ...fields });
const delta = (content: string) => chunk({ choices: [{ index: 0, delta: { content }, finish_reason: null }] });
const USAGE = { prompt_tokens: 1, completion_tokens: 2, total_tokens: 3 };
const frames = (...data: string[]) => data.map((one) => `data: ${one}\n\n`).join("");

function upstreamOf(pieces: readonly Uint8Array[]): UpstreamReader {
  const waiting = [...pieces];
  const readTo = async (take: (bytes: Uint8Array | null) => unknown) => take(waiting.shift() ?? null);
  return { readTo, close: () => undefined } as unknown as UpstreamReader;
}

/** Relays a stream that arrives in these pieces and gives what was sent on, or what was thrown. */
async function relay(pieces: readonly Uint8Array[], options: Partial<RelayOptions> = {}) {
  const upstream = upstreamOf(pieces);
  const usages: unknown[] = [];
  const delivered = new DeliveredText();
  const source = new StreamRelay(upstream, {
    model: '"asked"',
    includeUsage: false,
    choices: 1,
    renameDelta: null,
    notes: {
      report: (usage) => usages.push(usage),
      markTruncated: () => undefined,
      delivered: {
        get finishes() {
          return delivered.finishes;
        },
        addFrame: (data) => delivered.addFrame(data),
        addChunk: () => undefined,
      },
    },
    provider: PROVIDER,
    ...options,
  });
  let text = "";
  try {
    for (let next = await source.next(); next !== null; next = await source.next()) text += textOf(next);
  } catch (thrown) {
    return { text, usages, error: thrown as Error, said: delivered.text };
  }
  return { text, usages, error: null, said: delivered.text };
}

describe("a relayed stream", () => {
  const whole = frames(
    delta("Hé"),
    delta('the word "model" and \\"usage\\" and "error"'),
    delta("✓"),
    chunk({ choices: [], usage: USAGE }),
    "[DONE]",
  );

  test("says the same whether its events come together or one by one, also where something is said before the name", async () => {
    const loud = (content: string) => {
      const choices = [{ index: 0, delta: { content }, finish_reason: null }];
      return JSON.stringify({ id: "1", text: `(${content})`, model: "upstream-name", choices });
    };
    for (const event of [delta, loud]) {
      const events = [event("Hé"), event("Hé"), event("llo ✓"), event("x".repeat(2_000)), event("end")];
      const together = await relay([bytes(frames(...events, "[DONE]"))]);
      const apart = await relay([...events, "[DONE]"].map((one) => bytes(frames(one))));
      expect(together.said).toContain("Hé");
      expect([apart.said, apart.text]).toEqual([together.said, together.text]);
    }
  });

  test("carries the caller's model name and loses the usage that was not asked for, but it is metered", async () => {
    const { text, usages, error, said } = await relay([bytes(whole)]);
    expect(error).toBeNull();
    expect(said).toBe('Héthe word "model" and \\"usage\\" and "error"✓');
    expect(text).not.toContain("upstream-name");
    expect(text.match(/"model":"asked"/g)).toHaveLength(3);
    expect(text).not.toContain("prompt_tokens");
    expect(text).toEndWith("data: [DONE]\n\n");
    expect(usages).toEqual([USAGE]);
  });

  test("keeps the usage that was asked for", async () => {
    const { text } = await relay([bytes(whole)], { includeUsage: true });
    expect(text).toContain('"prompt_tokens":1');
  });

  test("keeps a chunk that has usage and something to say", async () => {
    const { text, usages } = await relay([
      bytes(frames(chunk({ choices: [{ index: 0, delta: { content: "x" } }], usage: USAGE }), "[DONE]")),
    ]);
    expect(text).toContain('"content":"x"');
    expect(usages).toEqual([USAGE]);
  });

  test("is the same however its bytes are cut", async () => {
    const input = bytes(whole);
    const expected = (await relay([input])).text;
    await fc.assert(
      fc.asyncProperty(fc.array(fc.nat(input.length)), async (cuts) => {
        const edges = [0, ...cuts.sort((a, b) => a - b), input.length];
        const pieces = edges.slice(1).map((end, index) => input.slice(edges[index], end));
        expect((await relay(pieces)).text).toBe(expected);
      }),
      { numRuns: runs(500) },
    );
  });

  /** Events of every kind that upstreams were seen to send, and some that only an enemy would. */
  const event = fc.oneof(
    { weight: 6, arbitrary: fc.string({ unit: "grapheme" }).map((said) => `data: ${delta(said)}\n\n`) },
    fc
      .constantFrom(
        delta('{"model":"upstream-name"}'),
        delta("data: [DONE]\n\n"),
        delta('"usage":{"prompt_tokens":9} "error":{}'),
        delta("x".repeat(100_000)),
        chunk({ choices: [], usage: null }),
        chunk({ choices: [], usage: USAGE }),
        chunk({ choices: [{ index: 0, delta: { reasoning: "hm" } }] }),
        chunk({ choices: [], origin: { model: "upstream-name" } }),
        chunk({ choices: [], error: null }),
        chunk({ choices: [], model: "another-name" }),
        chunk({ choices: [], model: 1 }),
        chunk({ choices: [], model: 12 }),
        '{"choices":[]}',
        '{"origin":{"model":"upstream-name"},"choices":[]}',
        '{"usage" : null,"model" : "upstream-name","choices":[]}',
        '{"model":"upstream-name","choices":[],"usage": {"prompt_tokens":4}}',
      )
      .map((data) => `data: ${data}\n\n`),
    fc.constantFrom(
      ": a comment\n\n",
      "\n",
      `event: message\ndata: ${delta("e")}\n\n`,
      `data:${delta("no blank")}\n\n`,
      'data: {"model":"upstream-name",\ndata: "choices":[]}\n\n',
      `id: 1\nretry: 5\ndata: ${delta("r")}\n\n`,
      `data: ${delta("cr")}\r\n\r\n`,
    ),
    {
      weight: 1,
      arbitrary: fc.constantFrom('data: {"error":{"message":"it broke"}}\n\n', 'data: {"id":\n\n', "data: [DONE]\n\n"),
    },
  );

  test("is the same as when each event is looked at by itself", async () => {
    const renameDelta = { reasoning: "reasoning_content" };
    await fc.assert(
      fc.asyncProperty(
        fc.array(event, { maxLength: 12 }),
        fc.array(fc.double({ min: 0, max: 1, noNaN: true }), { maxLength: 10 }),
        fc.boolean(),
        async (events, cuts, includeUsage) => {
          const text = events.join("");
          const input = bytes(text);
          const options = { includeUsage, renameDelta };
          // A line end of the other kind makes all that follows go one by one.
          const expected = await relay([bytes(`:\r\n\r\n${text}`)], options);
          const edges = [0, ...cuts.map((cut) => Math.floor(cut * input.length)).sort((a, b) => a - b), input.length];
          const pieces = edges.slice(1).map((end, index) => input.slice(edges[index], end));
          expect(await relay(pieces, options)).toEqual(expected);
        },
      ),
      { numRuns: runs(500) },
    );
  });

  /** Each has something wrong that only who parses it sees, and is otherwise a chunk like those around it. */
  const broken = {
    "an open string": '{"id":"1","model":"up","choices":[{"delta":{"content":"a}',
    "an open string behind a usage that is not told yet": '{"id":"1","model":"up","usage":null,"choices":[{"x":"a}',
    "an open string before one": '{"id":"1","model":"up","choices":[{"x":"a}],"usage":null}',
    "a brace too few": '{"id":"1","model":"up","choices":[{"delta":{"content":"a"}]}',
    "an open string before the name": '{"id":"1,"model":"up","choices":[{"x":"a}',
    "open strings around the name": '{"choices":[{"x":"a}],"model":"up","y":"b}',
    "an inner name as well": '{"origin":{"id":1,"model":"up"},"model":"down","choices":[{"x":"a}',
    "no name": '{"id":"1","choices":[{"delta":{"content":"a}',
    "no end": '{"id":"1","model":"up","choices":[{"delta":{"content":"a',
    "an error": '{"id":"1","model":"up","error":null,"choices":[{"x":"a}',
    "a usage that is told": '{"id":"1","model":"up","usage":{"prompt_tokens":1},"choices":[{"x":"a}',
  };
  const ENDS = new Set(["no name", "no end", "an error", "a usage that is told"]);
  /** What makes the events around it take the one way or the other. */
  const around: [string, string, string][] = [
    ["the same head", '{"id":"1","model":"up","choices":[]}', '{"id":"1","model":"up","choices":[]}'],
    ["the name at the end", '{"id":"1","choices":[],"model":"up"}', '{"id":"2","choices":[],"model":"up"}'],
    ["something to look at", '{"id":"1","model":"up","error":null}', '{"id":"2","model":"up","choices":[]}'],
  ];

  const isEventEnd = (input: Uint8Array, at: number) => input[at - 1] === 10 && input[at - 2] === 10;

  test.each(Object.entries(broken))("with a chunk that has %s passes or ends however it is cut", async (what, data) => {
    for (const [, before, after] of around) {
      const input = bytes(frames(before, before.replace('"1"', '"0"'), data, after, "[DONE]"));
      const { text, error } = await relay([bytes(":\r\n\r\n"), input]);
      expect(error === null).toBe(!ENDS.has(what));
      expect(text).toContain('"model":"asked"');
      expect(text.endsWith("data: [DONE]\n\n")).toBe(error === null);
      // Every cut by itself, and with one between two events: what counts is which of them come together.
      const ends = [...Array(input.length + 1).keys()].filter((at) => at === input.length || isEventEnd(input, at));
      for (let first = 0; first < input.length; first++) {
        for (const second of ends.filter((end) => end > first)) {
          const cut = await relay([input.slice(0, first), input.slice(first, second), input.slice(second)]);
          const same = cut.text === text && cut.error?.message === error?.message;
          expect(same ? null : { first, second, ...cut }).toBeNull();
        }
      }
      const single = await relay([...input].map((byte) => Uint8Array.of(byte)));
      expect([single.text, single.error?.message]).toEqual([text, error?.message]);
    }
  });

  test("with any damage is the same however it is cut", async () => {
    const chunks = around.flatMap(([, before, after]) => [before, after]);
    const said =
      '{"id":"1","object":"chat.completion.chunk","model":"up","choices":[{"delta":{"content":"a, b"}}],"usage":null}';
    const late = '{"id":"1","choices":[{"delta":{"content":"a, b"}}],"object":"x","model":"up"}';
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.constantFrom(...chunks), { minLength: 1, maxLength: 4 }),
        fc.constantFrom(said, late),
        fc.nat({ max: 100 }),
        fc.nat({ max: 12 }),
        fc.constantFrom("", '"', "{", "}", "[", "]", ",", "\\", ":", " "),
        fc.nat({ max: 4 }),
        fc.array(fc.double({ min: 0, max: 1, noNaN: true }), { maxLength: 4 }),
        async (others, data, from, length, put, place, cuts) => {
          const damaged = data.slice(0, from) + put + data.slice(from + length);
          const text = frames(...others.toSpliced(place, 0, damaged), "[DONE]");
          const input = bytes(text);
          const expected = await relay([bytes(`:\r\n\r\n${text}`)]);
          const edges = [0, ...cuts.map((cut) => Math.floor(cut * input.length)).sort((a, b) => a - b), input.length];
          const cut = await relay(edges.slice(1).map((end, index) => input.slice(edges[index], end)));
          expect([cut.text, cut.error?.message]).toEqual([expected.text, expected.error?.message]);
        },
      ),
      { numRuns: runs(2_000) },
    );
  });

  test("takes the name of an inner object for its own in no event, whatever came before", async () => {
    const first = '{"model":"up","choices":[]}';
    const inner = '{"origin":{"model":"up"},"choices":[]}';
    const input = frames(first, '{"choices":[]}', first, inner, "[DONE]");
    const pieces = [frames(first), frames('{"choices":[]}'), frames(first, "{}"), frames(inner), frames("[DONE]")];
    expect((await relay([bytes(input)])).text).toContain('{"origin":{"model":"up"},"choices":[],"model":"asked"}');
    expect((await relay(pieces.map(bytes))).text).toContain('{"origin":{"model":"up"},"choices":[],"model":"asked"}');
  });

  test("leaves as the very bytes that came where nothing in them changes", async () => {
    const input = bytes(frames(delta("a"), delta("✓")));
    const upstream = upstreamOf([input]);
    const notes = { report: () => undefined, markTruncated: () => undefined, delivered: new DeliveredText() };
    const source = new StreamRelay(upstream, {
      model: '"upstream-name"',
      includeUsage: false,
      choices: 1,
      renameDelta: null,
      notes,
      provider: PROVIDER,
    });
    expect(await source.next()).toBe(input);
    expect(notes.delivered.text).toBe("a✓");
  });

  test.each([["asked"], ["upstream-name"]])(
    "is text, whatever its bytes are, and begins with an event (model: %s)",
    async (model) => {
      const input = bytes(frames(delta("a"), delta("Hé"), "[DONE]"));
      const broken = input.with(input.indexOf(0xa9), 0xff);
      const marked = Buffer.concat([Buffer.from([0xef, 0xbb, 0xbf]), broken]);
      const options = { model: JSON.stringify(model) };
      const expected = await relay([bytes(`:\r\n\r\n`), broken], options);
      expect(expected.text).toContain("H\uFFFD");
      expect(await relay([broken], options)).toEqual(expected);
      expect(await relay([marked], options)).toEqual(expected);
    },
  );

  test.each([
    ["ends without [DONE]", frames(delta("a"))],
    ["has an error", frames(delta("a"), '{"error":{"message":"it broke"}}')],
    ["has half an object", frames(delta("a"), '{"id":"1","choices":')],
    ["has a page", "<html>busy</html>\n\n"],
    ["is a list", frames("[1]")],
    ["is empty", ""],
  ])("that %s is an error of the upstream", async (_, text) => {
    const { error } = await relay([bytes(text)]);
    expect(error).toMatchObject({ kind: "upstream" });
  });

  test("that ends too soon passes on nothing but whole chunks, wherever it ends", async () => {
    const all = bytes(whole);
    for (let end = 0; end < all.length; end++) {
      const { text, error } = await relay([all.slice(0, end)]);
      const sent = text.split("\n\n").filter((event) => event !== "");
      for (const event of sent) if (event !== "data: [DONE]") JSON.parse(event.slice("data: ".length));
      expect(error === null).toBe(sent.at(-1) === "data: [DONE]");
    }
  });

  test("says nothing after [DONE]", async () => {
    const { text } = await relay([bytes(frames(delta("a"), "[DONE]", delta("late"), "[DONE]"))]);
    expect(text).toBe((await relay([bytes(frames(delta("a"), "[DONE]"))])).text);
  });

  test("that says nothing but [DONE] has failed", async () => {
    for (const sent of [
      frames("[DONE]"),
      `: a comment\n\ndata:\n\n${frames("[DONE]")}`,
      frames("[DONE]", delta("late")),
    ]) {
      const { text, error } = await relay([bytes(sent)]);
      expect([text, error?.message]).toEqual(["", "The provider's stream ended before it said anything."]);
    }
  });

  test("gives a delta's field the name that we use", async () => {
    const thinking = chunk({ choices: [{ index: 0, delta: { reasoning: "hm" } }] });
    const { text } = await relay([bytes(frames(thinking, "[DONE]"))], {
      renameDelta: { reasoning: "reasoning_content" },
    });
    expect(text).toContain('"reasoning_content":"hm"');
  });
});
