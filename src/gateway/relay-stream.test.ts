import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { DeliveredText } from "./metering/delivered-text.ts";
import { type RelayOptions, StreamRelay } from "./relay-stream.ts";
import { textOf } from "./stream-body.ts";
import type { UpstreamReader } from "./upstream-reader.ts";

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
    renameDelta: null,
    notes: {
      report: (usage) => usages.push(usage),
      delivered: { addFrame: (data) => delivered.addFrame(data), addChunk: () => undefined },
    },
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
      { numRuns: 500 },
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
      { numRuns: 500 },
    );
  });

  test("leaves as the very bytes that came where nothing in them changes", async () => {
    const input = bytes(frames(delta("a"), delta("✓")));
    const upstream = upstreamOf([input]);
    const notes = { report: () => undefined, delivered: new DeliveredText() };
    const source = new StreamRelay(upstream, {
      model: '"upstream-name"',
      includeUsage: false,
      renameDelta: null,
      notes,
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

  test("says nothing after [DONE]", async () => {
    const { text } = await relay([bytes(frames("[DONE]", delta("late"), "[DONE]"))]);
    expect(text).toBe("data: [DONE]\n\n");
  });

  test("gives a delta's field the name that we use", async () => {
    const thinking = chunk({ choices: [{ index: 0, delta: { reasoning: "hm" } }] });
    const { text } = await relay([bytes(frames(thinking, "[DONE]"))], {
      renameDelta: { reasoning: "reasoning_content" },
    });
    expect(text).toContain('"reasoning_content":"hm"');
  });
});
