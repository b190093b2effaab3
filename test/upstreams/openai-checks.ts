// What OpenAI refuses in a chat, as far as a gateway can get it wrong.

import { CREDENTIAL_FIELDS, GATEWAY_FIELDS, OPENAI_PARAMS } from "../../src/contract/params.ts";
import { isRecord } from "../../src/lib/json.ts";
import { type Refusal, refuse } from "./openai-refusal.ts";

export type Fields = Readonly<Record<string, unknown>>;

const ROLES = ["developer", "system", "user", "assistant", "tool", "function"];
const MESSAGE_FIELDS = words("role content name tool_calls tool_call_id function_call refusal audio annotations");
const PART_FIELDS: Readonly<Record<string, readonly string[]>> = {
  text: ["type", "text"],
  image_url: ["type", "image_url"],
  input_audio: ["type", "input_audio"],
  file: ["type", "file"],
  refusal: ["type", "refusal"],
};
const NAME = /^[a-zA-Z0-9_-]{1,64}$/;

function words(text: string): readonly string[] {
  return text.split(" ");
}

/** `lenient` lets fields pass that only some upstreams of the family know; what is the gateway's own is never let pass. */
export function checkChat(body: Fields, lenient: boolean): void {
  checkFields(body, [...OPENAI_PARAMS.chat, "messages", "model", "metadata"], lenient);
  checkModel(body);
  const { messages } = body;
  if (!Array.isArray(messages) || messages.length === 0) {
    throw refuse(
      "Invalid 'messages': empty array. Expected an array with minimum length 1.",
      "messages",
      "empty_array",
    );
  }
  messages.forEach((message: unknown, index) => {
    checkMessage(message, `messages[${index}]`, lenient);
  });
  checkToolOrder(messages.filter(isRecord));
  checkTools(body);
  checkSettings(body);
  checkJsonMode(body, messages);
}

export function checkFields(body: Fields, known: readonly string[], lenient: boolean): void {
  for (const [name, value] of Object.entries(body)) {
    const isOurs = (GATEWAY_FIELDS.has(name) && name !== "metadata") || CREDENTIAL_FIELDS.has(name);
    if (isOurs || (!lenient && !known.includes(name))) {
      throw refuse(`Unrecognized request argument supplied: ${name}`, name, "unknown_parameter");
    }
    if (value === null) throw refuse(`Invalid type for '${name}': got null instead.`, name, "invalid_type");
  }
}

export function checkModel(body: Fields): void {
  if (typeof body.model !== "string" || body.model === "") throw refuse("you must provide a model parameter", "model");
}

function checkMessage(message: unknown, at: string, lenient: boolean): void {
  if (!isRecord(message)) throw refuse(`Invalid type for '${at}': expected an object.`, at, "invalid_type");
  const { role, content } = message;
  if (!ROLES.includes(String(role))) throw refuse(`Invalid value: '${role}'.`, `${at}.role`, "invalid_value");
  for (const [name, value] of Object.entries(message)) {
    if (!lenient && !MESSAGE_FIELDS.includes(name)) throw unknown(`${at}.${name}`);
    if (value === null && name !== "content" && name !== "refusal") throw wrongType(`${at}.${name}`);
  }
  const mayBeEmpty =
    role === "assistant" && (message.tool_calls ?? message.function_call ?? message.refusal) !== undefined;
  if ((content === null || content === undefined) && !mayBeEmpty) throw wrongType(`${at}.content`);
  if (Array.isArray(content)) {
    content.forEach((part: unknown, index) => {
      checkPart(part, `${at}.content[${index}]`, lenient);
    });
  } else if (content !== null && content !== undefined && typeof content !== "string") throw wrongType(`${at}.content`);
  if (message.tool_calls !== undefined) checkCalls(message.tool_calls, `${at}.tool_calls`);
}

const unknown = (at: string): Refusal => refuse(`Unknown parameter: '${at}'.`, at, "unknown_parameter");
const wrongType = (at: string): Refusal => refuse(`Invalid type for '${at}'.`, at, "invalid_type");

function checkPart(part: unknown, at: string, lenient: boolean): void {
  if (!isRecord(part)) throw wrongType(at);
  const known = PART_FIELDS[String(part.type)];
  if (!known) throw refuse(`Invalid value: '${part.type}'.`, `${at}.type`, "invalid_value");
  for (const name of Object.keys(part)) if (!lenient && !known.includes(name)) throw unknown(`${at}.${name}`);
  if (part.type === "text" && typeof part.text !== "string") throw wrongType(`${at}.text`);
  if (part.type !== "image_url") return;
  const url = isRecord(part.image_url) ? part.image_url.url : null;
  if (typeof url !== "string") throw wrongType(`${at}.image_url`);
  if (!/^(https?:|data:image\/)/.test(url)) throw refuse("Invalid image.", at, "invalid_image_url");
}

function checkCalls(calls: unknown, at: string): void {
  if (!Array.isArray(calls) || calls.length === 0) throw refuse(`Invalid '${at}': empty array.`, at, "empty_array");
  for (const call of calls) {
    const named = isRecord(call) && isRecord(call.function) ? call.function : {};
    if (!isRecord(call) || typeof call.id !== "string" || call.type !== "function") throw wrongType(at);
    if (typeof named.name !== "string" || typeof named.arguments !== "string") throw wrongType(`${at}.function`);
  }
}

/** Every call has its result right behind the message that makes it, and no result comes without its call. */
function checkToolOrder(messages: readonly Fields[]): void {
  let open = new Set<string>();
  for (const { role, tool_calls: calls, tool_call_id: id } of messages) {
    if (role === "tool") {
      if (open.delete(String(id))) continue;
      throw refuse(
        "Invalid parameter: messages with role 'tool' must be a response to a preceeding message with 'tool_calls'.",
        "messages",
      );
    }
    checkAnswered(open);
    open = new Set(Array.isArray(calls) ? calls.map((call: Fields) => String(call.id)) : []);
  }
  checkAnswered(open);
}

function checkAnswered(open: ReadonlySet<string>): void {
  if (open.size === 0) return;
  throw refuse(
    `An assistant message with 'tool_calls' must be followed by tool messages responding to each 'tool_call_id'. The following tool_call_ids did not have response messages: ${[...open].join(", ")}`,
    "messages",
  );
}

function checkTools({ tools, tool_choice: choice }: Fields): void {
  if (tools === undefined) {
    if (choice === undefined) return;
    throw refuse(
      "Invalid value for 'tool_choice': 'tool_choice' is only allowed when 'tools' are specified.",
      "tool_choice",
    );
  }
  if (!Array.isArray(tools) || tools.length === 0)
    throw refuse("Invalid 'tools': empty array.", "tools", "empty_array");
  tools.forEach((tool: unknown, index) => {
    const made = isRecord(tool) && isRecord(tool.function) ? tool.function : {};
    const at = `tools[${index}].function`;
    if (typeof made.name !== "string" || !NAME.test(made.name))
      throw refuse(`Invalid '${at}.name'.`, at, "invalid_value");
    if (made.parameters !== undefined && !isRecord(made.parameters)) throw wrongType(`${at}.parameters`);
  });
}

function checkSettings(body: Fields): void {
  const { temperature, stream, stream_options: options, stop, model } = body;
  if (temperature !== undefined && (typeof temperature !== "number" || temperature < 0 || temperature > 2)) {
    throw refuse("Invalid 'temperature': must be between 0 and 2.", "temperature", "decimal_above_max_value");
  }
  if (options !== undefined && stream !== true) {
    throw refuse("The 'stream_options' parameter is only allowed when 'stream' is enabled.", "stream_options");
  }
  if (Array.isArray(stop) && stop.length > 4) throw refuse("Invalid 'stop': array too long.", "stop");
  if (!/^(o\d|gpt-5)/.test(String(model))) return;
  // From 5.1 on, sampling is refused only next to reasoning.
  const samples = /^gpt-5\.\d/.test(String(model)) && (body.reasoning_effort ?? "none") === "none";
  for (const name of ["max_tokens", ...(samples ? [] : ["top_p"]), "frequency_penalty", "presence_penalty"]) {
    if (body[name] !== undefined) {
      throw refuse(`Unsupported parameter: '${name}' is not supported with this model.`, name, "unsupported_parameter");
    }
  }
}

function checkJsonMode({ response_format: format }: Fields, messages: readonly unknown[]): void {
  if (!isRecord(format) || format.type !== "json_object") return;
  if (JSON.stringify(messages).toLowerCase().includes("json")) return;
  throw refuse(
    "'messages' must contain the word 'json' in some form, to use 'response_format' of type 'json_object'.",
    "messages",
  );
}
