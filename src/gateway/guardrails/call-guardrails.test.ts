import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { guardsOf } from "../../../test/guardrails/guards-of.ts";
import { runs } from "../../../test/property-runs.ts";
import type { GuardrailParams } from "../../contract/guardrails.ts";
import { sseText } from "../../lib/sse.ts";
import { type FrameSource, textOf } from "../streaming/write-stream.ts";
import { ResponseGuard } from "./response-guard.ts";

type Piece = { content?: string; reasoning_content?: string; tool?: string };

/** A stream of chunks, some of them in one read, as upstreams send them. */
class Frames implements FrameSource {
  finished = false;
  closed = false;
  private at = 0;

  constructor(
    private readonly frames: readonly string[],
    private readonly together: number,
    private readonly fault: Error | null = null,
  ) {}

  async next(): Promise<string | null> {
    const taken = this.frames.slice(this.at, this.at + this.together);
    this.at += taken.length;
    if (taken.length === 0 && this.fault) throw this.fault;
    this.finished = taken.includes(sseText("[DONE]"));
    return taken.length === 0 ? null : taken.join("");
  }

  close(): void {
    this.closed = true;
  }
}

const chunk = (choices: object[], more: object = {}): string =>
  sseText(JSON.stringify({ id: "x", object: "chat.completion.chunk", created: 1, model: "m", choices, ...more }));
const deltaOf = ({ tool, ...delta }: Piece) =>
  tool === undefined ? delta : { tool_calls: [{ index: 0, function: { arguments: tool } }] };

function framesOf(pieces: readonly Piece[], ends = true): string[] {
  return [
    chunk([{ index: 0, delta: { role: "assistant", content: "" }, finish_reason: null }]),
    ...pieces.map((piece) => chunk([{ index: 0, delta: deltaOf(piece), logprobs: null, finish_reason: null }])),
    ...(ends ? [chunk([{ index: 0, delta: {}, finish_reason: "stop" }])] : []),
    chunk([], { usage: { total_tokens: 3 } }),
    sseText("[DONE]"),
  ];
}

async function read(source: FrameSource) {
  const said = { content: "", reasoning: "", tool: "", finish: 0, usage: 0, done: false, frames: 0, error: "" };
  try {
    for (let frames = await source.next(); frames !== null; frames = await source.next()) {
      for (const frame of textOf(frames)
        .split("\n\n")
        .filter((one) => one !== "")) {
        said.frames++;
        const data = frame.replace(/^data: /, "");
        if (data === "[DONE]") {
          said.done = true;
          continue;
        }
        const { choices, usage } = JSON.parse(data);
        if (usage) said.usage++;
        for (const { delta, finish_reason } of choices) {
          said.content += delta.content ?? "";
          said.reasoning += delta.reasoning_content ?? "";
          said.tool += delta.tool_calls?.[0]?.function.arguments ?? "";
          if (finish_reason !== null) said.finish++;
        }
      }
    }
  } catch (thrown) {
    said.error = String(thrown);
  }
  return said;
}

const cut = (text: string, lengths: readonly number[]): string[] => {
  const pieces: string[] = [];
  for (let at = 0, turn = 0; at < text.length; turn++) {
    const length = (lengths[turn % lengths.length] ?? 0) + 1;
    pieces.push(text.slice(at, at + length));
    at += length;
  }
  return pieces;
};
const texts = fc
  .array(
    fc.constantFrom(
      "bob@example.com",
      "[EMAIL_1]",
      "[EMAIL_2]",
      "10.0.0.1",
      " ",
      "a",
      "[",
      "_1]",
      "falcon",
      ". ",
      "\n",
      "é😀",
      "\u2028data: ",
      '"',
    ),
    { maxLength: 12 },
  )
  .map((parts) => parts.join(""));
const lengths = fc.array(fc.nat({ max: 9 }), { minLength: 1, maxLength: 8 });
const pii: GuardrailParams = { guardrail: "pii", mode: ["pre_call", "post_call"] };

describe("a stream through guardrails", () => {
  test("says what the plain answer says, however it is cut and whether its choice ends or not", async () => {
    await fc.assert(
      fc.asyncProperty(
        texts,
        texts,
        lengths,
        fc.integer({ min: 1, max: 4 }),
        fc.boolean(),
        async (asked, said, cuts, together, ends) => {
          const guards = guardsOf(pii);
          guards.request([asked]);
          const tool = JSON.stringify({ said });
          const body = {
            choices: [
              { message: { content: said, reasoning_content: said, tool_calls: [{ function: { arguments: tool } }] } },
            ],
          };
          const other = guardsOf(pii);
          other.request([asked]);
          const plain = JSON.parse(await new ResponseGuard(other, "chat", null).plain(JSON.stringify(body)));
          const { content, reasoning_content, tool_calls } = plain.choices[0].message;
          const pieces: Piece[] = [
            ...cut(said, cuts).map((reasoning_content) => ({ reasoning_content })),
            ...cut(said, cuts).map((content) => ({ content })),
            ...cut(tool, cuts).map((tool) => ({ tool })),
          ];
          const guard = new ResponseGuard(guards, "chat", null);
          const streamed = await read(
            guard.frames(new Frames(framesOf(pieces, ends), together), async () => undefined),
          );
          expect(streamed).toMatchObject({ finish: ends ? 1 : 0, usage: 1, done: true, error: "" });
          // Each text numbers what it masks by itself, so that the numbers may differ where the order does.
          const plainly = (text: string) => text.replace(/_\d+\]/g, "_#]");
          expect(plainly(streamed.content)).toBe(plainly(content));
          expect(plainly(streamed.reasoning)).toBe(plainly(reasoning_content));
          expect(plainly(streamed.tool)).toBe(plainly(tool_calls[0].function.arguments));
          expect(() => JSON.parse(streamed.tool)).not.toThrow();
        },
      ),
      { numRuns: runs(400) },
    );
  });

  test("ends before the refused word, however it is cut", async () => {
    await fc.assert(
      fc.asyncProperty(lengths, fc.integer({ min: 1, max: 4 }), async (cuts, together) => {
        const refused: unknown[] = [];
        const guard = new ResponseGuard(
          guardsOf({ guardrail: "word_list", words: ["falcon"], mode: "post_call" }),
          "chat",
          null,
        );
        const frames = framesOf(cut("It flies. A falcon does.", cuts).map((content) => ({ content })));
        const said = await read(
          guard.frames(new Frames(frames, together), async (thrown) => void refused.push(thrown)),
        );
        expect(said.error).toContain("The guardrail `g0` refused the answer: word.");
        expect(said).toMatchObject({ done: false, finish: 0 });
        expect("It flies. A ".startsWith(said.content)).toBe(true);
        // The books are told beforehand only where the caller has nothing yet.
        expect(refused.length).toBe(said.frames === 0 ? 1 : 0);
      }),
    );
  });

  test("that the upstream breaks off gives what was held back, and then the fault", async () => {
    const guard = new ResponseGuard(guardsOf({ guardrail: "pii", mode: "post_call" }), "chat", null);
    const frames = framesOf([{ content: "Write to " }, { content: "bob@exam" }]).slice(0, 3);
    const said = await read(guard.frames(new Frames(frames, 1, new Error("broken")), async () => undefined));
    expect(said).toMatchObject({ content: "Write to bob@exam", error: "Error: broken", done: false });
  });

  test("tells no probabilities of words that were masked", async () => {
    const guard = new ResponseGuard(guardsOf({ guardrail: "pii", mode: "post_call" }), "chat", null);
    const logprobs = { content: [{ token: "bob@example.com" }] };
    const frames = [
      chunk([{ index: 0, delta: { content: "bob@example.com " }, logprobs, finish_reason: null }]),
      chunk([{ index: 0, delta: { thinking_blocks: [{ thinking: "bob@example.com" }] }, finish_reason: "stop" }]),
      sseText("[DONE]"),
    ];
    const source = guard.frames(new Frames(frames, 3), async () => undefined);
    expect(await source.next()).not.toContain("bob@example.com");
  });

  describe("that may be refused", () => {
    const blocking: GuardrailParams = { guardrail: "pii", mode: "post_call", action: "block" };
    const all = async (...given: object[]): Promise<string> => {
      const frames = [...given.map((choice) => chunk([{ index: 0, ...choice }])), sseText("[DONE]")];
      const guard = new ResponseGuard(guardsOf(blocking), "chat", null);
      const source = guard.frames(new Frames(frames, 1), async () => undefined);
      let out = "";
      try {
        for (let next = await source.next(); next !== null; next = await source.next()) out += textOf(next);
        return out;
      } catch (thrown) {
        return `${out}${thrown}`;
      }
    };
    const thought = (thinking: string) => ({
      delta: { reasoning_content: thinking, thinking_blocks: [{ thinking }] },
      logprobs: { content: [{ token: thinking }] },
      finish_reason: null,
    });

    test("tells by nothing else what is held back, and gives the rest at its end", async () => {
      const end = { delta: { content: " so" }, finish_reason: "stop" };
      const refused = await all(thought("to bob@example.com"), end);
      expect(refused).toContain("refused the answer: email");
      expect(refused).not.toContain("bob");
      const said = await all(thought("to "), thought("bob"), end);
      const last = JSON.parse(said.split("\n\n").at(-3)?.replace("data: ", "") ?? "");
      expect(last.choices[0].delta.thinking_blocks).toEqual([{ thinking: "to " }, { thinking: "bob" }]);
      expect(last.choices[0].logprobs).toEqual({ content: [{ token: "to " }, { token: "bob" }] });
    });

    test("is refused for what it says in parts, too", async () => {
      const part = (text: string) => ({ type: "text", text });
      const parts = (...content: object[]) => ({ delta: { content }, finish_reason: null });
      const end = { delta: {}, finish_reason: "stop" };
      for (const given of [
        [parts(part("to bob@exam")), parts(part("ple.com"))],
        [parts({ type: "thinking", thinking: [part("bob@")] }), parts({ type: "thinking", thinking: [part("x.com")] })],
      ]) {
        const refused = await all(...given, end);
        expect(refused).toContain("refused the answer: email");
        expect(refused).not.toContain("bob");
      }
      const said = await all(parts(part("to")), parts(part(" bob")), end);
      expect(Array.from(said.matchAll(/"text":"([^"]*)"/g), ([, text]) => text).join("")).toBe("to bob");
    });
  });

  test("is the very same where nothing looks at answers", () => {
    const source = new Frames([], 1);
    const guard = new ResponseGuard(guardsOf({ guardrail: "pii", mode: "pre_call" }), "chat", null);
    expect(guard.frames(source, async () => undefined)).toBe(source);
  });
});

test("a transcript that is masked tells no words one by one", async () => {
  const words: GuardrailParams = {
    guardrail: "word_list",
    words: ["project falcon"],
    action: "mask",
    mode: "post_call",
  };
  const text = "the project falcon";
  const one = [{ word: "project" }, { word: "falcon" }];
  const body = { text, words: one, segments: [{ id: 0, text, tokens: [1, 2], words: one }] };
  const shown = await new ResponseGuard(guardsOf(words), "transcription", null).plain(JSON.stringify(body));
  const masked = "the [WORD_1]";
  expect(JSON.parse(shown)).toEqual({ text: masked, segments: [{ id: 0, text: masked }] });
});

test("what comes back into an answer that has to be JSON leaves it JSON", async () => {
  const guards = guardsOf({ guardrail: "regex", patterns: ['x"\\ny'], action: "mask" });
  await guards.request(['x"\ny']);
  const guard = new ResponseGuard(guards, "chat", null, true);
  const content = '{"a":"[PATTERN_1]"}';
  const shown = JSON.parse(await guard.plain(JSON.stringify({ choices: [{ index: 0, message: { content } }] })));
  expect(JSON.parse(shown.choices[0].message.content)).toEqual({ a: 'x"\ny' });
  const frames = new Frames(framesOf(content.split("").map((piece) => ({ content: piece }))), 1);
  const said = await read(guard.frames(frames, async () => undefined));
  expect(JSON.parse(said.content)).toEqual({ a: 'x"\ny' });
});

test("an answer in parts is looked at as any other", async () => {
  const guard = new ResponseGuard(guardsOf({ guardrail: "pii", mode: "post_call" }), "chat", null);
  const content = [
    { type: "thinking", thinking: [{ type: "text", text: "a@b.com" }] },
    { type: "text", text: "a@b.com" },
  ];
  const shown = await guard.plain(JSON.stringify({ choices: [{ index: 0, message: { content } }] }));
  expect(shown).not.toContain("a@b.com");
  expect(shown.match(/\[EMAIL_1\]/g)).toHaveLength(2);
});
