import { expect, test } from "bun:test";
import { TranscriptNotes } from "./transcript-notes.ts";

const USAGE = { type: "tokens", input_tokens: 3, output_tokens: 4, total_tokens: 7 };

test.each(["\n", "\r\n"])("the count of a stream of events is found behind any text (line end %j)", (end) => {
  const reported: unknown[] = [];
  const notes = new TranscriptNotes({
    report: (usage: unknown) => reported.push(usage),
    count: () => undefined,
    delivered: { add: () => undefined },
    keep: () => undefined,
  } as never);
  const events = [
    { type: "transcript.text.delta", delta: "one\u2028" },
    { type: "transcript.text.done", text: "one\u2028data: {two\u2029", usage: USAGE },
  ];
  const text = events.map((event) => `data: ${JSON.stringify(event)}${end}${end}`).join("");
  notes.bytes(new TextEncoder().encode(`${text}data: [DONE]${end}${end}`));
  notes.whole();
  expect(reported).toEqual([USAGE]);
});
