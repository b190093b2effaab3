import { isRecord } from "../../../lib/json.ts";
import type { Fields } from "../../call/gateway.ts";
import { answerFormat, schemaOf } from "./chat-tools.ts";
import { listOf, normalizeNames, refused } from "./field-names.ts";

type Read = (value: unknown) => unknown;

const number: Read = (value) => (typeof value === "number" ? value : undefined);
const flag: Read = (value) => (typeof value === "boolean" ? value : undefined);
/** Whole numbers may come as text, as 64 bits want it. */
const whole: Read = (value) => {
  const read = typeof value === "string" && /^-?\d{1,15}$/.test(value) ? Number(value) : value;
  return Number.isSafeInteger(read) ? read : undefined;
};
const count: Read = (value) => ((whole(value) as number) >= 0 ? whole(value) : undefined);
const positive: Read = (value) => ((whole(value) as number) > 0 ? whole(value) : undefined);
const texts: Read = (value) => (listOf(value).every((one) => typeof one === "string") ? listOf(value) : undefined);

/** What both interfaces have: Google's name, the chat's, and what it may be. */
const SHARED: ReadonlyMap<string, readonly [name: string, read: Read, wanted: string]> = new Map([
  ["temperature", ["temperature", number, "a number"]],
  ["topP", ["top_p", number, "a number"]],
  ["maxOutputTokens", ["max_tokens", count, "a whole number"]],
  ["candidateCount", ["n", positive, "a whole number above 0"]],
  ["seed", ["seed", whole, "a whole number"]],
  ["presencePenalty", ["presence_penalty", number, "a number"]],
  ["frequencyPenalty", ["frequency_penalty", number, "a number"]],
  ["responseLogprobs", ["logprobs", flag, "true or false"]],
  ["logprobs", ["top_logprobs", count, "a whole number"]],
  ["stopSequences", ["stop", texts, "a list of texts"]],
  ["responseModalities", ["modalities", texts, "a list of names"]],
]);

export interface Generation {
  readonly chat: Fields;
  /** What only Google's models understand. */
  readonly own: Fields;
}

/** `generationConfig` in the names of a chat, as far as chats have them. */
export function generation(given: unknown): Generation {
  const { responseMimeType, responseSchema, responseJsonSchema, ...config } = normalizeNames(given, "generationConfig");
  const { _responseJsonSchema: alsoSchema, ...rest } = config as Record<string, unknown>;
  const chat: Record<string, unknown> = {};
  const own: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(rest)) {
    const shared = SHARED.get(name);
    if (shared) chat[shared[0]] = readAs(shared, name, value);
    else own[name] = value;
  }
  if (Array.isArray(chat.stop) && chat.stop.length === 0) delete chat.stop;
  if (Array.isArray(chat.modalities)) takeModalities(chat, chat.modalities);
  const place = "generationConfig.responseSchema";
  const schema = schemaOf(responseSchema, responseJsonSchema ?? alsoSchema, place);
  const isJson = responseMimeType === "application/json";
  if (schema) chat.response_format = answerFormat(schema);
  else if (isJson) chat.response_format = { type: "json_object" };
  if (responseMimeType !== undefined && !isJson && responseMimeType !== "text/plain")
    own.responseMimeType = responseMimeType;
  if (own.thinkingConfig !== undefined)
    own.thinkingConfig = normalizeNames(own.thinkingConfig, "generationConfig.thinkingConfig");
  if (own.topK !== undefined && number(own.topK) === undefined)
    throw refused("generationConfig.topK", "a number is wanted here.");
  return { chat, own };
}

function readAs([, read, wanted]: readonly [string, Read, string], name: string, value: unknown): unknown {
  const found = read(value);
  if (found === undefined) throw refused(`generationConfig.${name}`, `${wanted} is wanted here.`);
  return found;
}

/** Text alone is what every model answers with. */
function takeModalities(chat: Record<string, unknown>, given: readonly unknown[]): void {
  const names = given.map((name) => String(name).toLowerCase());
  if (names.length === 0 || (names.length === 1 && names[0] === "text")) delete chat.modalities;
  else chat.modalities = names;
}

/** Whether the thoughts are to be shown. */
export function showsThoughts(request: Fields): boolean {
  const form = isRecord(request.google_form) ? request.google_form : {};
  const config = isRecord(form.generationConfig) ? form.generationConfig.thinkingConfig : null;
  return isRecord(config) && config.includeThoughts === true;
}
