// What OpenAI answers to a response: its types are those of the official client.

import type { Responses } from "openai/resources";
import { isRecord } from "../../src/lib/json.ts";
import { newId } from "./openai-chat.ts";
import type { Fields } from "./openai-checks.ts";
import { textOf } from "./openai-look.ts";
import { SEAL } from "./openai-responses-checks.ts";
import type { Reply, Seen } from "./script.ts";

const CREATED = 1_760_000_000;

/** What the model of a response sees. */
export function lookAtResponse(body: Fields): Seen {
  const { input } = body;
  const given = typeof input === "string" ? [{ type: "message", role: "user", content: input }] : input;
  const items: readonly Fields[] = (Array.isArray(given) ? given : []).filter(isRecord);
  const textsOf = (...roles: readonly string[]) =>
    items.filter(({ role }) => roles.includes(String(role))).map(({ content }) => textOf(content));
  const instructions = typeof body.instructions === "string" ? [body.instructions] : [];
  const images = items.flatMap(({ content }) => (Array.isArray(content) ? content : []));
  return {
    model: String(body.model),
    userText: textsOf("user").at(-1) ?? "",
    systemText: [...instructions, ...textsOf("system", "developer")].join("\n"),
    tools: (Array.isArray(body.tools) ? body.tools : []).map((tool: unknown) =>
      isRecord(tool) ? String(tool.name) : "",
    ),
    toolResults: items.filter(({ type }) => type === "function_call_output").map(({ output }) => textOf(output)),
    images: images.filter((part: unknown) => isRecord(part) && part.type === "input_image").length,
    stream: body.stream === true,
    body,
  };
}

/** The client makes `output_text` itself. */
type Answer = Omit<Responses.Response, "output_text" | "access_programs">;

export function responseAnswer(seen: Seen, reply: Reply): Answer {
  const incomplete = reply.finish === "length" || reply.finish === "content_filter";
  const reason = reply.finish === "length" ? "max_output_tokens" : "content_filter";
  return {
    ...begun(seen),
    status: incomplete ? "incomplete" : "completed",
    incomplete_details: incomplete ? { reason } : null,
    output: outputOf(seen.body, reply, incomplete ? "incomplete" : "completed"),
    usage: usageOf(seen, reply),
  };
}

const begun = ({ model, body }: Seen): Answer =>
  ({
    id: newId("resp_"),
    object: "response",
    created_at: CREATED,
    status: "in_progress",
    error: null,
    incomplete_details: null,
    instructions: null,
    metadata: {},
    model,
    output: [],
    parallel_tool_calls: true,
    temperature: 1,
    tool_choice: "auto",
    tools: [],
    top_p: 1,
    service_tier: body.service_tier === "flex" ? "flex" : "default",
    store: body.store !== false,
    text: { format: { type: "text" } },
    truncation: "disabled",
  }) as Answer;

/** A thought is sealed, or told in a summary, only for who asks for it. */
function outputOf(body: Fields, reply: Reply, status: "completed" | "incomplete"): Responses.ResponseOutputItem[] {
  const { reasoning, text, toolCalls = [] } = reply;
  const output: Responses.ResponseOutputItem[] = [];
  if (reasoning !== undefined) {
    const isSummed = isRecord(body.reasoning) && body.reasoning.summary != null;
    const isSealed = Array.isArray(body.include) && body.include.includes("reasoning.encrypted_content");
    output.push({
      type: "reasoning",
      id: newId("rs_"),
      summary: isSummed ? [{ type: "summary_text", text: reasoning }] : [],
      ...(isSealed && { encrypted_content: `${SEAL}${reasoning.length}` }),
    });
  }
  if (text !== undefined) {
    const content: Responses.ResponseOutputText = { type: "output_text", text, annotations: [], logprobs: [] };
    output.push({ type: "message", id: newId("msg_"), role: "assistant", status, content: [content] });
  }
  for (const { name, arguments: given } of toolCalls) {
    const called = { name, arguments: JSON.stringify(given) };
    output.push({ type: "function_call", id: newId("fc_"), call_id: newId("call_"), ...called, status: "completed" });
  }
  return output;
}

function usageOf({ userText }: Seen, { usage, text = "" }: Reply): Responses.ResponseUsage {
  const input = usage?.input ?? userText.length;
  const output = usage?.output ?? text.length;
  return {
    input_tokens: input,
    input_tokens_details: { cached_tokens: usage?.cacheRead ?? 0, cache_write_tokens: usage?.cacheWrite ?? 0 },
    output_tokens: output,
    output_tokens_details: { reasoning_tokens: usage?.reasoning ?? 0 },
    total_tokens: input + output,
  };
}

/** Each event with its number, as it comes. */
type Told = { readonly [Type in Responses.ResponseStreamEvent as Type["type"]]: Omit<Type, "sequence_number"> };
type Event = Told[keyof Told];

export function responseEvents(seen: Seen, reply: Reply): { readonly before: object[]; readonly told: object[] } {
  const whole = responseAnswer(seen, reply) as Responses.Response;
  const response = { ...begun(seen), id: whole.id } as Responses.Response;
  const before: Event[] = [
    { type: "response.created", response },
    { type: "response.in_progress", response },
  ];
  const told: Event[] = whole.output.flatMap((item, at) => itemEvents(item, at));
  const end: Event =
    whole.status === "incomplete"
      ? { type: "response.incomplete", response: whole }
      : { type: "response.completed", response: whole };
  let sequence_number = 0;
  const numbered = (event: Event): object => ({ ...event, sequence_number: sequence_number++ });
  return { before: before.map(numbered), told: [...told, end].map(numbered) };
}

function itemEvents(item: Responses.ResponseOutputItem, output_index: number): Event[] {
  const done: Event = { type: "response.output_item.done", output_index, item };
  const added = (begun: Responses.ResponseOutputItem): Event => ({
    type: "response.output_item.added",
    output_index,
    item: begun,
  });
  switch (item.type) {
    case "message":
      return [added({ ...item, status: "in_progress", content: [] }), ...textEvents(item, output_index), done];
    case "function_call":
      return [added({ ...item, status: "in_progress", arguments: "" }), ...callEvents(item, output_index), done];
    case "reasoning":
      return [added({ id: item.id, type: "reasoning", summary: [] }), ...thoughtEvents(item, output_index), done];
    default:
      throw new Error(`there is no ${item.type} here`);
  }
}

const piecesOf = (text: string): string[] => text.match(/.{1,5}/gsu) ?? [];

function textEvents({ id, content }: Responses.ResponseOutputMessage, output_index: number): Event[] {
  const [part] = content;
  if (part?.type !== "output_text") return [];
  const at = { item_id: id, output_index, content_index: 0 };
  return [
    { type: "response.content_part.added", ...at, part: { ...part, text: "" } },
    ...piecesOf(part.text).map((delta): Event => ({ type: "response.output_text.delta", ...at, delta, logprobs: [] })),
    { type: "response.output_text.done", ...at, text: part.text, logprobs: [] },
    { type: "response.content_part.done", ...at, part },
  ];
}

function callEvents(item: Responses.ResponseFunctionToolCall, output_index: number): Event[] {
  const at = { item_id: item.id ?? "", output_index };
  return [
    ...piecesOf(item.arguments).map(
      (delta): Event => ({ type: "response.function_call_arguments.delta", ...at, delta }),
    ),
    { type: "response.function_call_arguments.done", ...at, arguments: item.arguments } as Event,
  ];
}

function thoughtEvents({ id, summary }: Responses.ResponseReasoningItem, output_index: number): Event[] {
  return summary.flatMap((part, summary_index): Event[] => {
    const at = { item_id: id, output_index, summary_index };
    return [
      { type: "response.reasoning_summary_part.added", ...at, part: { ...part, text: "" } },
      ...piecesOf(part.text).map((delta): Event => ({ type: "response.reasoning_summary_text.delta", ...at, delta })),
      { type: "response.reasoning_summary_text.done", ...at, text: part.text },
      { type: "response.reasoning_summary_part.done", ...at, part },
    ];
  });
}

const FAILED: Omit<Responses.ResponseErrorEvent, "sequence_number"> = {
  type: "error",
  code: "server_error",
  message: "The server had an error while processing your request. Sorry about that!",
  param: null,
};

/** Named events, and no word of the end. Those that come before anything is told do not count where the script breaks one off. */
export function responseStream(seen: Seen, reply: Reply, headers: Record<string, string>): Response {
  const { before, told } = responseEvents(seen, reply);
  const { errorAfter, cutAfter } = reply;
  // An item and its part begin before its first word.
  const sent =
    errorAfter === undefined
      ? told.slice(0, cutAfter === undefined ? undefined : cutAfter + 2)
      : [...told.slice(0, errorAfter + 2), { ...FAILED, sequence_number: 0 }];
  const text = [...before, ...sent].map((event) => {
    const { type } = event as { type: string };
    return `event: ${type}\ndata: ${JSON.stringify(event)}\n\n`;
  });
  return new Response(text.join(""), { headers: { ...headers, "content-type": "text/event-stream; charset=utf-8" } });
}
