import type { ChatRequest } from "../../contract/chat.ts";
import { API_FIELDS, GEMINI_GENERATION_FIELDS } from "../../contract/params.ts";
import { isRecord } from "../../lib/json.ts";
import { extraFields } from "../extra-fields.ts";

type Fields = Record<string, unknown>;

/** Gemini's fields of `API_FIELDS` that are no part of `generationConfig`. */
const TOP: ReadonlySet<string> = new Set(API_FIELDS.gemini.filter((name) => !GEMINI_GENERATION_FIELDS.has(name)));

interface OwnFields {
  readonly generationConfig: Readonly<Fields>;
  readonly toolConfig: Readonly<Fields>;
  /** Everything else, beside `contents`. */
  readonly rest: Readonly<Fields>;
}

const NONE: OwnFields = { generationConfig: {}, toolConfig: {}, rest: {} };

/** Google's own fields, in either spelling; those of the generation may stand beside the others. */
export function ownFields(request: ChatRequest): OwnFields {
  const { thinking: _, extra_headers: __, google_form: ___, ...extra } = extraFields("chat", request);
  const names = Object.keys(extra);
  if (names.length === 0) return NONE;
  const generation: Fields = {};
  const rest: Fields = {};
  for (const name of names) {
    const camel = name.replace(/_([a-z])/g, (_match, letter: string) => letter.toUpperCase());
    if (GEMINI_GENERATION_FIELDS.has(camel)) generation[camel] = extra[name];
    else rest[TOP.has(camel) ? camel : name] = extra[name];
  }
  const { generationConfig, toolConfig, ...others } = rest;
  return {
    generationConfig: { ...generation, ...(isRecord(generationConfig) ? generationConfig : {}) },
    toolConfig: isRecord(toolConfig) ? toolConfig : {},
    rest: others,
  };
}
