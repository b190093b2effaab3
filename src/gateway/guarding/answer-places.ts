import type { Operation } from "../../contract/params.ts";
import type { AnswerPart } from "../../guardrails/call-guards.ts";
import { isRecord } from "../../lib/json.ts";

type Holder = Record<string, unknown>;

/** Somewhere in an answer that holds text: which text of which choice it is a part of, and where. */
export interface Place {
  /** Pieces of the same text have the same lane, in all chunks of a stream. */
  readonly lane: string;
  readonly part: AnswerPart;
  readonly holder: Holder;
  readonly field: string;
}

const SAID: readonly (readonly [field: string, part: AnswerPart])[] = [
  ["content", "content"],
  ["text", "content"],
  ["refusal", "aside"],
  ["reasoning_content", "aside"],
  ["reasoning", "aside"],
];

/** Of a choice: a message, a delta, or a text completion itself. */
export function placesOfChoice(choice: Holder, index: number): Place[] {
  const said = isRecord(choice.delta) ? choice.delta : isRecord(choice.message) ? choice.message : choice;
  const places: Place[] = [];
  const add = (holder: Holder, field: string, part: AnswerPart, lane: string): void => {
    if (typeof holder[field] === "string") places.push({ lane: `${index}/${lane}`, part, holder, field });
  };
  for (const [field, part] of SAID) add(said, field, part, field);
  for (const [position, call] of (Array.isArray(said.tool_calls) ? said.tool_calls : []).entries()) {
    if (!isRecord(call)) continue;
    const at = typeof call.index === "number" ? call.index : position;
    if (isRecord(call.function)) add(call.function, "arguments", "arguments", `tool/${at}`);
    if (isRecord(call.custom)) add(call.custom, "input", "aside", `custom/${at}`);
  }
  if (isRecord(said.audio)) add(said.audio, "transcript", "aside", "audio");
  if (isRecord(said.function_call)) add(said.function_call, "arguments", "arguments", "function");
  return places;
}

/** Of a whole answer. Vectors and verdicts hold no text. */
export function placesOfAnswer(operation: Operation, body: unknown): Place[] {
  if (!isRecord(body)) return [];
  if (operation === "chat" || operation === "completion") {
    const choices = Array.isArray(body.choices) ? body.choices : [];
    return choices.flatMap((choice, index) => (isRecord(choice) ? placesOfChoice(choice, index) : []));
  }
  if (operation === "embedding" || operation === "moderation") return [];
  const places: Place[] = [];
  collect(body, places);
  return places;
}

const OPAQUE = new Set(["b64_json", "url", "id", "model", "object", "type", "task", "language"]);

function collect(value: unknown, places: Place[]): void {
  if (Array.isArray(value)) for (const one of value) collect(one, places);
  if (!isRecord(value)) return;
  for (const [field, part] of Object.entries(value)) {
    if (OPAQUE.has(field)) continue;
    if (typeof part === "string") places.push({ lane: `${places.length}`, part: "content", holder: value, field });
    else collect(part, places);
  }
}

/** What would tell again what was masked. */
export function dropEchoes(choice: Holder): void {
  if (choice.logprobs !== undefined) choice.logprobs = null;
  for (const said of [choice.delta, choice.message]) {
    if (!isRecord(said)) continue;
    delete said.thinking_blocks;
    delete said.reasoning_details;
    delete said.annotations;
  }
}
