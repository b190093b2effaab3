import { expect, test } from "bun:test";
import { GatewayError } from "../../contract/errors.ts";
import { Deadlines } from "../../lib/deadlines.ts";
import { classifyFailure } from "../../providers/classify.ts";
import type { Exchange } from "../attempts/upstream-request.ts";
import { DeliveredText } from "../metering/delivered-text.ts";
import { StreamRelay } from "./relay.ts";
import { UpstreamReader } from "./upstream-reader.ts";
import { textOf } from "./write-stream.ts";

const PAUSE_MS = 60_000;
const TOTAL_MS = 600_000;
const USAGE = { prompt_tokens: 5, completion_tokens: 1 };

/** A stream whose upstream says what the test lets it say, on a clock that the test moves. */
function open(choices = 1) {
  let nowMs = 0;
  const deadlines = new Deadlines(() => nowMs);
  const timeUp = () => new GatewayError("timeout", "The model did not answer in time.");
  const deadline = deadlines.start(new AbortController().signal, TOTAL_MS, timeUp);
  let upstream: ReadableStreamDefaultController<Uint8Array> | null = null;
  const body = new ReadableStream<Uint8Array>({
    start(controller) {
      upstream = controller;
    },
  });
  deadline.signal.addEventListener("abort", () => upstream?.error(deadline.signal.reason));
  const exchange = { response: new Response(body), deadline } as unknown as Exchange;
  const relay = new StreamRelay(new UpstreamReader(exchange, PAUSE_MS), {
    model: '"asked"',
    includeUsage: true,
    choices,
    renameDelta: null,
    notes: { report: () => undefined, markTruncated: () => undefined, delivered: new DeliveredText() },
    provider: { classify: (failure) => classifyFailure(failure, "Theirs") },
  });
  const say = (text: string) => upstream?.enqueue(new TextEncoder().encode(text));
  return {
    say,
    /** One chunk, and what is sent on of it. */
    async pass(index: number, content: string, finish_reason: string | null, usage?: object): Promise<string> {
      const chunk = { id: "1", model: "theirs", choices: [{ index, delta: { content }, finish_reason }], usage };
      say(`data: ${JSON.stringify(chunk)}\n\n`);
      return textOf((await relay.next()) ?? "");
    },
    /** What is said next, once the reader waits for it: on a slow machine it lets others go first. */
    async ask(): Promise<{ readonly said: Promise<string> }> {
      const said = relay.next().then((bytes) => textOf(bytes ?? ""));
      await new Promise((resolve) => setImmediate(resolve));
      return { said };
    },
    wait(ms: number) {
      nowMs += ms;
      deadlines.check();
      return deadline.signal.aborted;
    },
    end: () => relay.close(),
  };
}

test.each(["", "null", null])(
  "a reason to end that is none, %p, ends nothing, however long a word takes",
  async (reason) => {
    const { pass, ask, wait, say, end } = open();
    await pass(0, "Hello", reason, USAGE);
    const { said } = await ask();
    expect([wait(1_000), wait(5_000), wait(50_000)]).toEqual([false, false, false]);
    say(`data: ${JSON.stringify({ model: "theirs", choices: [{ index: 0, delta: { content: " world" } }] })}\n\n`);
    expect(await said).toContain(" world");
    end();
  },
);

test("of several choices all are waited for, though one has told its end twice", async () => {
  const { pass, ask, wait, say, end } = open(2);
  await pass(0, "a", "stop");
  await pass(0, "", "stop", USAGE);
  const { said } = await ask();
  expect([wait(1_000), wait(5_000)]).toEqual([false, false]);
  say(`data: ${JSON.stringify({ model: "theirs", choices: [{ index: 1, delta: { content: "b" } }] })}\n\n`);
  expect(await said).toContain('"b"');
  end();
});

test("an answer that is whole is not waited for, with its count for a second and without it for five", async () => {
  for (const [usage, ms] of [
    [USAGE, 1_000],
    [undefined, 5_000],
  ] as const) {
    const { pass, ask, wait } = open();
    await pass(0, "Hello", "stop", usage);
    const { said } = await ask();
    let waited = 0;
    while (!wait(100)) waited += 100;
    expect(waited + 100).toBe(ms);
    expect(await said).toContain("[DONE]");
  }
});

test("an answer that is whole ends well at the limit of the call, too, where its upstream goes on to say nothing", async () => {
  const { pass, ask, wait, say } = open();
  await pass(0, "Hello", "stop", USAGE);
  const { said } = await ask();
  for (let ms = 0; ms < TOTAL_MS; ms += 500) {
    say(": keep-alive\n\n");
    await Bun.sleep(0);
    wait(500);
  }
  expect(await said).toContain("[DONE]");
});
