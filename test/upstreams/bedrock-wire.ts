import { EventStreamCodec } from "@smithy/eventstream-codec";
import type { Reply } from "./script.ts";

export type Block = Readonly<Record<string, unknown>>;

export const isObject = (value: unknown): value is Block =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** An error as Bedrock words it: the type in a header, the message in the body. */
export class Refusal extends Error {
  constructor(
    private readonly status: number,
    private readonly type: string,
    message: string,
  ) {
    super(message);
  }

  response(): Response {
    const headers = { "x-amzn-errortype": `${this.type}:http://internal.amazon.com/coral/com.amazon.bedrock/` };
    return Response.json({ message: this.message }, { status: this.status, headers });
  }
}

export interface WireEvent {
  readonly type: string;
  readonly payload: object;
}

const encoder = new TextEncoder();
const decoder = new TextDecoder();
const codec = new EventStreamCodec(
  (bytes) => decoder.decode(bytes),
  (text) => encoder.encode(text),
);

function encodeEvent({ type, payload }: WireEvent): Uint8Array {
  const isException = type.endsWith("Exception");
  const kind = isException ? "exception" : "event";
  const header = (value: string) => ({ type: "string" as const, value });
  return codec.encode({
    headers: {
      [`:${kind}-type`]: header(type),
      ":content-type": header("application/json"),
      ":message-type": header(kind),
    },
    body: encoder.encode(JSON.stringify(payload)),
  });
}

const STOP_REASONS = { stop: "end_turn", length: "max_tokens", content_filter: "content_filtered" } as const;

const stopReason = (reply: Reply, content: readonly Block[]): string =>
  reply.finish === undefined && content.some((block) => "toolUse" in block)
    ? "tool_use"
    : STOP_REASONS[reply.finish ?? "stop"];

function usage({ usage }: Reply): object {
  const { input = 10, output = 5, cacheRead = 0, cacheWrite = 0 } = usage ?? {};
  return {
    inputTokens: input,
    outputTokens: output,
    totalTokens: input + output + cacheRead + cacheWrite,
    cacheReadInputTokens: cacheRead,
    cacheWriteInputTokens: cacheWrite,
  };
}

export const plainAnswer = (reply: Reply, content: readonly Block[]): object => ({
  metrics: { latencyMs: 12 },
  output: { message: { role: "assistant", content } },
  stopReason: stopReason(reply, content),
  usage: usage(reply),
});

export function answerEvents(reply: Reply, content: readonly Block[]): readonly WireEvent[] {
  return [
    { type: "messageStart", payload: { role: "assistant", p: "abc" } },
    ...content.flatMap((block, index) => blockEvents(block, index)),
    { type: "messageStop", payload: { stopReason: stopReason(reply, content), p: "abcd" } },
    { type: "metadata", payload: { usage: usage(reply), metrics: { latencyMs: 12 }, p: "ab" } },
  ];
}

function blockEvents(block: Block, contentBlockIndex: number): readonly WireEvent[] {
  const delta = (part: object): WireEvent => ({
    type: "contentBlockDelta",
    payload: { contentBlockIndex, delta: part, p: "abcdef" },
  });
  const stop: WireEvent = { type: "contentBlockStop", payload: { contentBlockIndex, p: "a" } };
  if (typeof block.text === "string") return [...pieces(block.text).map((text) => delta({ text })), stop];
  if ("toolUse" in block) {
    const { toolUseId, name, input } = block.toolUse as Block;
    const start = { contentBlockIndex, start: { toolUse: { toolUseId, name } } };
    const inputs = pieces(JSON.stringify(input)).map((piece) => delta({ toolUse: { input: piece } }));
    return [{ type: "contentBlockStart", payload: start }, ...inputs, stop];
  }
  const { text, signature } = (block.reasoningContent as { reasoningText: Block }).reasoningText;
  return [
    ...pieces(String(text)).map((piece) => delta({ reasoningContent: { text: piece } })),
    delta({ reasoningContent: { signature } }),
    stop,
  ];
}

/** By characters, so that no surrogate pair is cut. */
const pieces = (text: string): string[] => {
  const characters = [...text];
  const found: string[] = [];
  for (let at = 0; at < characters.length; at += 7) found.push(characters.slice(at, at + 7).join(""));
  return found;
};

const FAILED: WireEvent = { type: "internalServerException", payload: { message: "The system failed." } };

/** A stream that is cut ends inside an event, as a lost connection does. */
export function eventStream(events: readonly WireEvent[], { cutAfter, errorAfter }: Reply): Response {
  const messages = events.map(encodeEvent);
  const whole = messages.slice(0, Math.min(cutAfter ?? messages.length, errorAfter ?? messages.length));
  const next = messages[whole.length];
  if (errorAfter !== undefined) whole.push(encodeEvent(FAILED));
  else if (next !== undefined) whole.push(next.slice(0, 20));
  const body = new ReadableStream<Uint8Array>({
    pull(controller) {
      const message = whole.shift();
      if (message === undefined) controller.close();
      else controller.enqueue(message);
    },
  });
  return new Response(body, { headers: { "content-type": "application/vnd.amazon.eventstream" } });
}
