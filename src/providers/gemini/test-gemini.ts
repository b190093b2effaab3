import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { ChatChunk, ChatRequest } from "../../contract/chat.ts";
import type { AnswerFacts, ChunkDecoder, StreamEvent, Target, UpstreamRequest } from "../dialect.ts";

/** What the tests of this folder and of `vertex/` share: targets, requests, fixtures and a reader of chunks. */
export const target = (change: Partial<Target> = {}): Target => ({
  provider: "gemini",
  upstreamModel: "gemini-2.5-flash",
  apiBase: null,
  apiKey: "key-1",
  apiVersion: null,
  params: {},
  env: () => undefined,
  ...change,
});

export const facts: AnswerFacts = { id: "chatcmpl-Abc123", createdSeconds: 1_700_000_000, model: "my-model" };

export const chat = (fields: Readonly<Record<string, unknown>> = {}): ChatRequest =>
  ({ model: "my-model", messages: [{ role: "user", content: "Hi" }], ...fields }) as ChatRequest;

export function bodyOf(request: UpstreamRequest): Record<string, unknown> {
  if (typeof request.body !== "string") throw new Error("the body is not text");
  return JSON.parse(request.body);
}

const path = (name: string): string => join(import.meta.dir, "fixtures", name);
export const fixtureText = (name: string): string => readFileSync(path(name), "utf8");
export const fixture = (name: string): unknown => JSON.parse(fixtureText(`${name}.json`));

export const eventsOf = (name: string): StreamEvent[] =>
  fixtureText(`${name}.sse`)
    .split(/\r?\n\r?\n/)
    .filter((event) => event !== "")
    .map((event) => ({ name: null, data: event.replace(/^data: /, "") }));

export const run = (decoder: ChunkDecoder, events: readonly StreamEvent[]): ChatChunk[] => [
  ...events.flatMap((event) => decoder.push(event)),
  ...decoder.end(),
];

interface Grown {
  index: number;
  message: Record<string, unknown>;
  finish_reason: string | null;
  logprobs?: { content: unknown[]; refusal: null };
}

/** Puts chunks together as OpenAI's clients do, and checks their order on the way. */
export function accumulate(chunks: readonly ChatChunk[]) {
  const choices = new Map<number, Grown>();
  let usage: unknown;
  for (const chunk of chunks) {
    if (usage !== undefined) throw new Error("a chunk follows the usage");
    if (chunk.choices.length === 0) usage = chunk.usage;
    for (const { index, delta, finish_reason, logprobs } of chunk.choices) {
      const known = choices.get(index);
      if (known === undefined && delta.role !== "assistant") throw new Error("the first chunk has no role");
      if (known?.finish_reason) throw new Error("a chunk follows the finish");
      if (finish_reason !== null && Object.keys(delta).length > 0) throw new Error("the last delta is not empty");
      const grown = known ?? { index, message: { content: null }, finish_reason: null };
      choices.set(index, grown);
      grown.finish_reason = finish_reason;
      grow(grown.message, delta);
      if (logprobs) {
        const content = [...(grown.logprobs?.content ?? []), ...contentOf(logprobs)];
        grown.logprobs = { content, refusal: null };
      }
    }
  }
  const { id, created, model } = chunks[0] ?? { id: "", created: 0, model: "" };
  const sorted = [...choices.values()].sort((one, other) => one.index - other.index);
  return { id, object: "chat.completion", created, model, choices: sorted, ...(usage === undefined ? {} : { usage }) };
}

const contentOf = (logprobs: unknown): unknown[] => (logprobs as { content: unknown[] }).content;

function grow(message: Record<string, unknown>, delta: Readonly<Record<string, unknown>>): void {
  for (const [name, value] of Object.entries(delta)) {
    const known = message[name];
    if (typeof value === "string" && name !== "role") message[name] = `${known ?? ""}${value}`;
    else if (name === "tool_calls") message[name] = [...((known as unknown[]) ?? []), ...toolCalls(value)];
    else if (name === "images") message[name] = [...((known as unknown[]) ?? []), ...(value as unknown[])];
    else message[name] = value;
  }
}

/** Our upstream gives every call whole, so that a delta of calls is a list of calls. */
const toolCalls = (value: unknown): unknown[] => (value as { index: number }[]).map(({ index: _, ...call }) => call);
