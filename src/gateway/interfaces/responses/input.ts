import type { ContentPart, Message, ToolCall } from "../../../contract/chat.ts";
import type { ResponseItem } from "../../../contract/responses.ts";
import { isRecord } from "../../../lib/json.ts";
import { signatureField } from "../../../providers/gemini/signature.ts";
import { isOwnFileId } from "../../operations/file-references.ts";
import { customArguments } from "./custom-tools.ts";
import { reasoningOf, type Thoughts } from "./reasoning.ts";
import { refuse } from "./refuse.ts";
import { TOOL_SEARCH } from "./tool-names.ts";

type Draft = Message & { tool_calls?: ToolCall[] };

/** What was said so far, as the messages of a chat. What one turn of a model thought, said and called is one message. */
export function messagesOf(instructions: string | null, items: readonly ResponseItem[]): Message[] {
  const messages: Draft[] = instructions ? [{ role: "system", content: instructions }] : [];
  const seals = new Map<string, string>();
  let thoughts: Thoughts = {};
  for (const item of items) {
    const type = item.type ?? "message";
    if (type === "reasoning") thoughts = { ...thoughts, ...returnedTo(messages, seals, item) };
    else if (type === "function_call") addCall(turn(messages, thoughts), functionCall(item), seals);
    else if (type === "custom_tool_call") addCall(turn(messages, thoughts), customCall(item), seals);
    else if (type === "tool_search_call") addCall(turn(messages, thoughts), searchCall(item), seals);
    else if (type === "tool_search_output") messages.push(searchOutput(item));
    else if (type === "message" && item.role === "assistant") say(messages, thoughts, assistantText(item.content));
    else if (type === "message") messages.push({ role: roleOf(item.role), content: contentOf(item.content) });
    else if (type === "function_call_output" || type === "custom_tool_call_output") messages.push(output(item));
    else refuse("input", `Items of the type \`${type.slice(0, 64)}\` are not served.`);
    if (type !== "reasoning") thoughts = {};
  }
  return messages;
}

/** What is left of a thought for the message that follows: a seal of what was said before it goes there. */
function returnedTo(messages: readonly Draft[], seals: Map<string, string>, item: ResponseItem): Thoughts {
  const { fields, ofText, ofCalls } = reasoningOf(item);
  for (const [callId, seal] of ofCalls) seals.set(callId, seal);
  const last = messages.at(-1);
  if (last?.role !== "assistant" || !last.content || last.tool_calls) return { ...fields, ...ofText };
  Object.assign(last, ofText);
  return fields;
}

/** The message of the model's turn that is under way, begun where there is none. */
function turn(messages: Draft[], thoughts: Thoughts): Draft {
  const last = messages.at(-1);
  if (last?.role === "assistant" && Object.keys(thoughts).length === 0) return last;
  const begun: Draft = { role: "assistant", content: null, ...thoughts };
  messages.push(begun);
  return begun;
}

/** Words after calls begin a turn of their own: in a chat, words come first. */
function say(messages: Draft[], thoughts: Thoughts, text: string): void {
  messages.push({ role: "assistant", content: text, ...thoughts });
}

/** Without a copy: that of thousands takes the server for seconds. */
function addCall(turn: Draft, call: ToolCall, seals: ReadonlyMap<string, string>): void {
  const seal = seals.get(call.id);
  const sealed = seal === undefined ? {} : { provider_specific_fields: signatureField(seal) };
  turn.tool_calls ??= [];
  turn.tool_calls.push({ ...call, ...sealed });
}

const functionCall = ({ call_id, name, arguments: given }: ResponseItem): ToolCall => ({
  id: textOf(call_id, "call_id"),
  type: "function",
  function: { name: textOf(name, "name"), arguments: textOf(given, "arguments") },
});

const customCall = ({ call_id, name, input }: ResponseItem): ToolCall => ({
  id: textOf(call_id, "call_id"),
  type: "function",
  function: { name: textOf(name, "name"), arguments: customArguments(textOf(input, "input")) },
});

const searchCall = ({ call_id, arguments: given }: ResponseItem): ToolCall => ({
  id: textOf(call_id, "call_id"),
  type: "function",
  function: { name: TOOL_SEARCH, arguments: typeof given === "string" ? given : JSON.stringify(given ?? {}) },
});

/** The tools that were found are among those of the request: the model reads their names. */
const searchOutput = ({ call_id, tools }: ResponseItem): Draft => ({
  role: "tool",
  tool_call_id: textOf(call_id, "call_id"),
  content: `These tools can be called now: ${listedNames(tools).join(", ") || "none"}.`,
});

const listedNames = (tools: unknown): string[] =>
  (Array.isArray(tools) ? tools : []).flatMap((tool) => {
    if (!isRecord(tool)) return [];
    return tool.type === "namespace" ? listedNames(tool.tools) : [String(tool.name)];
  });

const output = ({ call_id, output: given }: ResponseItem): Draft => ({
  role: "tool",
  tool_call_id: textOf(call_id, "call_id"),
  content: contentOf(given),
});

const textOf = (value: unknown, field: string): string =>
  typeof value === "string" ? value : refuse("input", `An item has no \`${field}\`.`);

const ROLES: readonly unknown[] = ["user", "system", "developer"];

const roleOf = (role: unknown): "user" | "system" | "developer" =>
  ROLES.includes(role)
    ? (role as "user")
    : refuse("input", "A message's `role` is user, assistant, system or developer.");

/** One text stays a text: some models take nothing else. */
function contentOf(content: unknown): string | ContentPart[] {
  if (typeof content === "string") return content;
  if (!Array.isArray(content)) return refuse("input", "A message or an output has no content.");
  const parts = content.map(partOf);
  const [only] = parts;
  return parts.length === 1 && only?.type === "text" ? (only.text ?? "") : parts;
}

function partOf(part: unknown): ContentPart {
  if (!isRecord(part)) return refuse("input", "A part of a message is not an object.");
  switch (part.type) {
    case "input_text":
    case "output_text":
    case "text":
      return { type: "text", text: textOf(part.text, "text") };
    case "input_image":
      return imageOf(part);
    case "input_file":
      return fileOf(part);
    case "input_audio":
      return { type: "input_audio", input_audio: part.input_audio as { data: string; format: string } };
    default:
      return refuse("input", `Parts of the type \`${String(part.type).slice(0, 64)}\` are not served.`);
  }
}

function imageOf({ image_url: url, file_id, detail }: Record<string, unknown>): ContentPart {
  // What was uploaded here is put in its place when the chat is carried out, as the picture that it is.
  if (isOwnFileId(file_id)) return { type: "file", file: { file_id } };
  if (typeof url !== "string")
    return refuse(
      "input",
      "An image is given by its `image_url`, which may be a data URL, or by the `file_id` of an uploaded one.",
    );
  return { type: "image_url", image_url: { url, ...(typeof detail === "string" ? { detail } : {}) } };
}

function fileOf({ file_data, file_id, filename }: Record<string, unknown>): ContentPart {
  if (typeof file_data !== "string" && typeof file_id !== "string") {
    return refuse("input", "A file is given by its `file_data`, or by the `file_id` of an uploaded one.");
  }
  return {
    type: "file",
    file: {
      ...(typeof file_data === "string" ? { file_data } : {}),
      ...(typeof file_id === "string" ? { file_id } : {}),
      ...(typeof filename === "string" ? { filename } : {}),
    },
  };
}

/** What a model said, in one piece; what it would not say is what it said. */
function assistantText(content: unknown): string {
  if (typeof content === "string") return content;
  if (!Array.isArray(content)) return refuse("input", "A message has no content.");
  return content
    .map((part) =>
      isRecord(part) && part.type === "refusal" ? textOf(part.refusal, "refusal") : (partOf(part).text ?? ""),
    )
    .join("");
}
