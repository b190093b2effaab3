// What OpenAI refuses in a response, as far as a gateway can get it wrong. Fields and types are those of its reference.

import { isRecord } from "../../src/lib/json.ts";
import { checkModel, type Fields } from "./openai-checks.ts";
import { Refusal, refuse } from "./openai-refusal.ts";

const words = (text: string): readonly string[] => text.trim().split(/\s+/);

const FIELDS = words(`
  background client_metadata conversation include input instructions max_output_tokens max_tool_calls metadata model parallel_tool_calls
  previous_response_id prompt prompt_cache_key prompt_cache_retention reasoning safety_identifier service_tier store stream
  stream_options temperature text tool_choice tools top_logprobs top_p truncation user`);
const INCLUDABLE = words(`
  file_search_call.results web_search_call.results web_search_call.action.sources message.input_image.image_url
  computer_call_output.output.image_url code_interpreter_call.outputs reasoning.encrypted_content message.output_text.logprobs`);
const NAME = /^[a-zA-Z0-9_-]{1,64}$/;
const THINKS = /^(?:o\d|gpt-5|codex)/;
const NEVER_THINKS = /^gpt-[34]/;

/** What the fake seals thoughts with. */
export const SEAL = "gAAAAABfake";

export function checkResponse(body: Fields): void {
  checkKnown(body, FIELDS, "");
  checkModel(body);
  checkInput(body.input);
  checkTools(body);
  checkText(body);
  checkSettings(body);
  checkThinking(body);
}

function checkKnown(fields: Fields, known: readonly string[], at: string): void {
  for (const name of Object.keys(fields)) if (!known.includes(name)) throw unknown(at + name);
}

const unknown = (at: string): Refusal => refuse(`Unknown parameter: '${at}'.`, at, "unknown_parameter");
const missing = (at: string): Refusal =>
  refuse(`Missing required parameter: '${at}'.`, at, "missing_required_parameter");
const wrongType = (at: string): Refusal => refuse(`Invalid type for '${at}'.`, at, "invalid_type");
const wrongValue = (at: string, value: unknown): Refusal =>
  refuse(`Invalid value: '${String(value)}'.`, at, "invalid_value");

function requireText(fields: Fields, name: string, at: string): void {
  if (fields[name] === undefined) throw missing(`${at}.${name}`);
  if (typeof fields[name] !== "string") throw wrongType(`${at}.${name}`);
}

function checkInput(input: unknown): void {
  if (typeof input === "string") return;
  if (!Array.isArray(input)) throw missing("input");
  if (input.length === 0) throw refuse("Invalid 'input': empty array.", "input", "empty_array");
  const open = new Set<unknown>();
  for (const [index, item] of input.entries()) {
    if (!isRecord(item)) throw wrongType(`input[${index}]`);
    checkItem(item, `input[${index}]`, open);
    const next: unknown = input.slice(index + 1).find((other) => !isRecord(other) || other.type !== "reasoning");
    if (item.type !== "reasoning" || (isRecord(next) && next.type !== "function_call_output")) continue;
    throw refuse(
      `Item '${String(item.id)}' of type 'reasoning' was provided without its required following item.`,
      "input",
    );
  }
  const [unanswered] = open;
  if (unanswered !== undefined) throw refuse(`No tool output found for function call ${String(unanswered)}.`, "input");
}

function checkItem(item: Fields, at: string, open: Set<unknown>): void {
  switch (item.type ?? "message") {
    case "message":
      checkKnown(item, words("type role content id status phase"), `${at}.`);
      checkMessage(item, at);
      return;
    case "function_call":
      checkKnown(item, words("type call_id name arguments id status"), `${at}.`);
      for (const name of ["call_id", "name", "arguments"]) requireText(item, name, at);
      open.add(item.call_id);
      return;
    case "function_call_output":
      checkKnown(item, words("type call_id output id status"), `${at}.`);
      requireText(item, "call_id", at);
      if (!open.delete(item.call_id)) {
        throw refuse(`No tool call found for function call output with call_id ${String(item.call_id)}.`, "input");
      }
      checkContent(item.output, INPUT_PARTS, `${at}.output`);
      return;
    case "reasoning":
      checkKnown(item, words("type id summary content encrypted_content status"), `${at}.`);
      requireText(item, "id", at);
      if (!Array.isArray(item.summary)) throw missing(`${at}.summary`);
      checkSeal(item);
      return;
    default:
      throw wrongValue(`${at}.type`, item.type);
  }
}

/** Nothing is kept here: a thought that is not sealed could not be found. */
function checkSeal({ id, encrypted_content: sealed }: Fields): void {
  if (typeof sealed !== "string") throw new Refusal(404, `Item with id '${String(id)}' not found.`);
  if (!sealed.startsWith(SEAL)) {
    throw refuse("The encrypted content could not be verified.", null, "invalid_encrypted_content");
  }
}

type Parts = Readonly<Record<string, readonly string[]>>;
const INPUT_PARTS: Parts = {
  input_text: ["type", "text"],
  input_image: words("type image_url file_id detail"),
  input_file: words("type file_data file_id file_url filename"),
};
const OUTPUT_PARTS: Parts = { output_text: words("type text annotations logprobs"), refusal: ["type", "refusal"] };

function checkMessage({ role, content }: Fields, at: string): void {
  if (!["user", "assistant", "system", "developer"].includes(String(role))) throw wrongValue(`${at}.role`, role);
  checkContent(content, role === "assistant" ? OUTPUT_PARTS : INPUT_PARTS, `${at}.content`);
}

function checkContent(content: unknown, parts: Parts, at: string): void {
  if (typeof content === "string") return;
  if (!Array.isArray(content)) throw missing(at);
  for (const [index, part] of content.entries()) {
    const place = `${at}[${index}]`;
    const known = isRecord(part) ? parts[String(part.type)] : undefined;
    if (!isRecord(part) || !known) throw wrongValue(`${place}.type`, isRecord(part) ? part.type : part);
    checkKnown(part, known, `${place}.`);
    if (part.type === "input_text") requireText(part, "text", place);
    if (part.type === "input_image") checkImage(part, place);
  }
}

function checkImage({ image_url: url, detail }: Fields, at: string): void {
  if (!/^(?:https?:|data:image\/)/.test(String(url))) throw refuse("Invalid image.", at, "invalid_image_url");
  if (!["low", "high", "auto", "original"].includes(String(detail))) throw wrongValue(`${at}.detail`, detail);
}

function checkTools({ tools, tool_choice: choice }: Fields): void {
  const offered: readonly unknown[] = Array.isArray(tools) ? tools : [];
  for (const [index, tool] of offered.entries()) {
    const at = `tools[${index}]`;
    if (isRecord(tool) && tool.type === "web_search") {
      checkKnown(tool, words("type filters user_location search_context_size external_web_access"), `${at}.`);
      continue;
    }
    if (!isRecord(tool) || tool.type !== "function") throw wrongValue(`${at}.type`, isRecord(tool) ? tool.type : tool);
    checkKnown(tool, words("type name description parameters strict"), `${at}.`);
    if (!NAME.test(String(tool.name))) throw wrongValue(`${at}.name`, tool.name);
    if (tool.parameters === undefined) throw missing(`${at}.parameters`);
    checkStrictness(tool);
  }
  if (choice === undefined || choice === "auto" || choice === "none") return;
  if (offered.length === 0) throw refuse("Tool choice must be specified with 'tools' parameter.", "tool_choice");
  if (choice === "required") return;
  if (!isRecord(choice)) throw wrongValue("tool_choice", choice);
  const isList = choice.type === "allowed_tools";
  checkKnown(choice, isList ? words("type mode tools") : words("type name"), "tool_choice.");
  if (isList) return;
  if (!offered.some((tool) => isRecord(tool) && tool.name === choice.name)) {
    throw refuse(`Tool choice '${String(choice.name)}' not found in 'tools' parameter.`, "tool_choice");
  }
}

/** A function is strict unless it says otherwise, and then its schema has to be closed. */
function checkStrictness({ name, strict = true, parameters }: Fields): void {
  if (strict !== true || (isRecord(parameters) && parameters.additionalProperties === false)) return;
  throw refuse(
    `Invalid schema for function '${String(name)}': In context=(), 'additionalProperties' is required to be supplied and to be false.`,
    "tools",
    "invalid_function_parameters",
  );
}

function checkText({ text, input }: Fields): void {
  if (text === undefined) return;
  if (!isRecord(text)) throw wrongType("text");
  checkKnown(text, ["format", "verbosity"], "text.");
  const { verbosity, format } = text;
  if (verbosity !== undefined && !["low", "medium", "high"].includes(String(verbosity)))
    throw wrongValue("text.verbosity", verbosity);
  if (format === undefined) return;
  if (!isRecord(format)) throw wrongType("text.format");
  if (format.type === "json_schema") {
    checkKnown(format, words("type name schema strict description"), "text.format.");
    requireText(format, "name", "text.format");
    if (!isRecord(format.schema)) throw missing("text.format.schema");
  } else if (format.type !== "text" && format.type !== "json_object") throw wrongValue("text.format.type", format.type);
  if (format.type === "json_object" && !JSON.stringify(input).toLowerCase().includes("json")) {
    throw refuse("Response input messages must contain the word 'json' to use 'text.format' of type 'json_object'.");
  }
}

function checkSettings(body: Fields): void {
  const { max_output_tokens: room, temperature, stream, stream_options: options } = body;
  if (room !== undefined && (typeof room !== "number" || room < 16)) {
    throw refuse(
      `Invalid 'max_output_tokens': integer below minimum value. Expected a value >= 16, but got ${String(room)} instead.`,
      "max_output_tokens",
      "integer_below_min_value",
    );
  }
  if (temperature !== undefined && (typeof temperature !== "number" || temperature < 0 || temperature > 2)) {
    throw refuse("Invalid 'temperature': must be between 0 and 2.", "temperature", "decimal_above_max_value");
  }
  if (options === undefined) return;
  if (stream !== true) throw refuse("The 'stream_options' parameter is only allowed when 'stream' is enabled.");
  if (isRecord(options)) checkKnown(options, ["include_obfuscation"], "stream_options.");
}

function checkThinking({ model, reasoning, include, temperature, top_p }: Fields): void {
  const included: readonly unknown[] = Array.isArray(include) ? include : [];
  for (const one of included) if (!INCLUDABLE.includes(String(one))) throw wrongValue("include", one);
  if (isRecord(reasoning)) checkKnown(reasoning, words("effort summary generate_summary"), "reasoning.");
  const name = String(model);
  const unsupported = (at: string) =>
    refuse(`Unsupported parameter: '${at}' is not supported with this model.`, at, "unsupported_parameter");
  if (NEVER_THINKS.test(name)) {
    if (reasoning !== undefined) throw unsupported("reasoning.effort");
    if (included.includes("reasoning.encrypted_content")) {
      throw refuse("Encrypted content is not supported with this model.", "include");
    }
  }
  if (THINKS.test(name))
    for (const at of ["temperature", "top_p"]) if ({ temperature, top_p }[at]) throw unsupported(at);
}
