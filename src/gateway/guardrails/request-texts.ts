import { GatewayError } from "../../contract/errors.ts";
import {
  CREDENTIAL_FIELDS,
  GATEWAY_FIELDS,
  INPUT_FIELDS,
  isOpenAiParam,
  type Operation,
} from "../../contract/params.ts";
import { isRecord } from "../../lib/json.ts";
import {
  type Change,
  type MapPart,
  mapFields,
  mapJsonText,
  mapJsonValue,
  mapList,
  mapNumber,
} from "../../lib/json-texts.ts";
import { GOOGLE_PART } from "../../providers/gemini/own-form.ts";
import type { Fields } from "../call/gateway.ts";
import { mapDefinition } from "./definition-texts.ts";
import { mapGooglePart } from "./google-part-texts.ts";
import { isProviderId } from "./provider-ids.ts";

/** Parameters that hold text for the model; those that are not named here say how, not what. */
const TEXT_PARAMS = new Set(["prompt", "suffix", "instructions", "prediction", "stop", "web_search_options"]);
/** Definitions of tools and of answers, those among them that single servers know. */
const SCHEMA_PARAMS = new Set(["tools", "functions", "response_format", "guided_json", "structured_outputs", "format"]);
/** Records of the caller's own, at the top or in a message: what a field of them is called says nothing of what it holds. */
const RECORDS = new Set(["documents", "document", "chat_template_kwargs"]);
/** Fields of messages and their parts that hold names, addresses or bytes. */
const OPAQUE = new Set(
  `role type id tool_call_id tool_use_id call_id name url image_url input_audio audio file_data file_id data signature cache_control
   format detail media_type thinking_blocks thought_signature thought_signatures reasoning_items encrypted_content
   authorization_token fileUri mimeType`.split(/\s+/),
);

/** Every text that a request has for the model, each given to `change`, in an order that is always the same. */
export function mapRequestTexts(operation: Operation, request: Fields, change: Change): Fields {
  let changed: Record<string, unknown> | null = null;
  for (const name in request) {
    const value = request[name];
    if (name === "fallbacks" && Array.isArray(value)) {
      const standIns = mapStandIns(operation, value, change);
      if (standIns !== value) changed = { ...(changed ?? request), fallbacks: standIns };
      continue;
    }
    if (value === null || typeof value === "number" || !holdsText(name, operation)) continue;
    const next = mapParam(operation, name, value, change);
    if (next === value) continue;
    changed ??= { ...request };
    changed[name] = next;
  }
  return changed ?? request;
}

function mapParam(operation: Operation, name: string, value: unknown, change: Change): unknown {
  if (isProviderId(name, value)) return value;
  // Its fields go on as fields of the request.
  if (name === "extra_body" && isRecord(value)) return mapRequestTexts(operation, value, change);
  if (SCHEMA_PARAMS.has(name)) return mapDefinition(value, change);
  if (RECORDS.has(name)) return mapRecord(value, change, name);
  return INPUT_FIELDS.has(name) || TEXT_PARAMS.has(name) ? mapValue(value, change) : mapForeign(value, change, "");
}

/** What a model that stands in is asked with in place of what the request says, is for a model as well. */
function mapStandIns(operation: Operation, items: readonly unknown[], change: Change): readonly unknown[] {
  const next = items.map((item) =>
    isRecord(item) && typeof item.model === "string" ? mapRequestTexts(operation, item, change) : item,
  );
  return next.every((item, index) => item === items[index]) ? items : next;
}

function holdsText(name: string, operation: Operation): boolean {
  if (name === "model" || name === "user" || GATEWAY_FIELDS.has(name) || CREDENTIAL_FIELDS.has(name)) return false;
  return TEXT_PARAMS.has(name) || SCHEMA_PARAMS.has(name) || !isOpenAiParam(operation, name);
}

/** `numbers`, where they are wanted, gets the places in the list that JSON has numbers at. */
export function collectTexts(operation: Operation, request: Fields, numbers?: number[]): string[] {
  const texts: string[] = [];
  mapRequestTexts(operation, request, (text, isNumber) => {
    if (isNumber) numbers?.push(texts.length);
    texts.push(text);
    return text;
  });
  return texts;
}

/** The request with other texts in the places of its own. */
export function replaceTexts(operation: Operation, request: Fields, texts: readonly string[]): Fields {
  let index = 0;
  return mapRequestTexts(operation, request, (text) => texts[index++] ?? text);
}

/** The same value where nothing in it has changed. */
function mapValue(value: unknown, change: Change): unknown {
  if (typeof value === "string") return value === "" ? value : change(value);
  if (typeof value === "number") return mapNumber(value, change);
  if (Array.isArray(value)) return mapList(value, mapValue, change);
  if (!isRecord(value) || isSigned(value)) return value;
  return mapFields(value, isTextSource(value) ? mapTextSource : mapPart, change);
}

/** Thoughts that a caller brings back: changed, their signature would not fit. An empty one is none. */
const isSigned = ({ type, signature }: Fields): boolean =>
  type === "thinking" && typeof signature === "string" && signature !== "";

/** A document in Anthropic's form whose data is its text. */
const isTextSource = ({ type, data }: Fields): boolean => type === "text" && typeof data === "string";
const mapTextSource: MapPart = (part, change, name) =>
  name === "data" ? mapValue(part, change) : mapPart(part, change, name);

/** Names in a message; in a field that only a provider knows, somebody's. */
const SOMEBODYS = new Set(["name", "detail"]);

/** As in a message, but for these. */
function mapForeign(value: unknown, change: Change, name: string): unknown {
  if (Array.isArray(value) && !OPAQUE.has(name)) return mapList(value, mapForeign, change);
  if (SOMEBODYS.has(name)) return mapValue(value, change);
  const isPlain = isRecord(value) && !isSigned(value) && !isTextSource(value);
  if (!isPlain || OPAQUE.has(name) || name === "arguments" || name === "input") return mapPart(value, change, name);
  return RECORDS.has(name) ? mapRecord(value, change, name) : mapFields(value, mapForeign, change);
}

const ADDRESSES = new Set(["url", "image_url", "input_audio", "file_data", "file_id"]);

function mapRecord(value: unknown, change: Change, name: string): unknown {
  if (ADDRESSES.has(name)) return value;
  if (Array.isArray(value)) return mapList(value, mapRecord, change);
  return isRecord(value) ? mapFields(value, mapRecord, change) : mapJsonValue(value, change);
}

function mapPart(part: unknown, change: Change, name: string): unknown {
  if (OPAQUE.has(name) || isProviderId(name, part)) return part;
  if (RECORDS.has(name)) return mapRecord(part, change, name);
  if (name === GOOGLE_PART) return mapGooglePart(part, change, name);
  const isInput = name === "arguments" || (name === "input" && isRecord(part));
  if (!isInput) return mapValue(part, change);
  return typeof part === "string" ? mapArguments(part, change) : mapJsonValue(part, change);
}

function mapArguments(text: string, change: Change): string {
  try {
    return mapJsonText(text, change);
  } catch (cause) {
    if (!(cause instanceof RangeError)) throw cause;
    const message = "The arguments of a tool call are nested too deeply to be looked at by a guardrail.";
    throw new GatewayError("invalid_request", message, { cause });
  }
}
