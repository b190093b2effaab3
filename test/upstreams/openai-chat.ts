import { isRecord } from "../../src/lib/json.ts";
import type { Fields } from "./openai-checks.ts";
import type { Reply, Seen } from "./script.ts";

const CREATED = 1_760_000_000;

/** How the members of the family differ in what they answer. */
export interface Flavour {
  /** Where the thoughts of a model stand; OpenAI itself shows none. */
  readonly reasoningField: string;
  /** Events before the first one of a stream. */
  readonly before: readonly object[];
}

let count = 0;
export const newId = (prefix: string): string => `${prefix}${(++count).toString(36).padStart(8, "0")}`;

export function chatAnswer(seen: Seen, reply: Reply, flavour: Flavour): object {
  const calls = callsOf(reply);
  const message = {
    role: "assistant",
    content: reply.text ?? null,
    refusal: null,
    ...(reply.reasoning !== undefined && { [flavour.reasoningField]: reply.reasoning }),
    ...(calls.length > 0 && { tool_calls: calls }),
  };
  const finish_reason = finishOf(reply);
  return {
    id: newId("chatcmpl-"),
    object: "chat.completion",
    created: CREATED,
    model: seen.model,
    choices: choicesOf(seen.body).map((index) => ({ index, message, logprobs: null, finish_reason })),
    usage: usageOf(seen, reply),
    system_fingerprint: "fp_1",
  };
}

export function chatEvents(seen: Seen, reply: Reply, flavour: Flavour): object[] {
  const reports = reportsUsage(seen.body);
  const head = { id: newId("chatcmpl-"), object: "chat.completion.chunk", created: CREATED, model: seen.model };
  const event = (index: number, delta: object, finish_reason: string | null = null) => ({
    ...head,
    choices: [{ index, delta, logprobs: null, finish_reason }],
    ...(reports && { usage: null }),
  });
  const events: object[] = [...flavour.before];
  for (const index of choicesOf(seen.body)) {
    events.push(event(index, { role: "assistant", content: reply.toolCalls ? null : "", refusal: null }));
    for (const piece of piecesOf(reply.reasoning)) events.push(event(index, { [flavour.reasoningField]: piece }));
    for (const piece of piecesOf(reply.text)) events.push(event(index, { content: piece }));
    callsOf(reply).forEach((call, place) => {
      const { name, arguments: text } = call.function;
      const begin = { index: place, id: call.id, type: "function", function: { name, arguments: "" } };
      events.push(event(index, { tool_calls: [begin] }));
      for (const piece of piecesOf(text)) {
        events.push(event(index, { tool_calls: [{ index: place, function: { arguments: piece } }] }));
      }
    });
    events.push(event(index, {}, finishOf(reply)));
  }
  return reports ? [...events, { ...head, choices: [], usage: usageOf(seen, reply) }] : events;
}

export function completionAnswer(seen: Seen, reply: Reply): object {
  return { ...completionEvent(seen, reply.text ?? "", finishOf(reply)), usage: usageOf(seen, reply) };
}

export function completionEvents(seen: Seen, reply: Reply): object[] {
  const events: object[] = piecesOf(reply.text).map((piece) => completionEvent(seen, piece, null));
  events.push(completionEvent(seen, "", finishOf(reply)));
  if (reportsUsage(seen.body)) {
    events.push({ ...completionEvent(seen, "", null), choices: [], usage: usageOf(seen, reply) });
  }
  return events;
}

const completionEvent = (seen: Seen, text: string, finish_reason: string | null) => ({
  id: "cmpl-1",
  object: "text_completion",
  created: CREATED,
  model: seen.model,
  choices: [{ text, index: 0, logprobs: null, finish_reason }],
});

const callsOf = ({ toolCalls = [] }: Reply) =>
  toolCalls.map((call) => ({
    id: newId("call_"),
    type: "function",
    function: { name: call.name, arguments: JSON.stringify(call.arguments) },
  }));

const finishOf = ({ finish, toolCalls }: Reply): string => finish ?? (toolCalls?.length ? "tool_calls" : "stop");

const choicesOf = ({ n }: Fields): number[] => [...Array(typeof n === "number" ? n : 1).keys()];

const reportsUsage = ({ stream_options: options }: Fields): boolean =>
  isRecord(options) && options.include_usage === true;

/** Pieces of a few characters; together they are the text, and no character is cut in two. */
const piecesOf = (text = ""): string[] => text.match(/.{1,5}/gsu) ?? [];

export function usageOf({ userText }: Seen, { usage, text = "" }: Reply): object {
  const input = usage?.input ?? userText.length;
  const output = usage?.output ?? text.length;
  return {
    prompt_tokens: input,
    completion_tokens: output,
    total_tokens: input + output,
    prompt_tokens_details: { cached_tokens: usage?.cacheRead ?? 0, audio_tokens: 0 },
    completion_tokens_details: { reasoning_tokens: usage?.reasoning ?? 0, audio_tokens: 0 },
  };
}
