import { badRequest } from "../failure.ts";
import type { Fields } from "../fields.ts";
import { findList, findText, isFields } from "../fields.ts";
import { countTokens } from "../text/tokenize.ts";

const ROLES = ["system", "developer", "user", "assistant", "tool", "function"] as const;
type Role = (typeof ROLES)[number];

export interface Message {
  readonly role: Role;
  /** The content as text, with other kinds of parts described: `[image]`. */
  readonly text: string;
  /** The function whose result this is, where the conversation tells. */
  readonly toolName: string | undefined;
  readonly tokens: number;
}

/** Each message costs three tokens for its frame and the reply three more to begin, as OpenAI's models count them. */
const MESSAGE_OVERHEAD_TOKENS = 3;
export const REPLY_OVERHEAD_TOKENS = 3;

export function parseMessages(body: Fields): readonly Message[] {
  const list = findList(body, "messages") ?? [];
  if (list.length === 0) throw badRequest("'messages' must hold at least one message.", "messages", "empty_array");
  const toolNames = new Map<string, string>();
  return list.map((item, at) => {
    const param = `messages[${at}]`;
    if (!isFields(item)) throw badRequest(`'${param}' must be an object.`, param, "invalid_type");
    const message = parseMessage(item, param, toolNames);
    noteToolNames(item, toolNames);
    return message;
  });
}

function parseMessage(item: Fields, param: string, toolNames: ReadonlyMap<string, string>): Message {
  const role = ROLES.find((known) => known === item.role);
  if (role === undefined)
    throw badRequest(`'${param}.role' must be one of ${ROLES.join(", ")}.`, `${param}.role`, "invalid_value");
  const text = contentText(item.content, `${param}.content`);
  const name = findText(item, "name");
  const calls = [item.tool_calls, item.function_call].filter((call) => call !== undefined && call !== null);
  const counted = [text, name ?? "", ...calls.map((call) => JSON.stringify(call))];
  return {
    role,
    text,
    toolName: role === "function" ? name : toolNames.get(findText(item, "tool_call_id") ?? ""),
    tokens: counted.reduce((sum, part) => sum + countTokens(part), MESSAGE_OVERHEAD_TOKENS),
  };
}

function contentText(content: unknown, param: string): string {
  if (typeof content === "string") return content;
  if (content === undefined || content === null) return "";
  if (!Array.isArray(content))
    throw badRequest(`'${param}' must be a string or a list of parts.`, param, "invalid_type");
  return content.map((part, at) => describePart(part, `${param}[${at}]`)).join(" ");
}

function describePart(part: unknown, param: string): string {
  if (!isFields(part) || typeof part.type !== "string")
    throw badRequest(`'${param}' must be an object with a 'type'.`, param);
  switch (part.type) {
    case "text":
      return findText(part, "text") ?? "";
    case "refusal":
      return findText(part, "refusal") ?? "";
    case "image_url":
      return "[image]";
    case "input_audio":
      return "[audio]";
    case "file": {
      const name = isFields(part.file) ? part.file.filename : undefined;
      return typeof name === "string" ? `[file: ${name}]` : "[file]";
    }
    default:
      return `[${part.type}]`;
  }
}

/** A `tool` message names only the call; which function that was stands in the assistant's message before it. */
function noteToolNames(item: Fields, toolNames: Map<string, string>): void {
  if (!Array.isArray(item.tool_calls)) return;
  for (const call of item.tool_calls) {
    if (!isFields(call) || typeof call.id !== "string") continue;
    const named = isFields(call.function) ? call.function : call.custom;
    if (isFields(named) && typeof named.name === "string") toolNames.set(call.id, named.name);
  }
}
