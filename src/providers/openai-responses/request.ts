import type { ChatRequest } from "../../contract/chat.ts";
import { GatewayError } from "../../contract/errors.ts";
import { isRecord } from "../../lib/json.ts";
import { extraFields } from "../extra-fields.ts";
import { messagesOf } from "../openai-form/messages.ts";
import { reasoningEffort, requireKnownFormat, tokensMax } from "../openai-form/wishes.ts";
import { inputItems } from "./input.ts";
import { toolFields } from "./tools.ts";

type Fields = Readonly<Record<string, unknown>>;
type Body = Record<string, unknown>;

/** The least room for an answer that OpenAI lets a response have. */
const OUTPUT_TOKENS_MIN = 16;

const SAME = ["temperature", "top_p", "service_tier", "user", "safety_identifier", "prompt_cache_key"] as const;

/** What a request has to know of where it goes. */
export interface Place {
  /** For people. */
  readonly title: string;
  /** The model, as it is called there. */
  readonly model: string;
  /** The model thinks, and its thoughts can be had sealed. */
  readonly reasons: boolean;
  /** The mark of the account that the call is made with. */
  readonly account: string;
}

/** A chat request as the body of a response. Nothing is kept at the provider unless the caller asks for it. */
export function responsesBody(request: ChatRequest, place: Place): Body {
  const fields: Fields = request;
  const { include, reasoning, text, ...own } = extraFields("chat", fields);
  refuseOtherLives(own, place.title);
  const body: Body = {
    model: place.model,
    input: inputItems(messagesOf(request), place),
    store: fields.store === true,
    ...toolFields(request),
  };
  for (const name of SAME) put(body, name, fields[name]);
  put(body, "max_output_tokens", roomFor(tokensMax(request)));
  put(body, "reasoning", reasoningOf(fields, reasoning));
  put(body, "text", textOf(fields, text));
  put(body, "include", includesOf(fields, include, place));
  if (fields.logprobs === true) put(body, "top_logprobs", fields.top_logprobs);
  if (fields.stream === true) addStream(body, fields.stream_options);
  return { ...body, ...own };
}

function put(body: Body, name: string, value: unknown): void {
  if (value !== undefined && value !== null) body[name] = value;
}

/** A response that goes on by itself, or from what is kept under the operator's account, is none that a chat could be charged for. */
function refuseOtherLives(own: Fields, title: string): void {
  for (const name of ["background", "conversation", "previous_response_id"]) {
    if (own[name] === undefined || own[name] === false) continue;
    throw new GatewayError("invalid_request", `A chat with ${title} cannot have \`${name}\`.`, { param: name });
  }
  // What a call may cost at most is worked out by the name that chats have for it.
  if (own.max_output_tokens !== undefined) {
    const words = `A chat with ${title} cannot have \`max_output_tokens\`; \`max_completion_tokens\` means the same.`;
    throw new GatewayError("invalid_request", words, { param: "max_output_tokens" });
  }
}

const roomFor = (limit: unknown): unknown => (typeof limit === "number" ? Math.max(limit, OUTPUT_TOKENS_MIN) : limit);

/** What the caller writes in OpenAI's own words wins. */
function reasoningOf(fields: Fields, own: unknown): object | undefined {
  const effort = reasoningEffort(fields);
  const { reasoning_summary: summary } = fields;
  if (!isRecord(own) && effort === null && summary == null) return undefined;
  return { ...(effort !== null && { effort }), ...(summary != null && { summary }), ...(isRecord(own) && own) };
}

function textOf({ response_format: format, verbosity }: Fields, own: unknown): object | undefined {
  requireKnownFormat(format);
  const asked = {
    ...(isRecord(format) && format.type !== undefined && format.type !== "text" && { format: formatOf(format) }),
    ...(verbosity != null && { verbosity }),
    ...(isRecord(own) && own),
  };
  return Object.keys(asked).length === 0 ? undefined : asked;
}

/** The schema and what describes it stand beside the type, and it must have a name. */
function formatOf(format: Fields): object {
  if (format.type !== "json_schema") return format;
  const described = isRecord(format.json_schema) ? format.json_schema : {};
  return { name: "answer", ...described, type: "json_schema" };
}

/** Thoughts come sealed where there are any: the caller brings them back, since nothing is kept at the provider. */
function includesOf(fields: Fields, own: unknown, { reasons }: Place): readonly unknown[] | undefined {
  const included = new Set<unknown>(Array.isArray(own) ? own : []);
  if (reasons) included.add("reasoning.encrypted_content");
  if (fields.logprobs === true) included.add("message.output_text.logprobs");
  return included.size === 0 ? undefined : [...included];
}

/** A count comes unasked; there is nothing else that a chat's stream could be told. */
function addStream(body: Body, options: unknown): void {
  body.stream = true;
  if (!isRecord(options) || typeof options.include_obfuscation !== "boolean") return;
  body.stream_options = { include_obfuscation: options.include_obfuscation };
}
