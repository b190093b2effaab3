import type { Operation } from "../../contract/params.ts";
import type { AnswerPart } from "../../guardrails/call-guards.ts";
import { PLACEHOLDER_NAME } from "../../guardrails/vault.ts";
import { isRecord } from "../../lib/json.ts";
import { OWN_FIELDS } from "../../providers/anthropic/own-form.ts";
import { OWN_PARTS, OWN_REASON } from "../../providers/gemini/own-form.ts";

type Holder = Record<string, unknown>;

/** Somewhere in an answer that holds text: which text of which choice it is a part of, and where. */
export interface Place {
  /** Pieces of the same text have the same lane, in all chunks of a stream. */
  readonly lane: string;
  readonly part: AnswerPart | "thought";
  readonly holder: Holder;
  readonly field: string;
  /** Where the text is one of several parts: one more of these, for what comes behind it. */
  readonly wrap?: (text: string) => Holder;
}

const SAID: readonly (readonly [field: string, part: Place["part"]])[] = [
  ["content", "content"],
  ["text", "content"],
  ["refusal", "aside"],
  ["reasoning_content", "thought"],
  ["reasoning", "aside"],
];

/** Of a message: its words above, and names. Any other text in it is one that a provider has a field of its own for. */
const NO_OTHER_WORDS = new Set([...SAID.map(([field]) => field), "role", "name", "id", "type"]);

/** Of a choice: a message, a delta, or a text completion itself. */
export function placesOfChoice(choice: Holder, index: number): Place[] {
  const said = isRecord(choice.delta) ? choice.delta : isRecord(choice.message) ? choice.message : choice;
  const places: Place[] = [];
  const add = (holder: Holder, field: string, part: Place["part"], lane: string): void => {
    if (typeof holder[field] === "string") places.push({ lane: `${index}/${lane}`, part, holder, field });
  };
  for (const [field, part] of SAID) add(said, field, part, field);
  if (said !== choice) for (const field in said) if (!NO_OTHER_WORDS.has(field)) add(said, field, "aside", field);
  const parts = isRecord(said.content) ? [said.content] : said.content;
  addParts(parts, `${index}/parts`, "content", places, (part) => part as Holder);
  for (const [position, call] of (Array.isArray(said.tool_calls) ? said.tool_calls : []).entries()) {
    if (!isRecord(call)) continue;
    const at = typeof call.index === "number" ? call.index : position;
    if (isRecord(call.function)) add(withText(call.function), "arguments", "arguments", `tool/${at}`);
    if (isRecord(call.custom)) add(call.custom, "input", "aside", `custom/${at}`);
  }
  if (isRecord(said.audio)) add(said.audio, "transcript", "aside", "audio");
  if (isRecord(said.function_call)) add(withText(said.function_call), "arguments", "arguments", "function");
  return places;
}

/** Some give the arguments of a function as an object: what is looked at is the text that they are anywhere else. */
function withText(called: Holder): Holder {
  if (isRecord(called.arguments)) called.arguments = JSON.stringify(called.arguments);
  return called;
}

/** Some models answer in parts, and in parts of these, such as what they thought. */
function addParts(parts: unknown, lane: string, part: AnswerPart, places: Place[], wrap: (part: unknown) => Holder) {
  if (!Array.isArray(parts)) return;
  for (const [index, one] of parts.entries()) {
    if (typeof one === "string") places.push({ lane, part, holder: parts as never, field: String(index), wrap });
    else if (Array.isArray(one)) addParts(one, lane, part, places, (inner) => wrap([inner]));
    else if (isRecord(one)) addPart(one, lane, part, places, wrap);
  }
}

function addPart(one: Holder, lane: string, part: AnswerPart, places: Place[], wrap: (part: unknown) => Holder) {
  const { type } = one;
  for (const [field, value] of Object.entries(one)) {
    if (OPAQUE.has(field)) continue;
    const own = `${lane}.${String(type)}.${field}`;
    const outer = (inner: unknown): Holder => wrap({ type, [field]: inner });
    if (typeof value === "string") places.push({ lane: own, part, holder: one, field, wrap: outer });
    else if (Array.isArray(value)) addParts(value, own, "aside", places, (inner) => outer([inner]));
    else if (isRecord(value)) addPart(value, own, "aside", places, outer);
  }
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

/** Every text of a whole answer in JSON. */
export const textsOfAnswer = (operation: Operation, body: string): string[] =>
  placesOfAnswer(operation, JSON.parse(body)).map(({ holder, field }) => String(holder[field]));

const OPAQUE = new Set(["b64_json", "url", "id", "model", "object", "type", "task", "language", "signature"]);

/** A document comes back as the caller wrote it: what a field of it is called says nothing of what it holds. */
const OPAQUE_IN_DOCUMENT = new Set(["url", "image_url"]);

function collect(value: unknown, places: Place[], opaque: ReadonlySet<string> = OPAQUE): void {
  if (!isRecord(value) && !Array.isArray(value)) return;
  const holder = value as Holder;
  for (const [field, part] of Object.entries(holder)) {
    if (opaque.has(field)) continue;
    if (typeof part === "string") places.push({ lane: `${places.length}`, part: "content", holder, field });
    else collect(part, places, field === "document" ? OPAQUE_IN_DOCUMENT : opaque);
  }
}

const words = (text: string): ReadonlySet<string> => new Set(text.split(/\s+/));

const OWN = "provider_specific_fields";
/** What is looked at, tells of pictures and sound, or says how an answer came about. All else may tell again what is said. */
const OF_MESSAGE = words(`content tool_calls function_call audio images ${OWN}`);
const OF_CHOICE = words(
  `index message delta text finish_reason native_finish_reason stop_reason stop_sequence ${OWN_REASON} logprobs
   content_filter_results`,
);
const OF_ANSWER = words(
  `id object created model choices usage system_fingerprint service_tier provider content_filter_results
   prompt_filter_results`,
);
/** Of a provider's own fields: nobody reads what is sealed. All else, such as its sources, quotes the answer. */
const SEALS: ReadonlySet<string> = new Set(["thought_signature", "thought_signatures", "reasoning_items"]);

/** Takes out of a record what is not known to be harmless; null where there is nothing. */
function takeUnknown(holder: Holder, known: ReadonlySet<string>, alsoTexts: boolean): Holder | null {
  let taken: Holder | null = null;
  for (const name in holder) {
    const value = holder[name];
    const mayTell = typeof value === "object" ? value !== null : alsoTexts && typeof value === "string";
    if (!mayTell || known.has(name)) continue;
    taken ??= {};
    taken[name] = value;
    delete holder[name];
  }
  return taken;
}

/** Of a message or a delta, all of whose texts are looked at. */
export function takeEchoes(said: Holder): Holder | null {
  const taken = takeUnknown(said, OF_MESSAGE, false);
  const own = said[OWN];
  if (!isRecord(own) || Object.keys(own).every((name) => SEALS.has(name))) return taken;
  const [kept, told]: [Holder, Holder] = [{}, {}];
  for (const name in own) (SEALS.has(name) ? kept : told)[name] = own[name];
  if (Object.keys(kept).length > 0) said[OWN] = kept;
  else delete said[OWN];
  return { ...taken, [OWN]: told };
}

/** Of a choice, beside its message. */
export const takeBeside = (choice: Holder): Holder | null => takeUnknown(choice, OF_CHOICE, true);

/** Of an answer or a chunk, beside its choices: such as the pages that a provider has searched, and what they say. */
export const takeSources = (answer: Holder): Holder | null => takeUnknown(answer, OF_ANSWER, true);

/** What would tell again what was masked. */
export function dropEchoes(choice: Holder): void {
  if (choice.logprobs !== undefined) choice.logprobs = null;
  takeBeside(choice);
  for (const said of [choice.delta, choice.message]) if (isRecord(said)) takeEchoes(said);
}

/** Blocks and parts of Anthropic's and Google's own forms, of which guardrails understand nothing: the caller gets what a chat has. */
export function dropOwnForm(choice: Holder): void {
  for (const said of [choice.delta, choice.message])
    if (isRecord(said)) for (const name of [...OWN_FIELDS, OWN_PARTS]) if (name in said) delete said[name];
}

/** Of a transcript: its words one by one, and its tokens. */
export function dropWords(transcript: Holder): void {
  for (const one of [transcript, ...(Array.isArray(transcript.segments) ? transcript.segments : [])]) {
    if (!isRecord(one)) continue;
    delete one.words;
    delete one.tokens;
    delete one.logprobs;
  }
}

/** Of a transcript that was looked at: its segments, where each by itself lets pass what the whole text does not, such as half a number. */
export function dropTornSegments(transcript: Holder): void {
  const { text, segments } = transcript;
  if (typeof text !== "string" || !Array.isArray(segments)) return;
  const joined = segments.map((one) => (isRecord(one) && typeof one.text === "string" ? one.text : "")).join("");
  if (masksIn(text) !== masksIn(joined)) delete transcript.segments;
}

const PLACEHOLDERS = new RegExp(`\\[${PLACEHOLDER_NAME}\\]`, "g");
const masksIn = (text: string): string => (text.match(PLACEHOLDERS) ?? []).join();
