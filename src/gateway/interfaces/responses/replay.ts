import { eventText } from "../../../assistants/response-event.ts";
import type { ResponseAnswer, ResponseItem } from "../../../contract/responses.ts";
import { recordsIn } from "../shared/read-chunk.ts";

type Event = readonly [type: string, fields: object];
type Events = Generator<Event, void>;
type Fields = Readonly<Record<string, unknown>>;

/**
 * An answer that is kept, as the events that tell it, those behind a number. How its texts were cut when they were first told is
 * not kept: each comes in one piece, with numbers that are the same whenever it is told again.
 */
export function* replay(answer: ResponseAnswer, startingAfter: number): Generator<string, void> {
  let number = 0;
  for (const [type, fields] of eventsOf(answer)) {
    if (number > startingAfter || ENDS.has(type)) yield eventText(type, Math.max(number, startingAfter + 1), fields);
    number++;
  }
}

/** Told in any case: who has counted as far as this telling goes may have heard another one, and the end has all of it. */
const ENDS: ReadonlySet<string> = new Set(["response.completed", "response.incomplete", "response.failed"]);

function* eventsOf(answer: ResponseAnswer): Events {
  const none = { error: null, incomplete_details: null, usage: null };
  const response = { ...answer, status: "in_progress", output: [], ...none };
  yield ["response.created", { response }];
  yield ["response.in_progress", { response }];
  for (const [at, item] of answer.output.entries()) yield* itemEvents(item, at);
  // Of what was cancelled OpenAI has no event: it ends here.
  if (answer.status !== "cancelled") yield [`response.${answer.status}`, { response: answer }];
}

/** What an item has before anything of it is said. */
const UNSAID: Readonly<Record<string, object>> = {
  message: { status: "in_progress", content: [] },
  function_call: { status: "in_progress", arguments: "" },
  custom_tool_call: { status: "in_progress", input: "" },
  reasoning: { summary: [], encrypted_content: undefined, status: undefined },
};

function* itemEvents(item: ResponseItem, output_index: number): Events {
  const place = { item_id: item.id, output_index };
  yield ["response.output_item.added", { output_index, item: { ...item, ...UNSAID[item.type ?? ""] } }];
  for (const [at, part] of recordsIn(item.content).entries()) yield* partEvents(part, { ...place, content_index: at });
  for (const [at, part] of recordsIn(item.summary).entries())
    yield* thoughtEvents(part, { ...place, summary_index: at });
  if (item.type === "function_call") yield* callEvents(item, place);
  if (item.type === "custom_tool_call") yield* customEvents(item, place);
  yield ["response.output_item.done", { output_index, item }];
}

function* partEvents(part: Fields, place: Fields): Events {
  const { text, refusal, logprobs } = part;
  const isRefusal = part.type === "refusal";
  const unsaid = isRefusal ? { refusal: "" } : { text: "", annotations: [], logprobs: [] };
  yield ["response.content_part.added", { ...place, part: { ...part, ...unsaid } }];
  if (isRefusal) {
    yield ["response.refusal.delta", { ...place, delta: refusal }];
    yield ["response.refusal.done", { ...place, refusal }];
  } else {
    yield ["response.output_text.delta", { ...place, delta: text, logprobs }];
    yield ["response.output_text.done", { ...place, text, logprobs }];
  }
  yield ["response.content_part.done", { ...place, part }];
}

function* thoughtEvents(part: Fields, place: Fields): Events {
  const { text } = part;
  yield ["response.reasoning_summary_part.added", { ...place, part: { ...part, text: "" } }];
  yield ["response.reasoning_summary_text.delta", { ...place, delta: text }];
  yield ["response.reasoning_summary_text.done", { ...place, text }];
  yield ["response.reasoning_summary_part.done", { ...place, part }];
}

function* callEvents({ name, arguments: given }: ResponseItem, place: Fields): Events {
  if (given !== "") yield ["response.function_call_arguments.delta", { ...place, delta: given }];
  yield ["response.function_call_arguments.done", { ...place, name, arguments: given }];
}

function* customEvents({ input }: ResponseItem, place: Fields): Events {
  yield ["response.custom_tool_call_input.delta", { ...place, delta: input }];
  yield ["response.custom_tool_call_input.done", { ...place, input }];
}
