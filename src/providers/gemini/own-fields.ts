import type { ChatRequest } from "../../contract/chat.ts";
import { isRecord } from "../../lib/json.ts";
import { extraFields } from "../extra-fields.ts";

type Fields = Record<string, unknown>;

/** Fields of `generationConfig` that OpenAI's interface has no word for, or that a caller writes in Google's words. */
const GENERATION = new Set([
  "audioTimestamp",
  "candidateCount",
  "enableAffectiveDialog",
  "enableEnhancedCivicAnswers",
  "frequencyPenalty",
  "imageConfig",
  "maxOutputTokens",
  "mediaResolution",
  "modelSelectionConfig",
  "presencePenalty",
  "responseJsonSchema",
  "responseLogprobs",
  "responseMimeType",
  "responseModalities",
  "responseSchema",
  "routingConfig",
  "speechConfig",
  "stopSequences",
  "thinkingConfig",
  "topK",
  "topP",
]);
const TOP = new Set(["cachedContent", "generationConfig", "modelArmorConfig", "safetySettings", "serviceTier"]);
TOP.add("systemInstruction").add("toolConfig");

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
    if (GENERATION.has(camel)) generation[camel] = extra[name];
    else rest[TOP.has(camel) ? camel : name] = extra[name];
  }
  const { generationConfig, toolConfig, ...others } = rest;
  return {
    generationConfig: { ...generation, ...(isRecord(generationConfig) ? generationConfig : {}) },
    toolConfig: isRecord(toolConfig) ? toolConfig : {},
    rest: others,
  };
}
