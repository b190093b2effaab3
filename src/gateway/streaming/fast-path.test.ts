import { expect, test } from "bun:test";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { runs } from "../../../test/property-runs.ts";
import type { ChatRequest } from "../../contract/chat.ts";
import { MessageStream } from "../../providers/anthropic/message-stream.ts";
import type { ChunkDecoder } from "../../providers/dialect.ts";
import { GeminiStream } from "../../providers/gemini/stream.ts";
import { DeliveredText } from "../metering/delivered-text.ts";
import { ChunkFrames } from "./chunk-frames.ts";
import { ChunkSource } from "./chunk-reader.ts";
import { ChunkFastPath } from "./fast-path.ts";
import type { UpstreamReader } from "./upstream-reader.ts";

const REQUEST = { model: "m", messages: [] } as unknown as ChatRequest;
const FACTS = { id: "chatcmpl-1", createdSeconds: 7, model: "m" };
const DECODERS: Readonly<Record<string, () => ChunkDecoder>> = {
  anthropic: () => new MessageStream(REQUEST, FACTS),
  gemini: () => new GeminiStream(REQUEST, FACTS, "Google"),
};

/** What is sent of a stream that comes in pieces, event by event, and what is noted of it. */
async function translate(
  sse: string,
  decoder: ChunkDecoder,
  shortcut: ChunkFastPath | null,
  cuts: readonly number[] = [],
) {
  const bytes = new TextEncoder().encode(sse);
  const places = [0, ...cuts.map((cut) => cut % (bytes.length + 1)).sort((a, b) => a - b), bytes.length];
  const waiting = places.slice(1).map((end, index) => bytes.slice(places[index], end));
  const upstream = { read: async () => waiting.shift() ?? null, close: () => undefined } as unknown as UpstreamReader;
  const delivered = new DeliveredText();
  const usages: unknown[] = [];
  const frames = new ChunkFrames(new ChunkSource(upstream, "sse", decoder, () => [], shortcut), {
    includeUsage: true,
    notes: {
      report: (usage) => usages.push(usage),
      follow: () => undefined,
      markTruncated: () => undefined,
      delivered,
    },
    render: (chunk) => chunk,
  });
  let text = "";
  let error: string | null = null;
  try {
    for (let next = await frames.next(); next !== null; next = await frames.next()) text += next;
  } catch (thrown) {
    error = String(thrown);
  }
  const sent = text
    .split("\n\n")
    .filter((event) => event !== "")
    .map((event) => (event === "data: [DONE]" ? event : JSON.parse(event.slice("data: ".length))));
  return { sent, usages, error, said: delivered.text };
}

const sse = (events: readonly (readonly [string | null, unknown])[]) =>
  events.map(([name, data]) => `${name === null ? "" : `event: ${name}\n`}data: ${JSON.stringify(data)}\n\n`).join("");

/** Where a stream is cut into the pieces in which it comes. */
const cuts = fc.array(fc.nat(), { maxLength: 12 });

/** Texts that could be mistaken for what stands around them, too. */
const texts = fc.oneof(
  fc.string({ unit: "binary" }),
  fc.constantFrom(
    " word",
    "",
    '"',
    "\\",
    'text_delta"}}',
    "text",
    "content_block_delta",
    "\n",
    "é✓😀",
    "\u007f",
    "\ud800",
    "m",
  ),
);

test("a message of any texts is sent as it is without the shortcut", async () => {
  const block = (index: number) =>
    fc
      .array(
        fc.oneof(
          texts.map((text) => ({ type: "text_delta", text })),
          fc.constant({ type: "unheard_of" }),
        ),
      )
      .map((deltas) => [
        [
          "content_block_start",
          { type: "content_block_start", index, content_block: { type: "text", text: "" } },
        ] as const,
        ...deltas.map((delta) => ["content_block_delta", { type: "content_block_delta", index, delta }] as const),
        ["content_block_stop", { type: "content_block_stop", index }] as const,
      ]);
  await fc.assert(
    fc.asyncProperty(block(0), block(1), fc.boolean(), cuts, async (first, second, ends, at) => {
      const stream = sse([
        ["message_start", { type: "message_start", message: { id: "msg_1", usage: { input_tokens: 3 } } }],
        ...first,
        ["ping", { type: "ping" }],
        ...second,
        ...(ends
          ? [
              [
                "message_delta",
                { type: "message_delta", delta: { stop_reason: "end_turn" }, usage: { output_tokens: 9 } },
              ] as const,
            ]
          : []),
      ]);
      const slow = await translate(stream, DECODERS.anthropic?.() as ChunkDecoder, null);
      expect(await translate(stream, DECODERS.anthropic?.() as ChunkDecoder, new ChunkFastPath(), at)).toEqual(slow);
    }),
    { numRuns: runs(200) },
  );
});

test("candidates of any texts are sent as they are without the shortcut", async () => {
  const event = fc.record({ text: texts, index: fc.nat(1), thought: fc.boolean(), usage: fc.boolean() });
  await fc.assert(
    fc.asyncProperty(fc.array(event, { maxLength: 30 }), cuts, async (events, at) => {
      const stream = sse(
        events.map(({ text, index, thought, usage }) => [
          null,
          {
            candidates: [{ content: { role: "model", parts: [thought ? { text, thought } : { text }] }, index }],
            ...(usage ? { usageMetadata: { promptTokenCount: 1, totalTokenCount: 1 } } : {}),
          },
        ]),
      );
      const slow = await translate(stream, DECODERS.gemini?.() as ChunkDecoder, null);
      expect(await translate(stream, DECODERS.gemini?.() as ChunkDecoder, new ChunkFastPath(), at)).toEqual(slow);
    }),
    { numRuns: runs(200) },
  );
});

test("events that are written in any of the ways of the standard are sent alike", async () => {
  const written = fc.record({
    text: texts,
    gap: fc.constantFrom("", " ", "  "),
    lineEnd: fc.constantFrom("\n", "\r\n", "\r"),
    extra: fc.constantFrom("", ": a comment", "id: 7", "data: ", "event: other"),
    indent: fc.boolean(),
  });
  await fc.assert(
    fc.asyncProperty(fc.array(written, { maxLength: 20 }), cuts, async (events, at) => {
      const stream = events
        .map(({ text, gap, lineEnd, extra, indent }) => {
          const answer = { candidates: [{ content: { role: "model", parts: [{ text }] }, index: 0 }] };
          const lines = JSON.stringify(answer, null, indent ? 1 : undefined).split("\n");
          return [...(extra ? [extra] : []), ...lines.map((line) => `data:${gap}${line}`), "", ""].join(lineEnd);
        })
        .join("");
      const slow = await translate(stream, DECODERS.gemini?.() as ChunkDecoder, null);
      expect(await translate(stream, DECODERS.gemini?.() as ChunkDecoder, new ChunkFastPath(), at)).toEqual(slow);
    }),
    { numRuns: runs(300) },
  );
});

test("events that stand one behind the other are passed without being cut apart", () => {
  const shortcut = new ChunkFastPath();
  const event = (text: string) => ({ candidates: [{ content: { role: "model", parts: [{ text }] }, index: 0 }] });
  const decoder = new GeminiStream(REQUEST, FACTS, "Google");
  const push = (text: string) => decoder.push({ name: null, data: JSON.stringify(event(text)) });
  push("one");
  shortcut.learn({ name: null, data: JSON.stringify(event("two")) }, push("two"));
  const arrived = { text: sse([" 3", '"\n', "ü", "\u0007", "4"].map((text) => [null, event(text)])), at: 0 };
  const sent = [" 3", '"\n', "ü"].flatMap(push).map((chunk) => `data: ${JSON.stringify(chunk)}\n\n`);
  expect(shortcut.passAll(arrived)).toBe(sent.join(""));
  expect(arrived.text.slice(arrived.at)).toBe(sse(["\u0007", "4"].map((text) => [null, event(text)])));
  expect(shortcut.passAll(arrived)).toBe("");
});

const recorded = Object.keys(DECODERS).flatMap((provider) => {
  const folder = join(import.meta.dir, "../../providers", provider, "fixtures");
  const names = readdirSync(folder).filter((name) => name.endsWith(".sse"));
  return names.map((name) => [provider, name, readFileSync(join(folder, name), "utf8")] as const);
});

test.each(recorded)("%s: %s is sent as it is without the shortcut", async (provider, _name, stream) => {
  const slow = await translate(stream, DECODERS[provider]?.() as ChunkDecoder, null);
  for (const step of [null, 7, 64, 1000]) {
    const at = step === null ? [] : Array.from({ length: stream.length / step }, (_, index) => index * step);
    expect(await translate(stream, DECODERS[provider]?.() as ChunkDecoder, new ChunkFastPath(), at)).toEqual(slow);
  }
});

test("texts that follow one another are not translated one by one", () => {
  const shortcut = new ChunkFastPath();
  const event = (text: string) => ({
    name: "content_block_delta",
    data: JSON.stringify({ type: "content_block_delta", index: 0, delta: { type: "text_delta", text } }),
  });
  const decoder = new MessageStream(REQUEST, FACTS);
  decoder.push({ name: "message_start", data: JSON.stringify({ type: "message_start", message: { id: "msg_1" } }) });
  decoder.push(event("zero"));
  shortcut.learn(event("one"), decoder.push(event("one")));
  expect(shortcut.pass(event(' "two"\n'))).toBe(`data: ${JSON.stringify(decoder.push(event(' "two"\n'))[0])}\n\n`);
  expect(shortcut.pass({ ...event("three"), name: "other" })).toBeNull();
  expect(shortcut.pass(event("four"))).toBeNull();
});
