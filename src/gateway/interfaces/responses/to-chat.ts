import type { ChatRequest } from "../../../contract/chat.ts";
import type { ResponseItem, ResponseRequest, ResponseTool } from "../../../contract/responses.ts";
import { isRecord } from "../../../lib/json.ts";
import { markResponse } from "../../attempts/translation.ts";
import { customTool } from "./custom-tools.ts";
import { messagesOf } from "./input.ts";
import { refuse } from "./refuse.ts";
import { isClientSearch, type NamedTool, namedTools, TOOL_SEARCH, ToolNames } from "./tool-names.ts";

/** Fields that a chat has not, or under another name. Every other one is the chat's own. */
const RESPONSE_ONLY: ReadonlySet<string> = new Set([
  ...[
    "input",
    "instructions",
    "previous_response_id",
    "store",
    "max_output_tokens",
    "max_tool_calls",
    "reasoning",
    "text",
  ],
  ...["include", "truncation", "background", "conversation", "prompt", "stream_options", "tools", "tool_choice"],
  ...["top_logprobs"],
]);

/** What was put in, as items. */
export const itemsOf = (input: ResponseRequest["input"]): readonly ResponseItem[] =>
  typeof input === "string" ? [{ type: "message", role: "user", content: input }] : (input ?? []);

/** The chat that a request asks for, after what was said before it. */
export function chatOf(request: ResponseRequest, before: readonly ResponseItem[]): ChatRequest {
  rejectUnsupportedOptions(request);
  const chat: Record<string, unknown> = {};
  for (const name in request) if (!RESPONSE_ONLY.has(name)) chat[name] = request[name as keyof ResponseRequest];
  const given = [...before, ...itemsOf(request.input)];
  const all = namedTools(request, given);
  const tools = all.filter(({ tool }) => tool.type !== TOOL_SEARCH || isClientSearch(tool));
  const names = new ToolNames(tools);
  const items = names.renamed(given);
  const messages = messagesOf(request.instructions ?? null, items);
  if (messages.length === 0)
    refuse("input", "There is nothing to answer: give `input`, an earlier response or a conversation.");
  chat.messages = messages;
  if (request.max_output_tokens) chat.max_completion_tokens = request.max_output_tokens;
  if (request.reasoning?.effort) chat.reasoning_effort = request.reasoning.effort;
  if (request.reasoning?.summary) chat.reasoning_summary = request.reasoning.summary;
  if (request.text?.verbosity) chat.verbosity = request.text.verbosity;
  const format = formatOf((request.text?.format as Record<string, unknown> | null | undefined) ?? null);
  if (format) chat.response_format = format;
  if (wantsLogprobs(request)) Object.assign(chat, { logprobs: true, top_logprobs: request.top_logprobs ?? 0 });
  if (request.stream === true) chat.stream_options = { include_usage: true };
  addTools(chat, request, tools, names);
  markResponse(chat, tools.length < all.length ? [TOOL_SEARCH] : []);
  return chat as ChatRequest;
}

/** What would need more than a chat, and where it is served in another way. */
function rejectUnsupportedOptions(request: ResponseRequest & { n?: unknown }): void {
  const { background, store, prompt, truncation, n } = request;
  if (n != null && n !== 1) refuse("n", "A response is one answer: `n` is not served.");
  if (background === true && store === false)
    refuse("store", "What is carried out in the background is kept: `store` cannot be false.");
  if (prompt != null) refuse("prompt", "Stored prompts are not served; give `instructions` and `input`.");
  if (truncation != null && truncation !== "disabled") {
    refuse("truncation", "`truncation` is not served but for `disabled`: what does not fit is an error.");
  }
}

const wantsLogprobs = ({ include, top_logprobs }: ResponseRequest): boolean =>
  include?.includes("message.output_text.logprobs") === true || (top_logprobs ?? 0) > 0;

function formatOf(format: Readonly<Record<string, unknown>> | null): Record<string, unknown> | null {
  if (format === null || format.type === "text") return null;
  if (format.type !== "json_schema") return format;
  const { type, ...schema } = format;
  return { type, json_schema: schema };
}

function addTools(
  chat: Record<string, unknown>,
  { tool_choice: choice }: ResponseRequest,
  tools: readonly NamedTool[],
  names: ToolNames,
): void {
  const allowed = isRecord(choice) && choice.type === "allowed_tools" ? choice : null;
  const offered = allowed ? tools.filter((tool) => isAllowed(tool, allowed.tools)) : tools;
  const functions = offered.filter(({ tool }) => !isSearch(tool.type)).map(toolOf);
  if (functions.length > 0) chat.tools = functions;
  const search = offered.find(({ tool }) => isSearch(tool.type));
  if (search) chat.web_search_options = searchOf(search.tool);
  const asked = allowed ? allowed.mode : choice;
  const isOpen = asked == null || asked === "auto" || asked === "none";
  // A chat without tools that says how they are to be called is refused by OpenAI's models; a response is not.
  if (functions.length === 0) delete chat.parallel_tool_calls;
  if (isOpen && (asked == null || functions.length === 0)) return;
  chat.tool_choice = isRecord(asked) ? oneTool(asked, names) : asked;
}

function toolOf({ tool, called }: NamedTool): Record<string, unknown> {
  if (tool.type === "custom") return customTool({ ...tool, name: called });
  if (tool.type !== "function" && !isClientSearch(tool)) {
    return refuse(
      "tools",
      `Tools of the type \`${tool.type.slice(0, 64)}\` are not served: function, custom, namespace and web_search are.`,
    );
  }
  const { type: _, defer_loading: __, execution: ___, ...described } = tool;
  return { type: "function", function: tool.name === called ? described : { ...described, name: called } };
}

const isSearch = (type: string): boolean => /^web_search(_preview)?(_\d{4}_\d\d_\d\d)?$/.test(type);

/** The fields that only a tool of Responses has come last; they go to its own models alone. */
const searchOf = ({ type: _, search_context_size, user_location, ...rest }: ResponseTool): Record<string, unknown> => ({
  ...(search_context_size == null ? {} : { search_context_size }),
  ...(isRecord(user_location) ? { user_location: { type: "approximate", approximate: placeOf(user_location) } } : {}),
  ...rest,
});

const placeOf = ({ type: _, ...place }: Record<string, unknown>): Record<string, unknown> => place;

function isAllowed({ tool, namespace }: NamedTool, allowed: unknown): boolean {
  const isIt = (one: unknown): boolean => {
    if (!isRecord(one)) return false;
    if (one.type === "namespace") return one.name === namespace;
    return one.type === tool.type && one.name === tool.name && (one.namespace ?? namespace) === namespace;
  };
  return Array.isArray(allowed) && allowed.some(isIt);
}

function oneTool(choice: Record<string, unknown>, names: ToolNames): Record<string, unknown> {
  if (choice.type !== "function" && choice.type !== "custom") {
    return refuse("tool_choice", "`tool_choice` names a function or a custom tool, or is auto, none or required.");
  }
  return { type: "function", function: { name: names.called(choice) } };
}
