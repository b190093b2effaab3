import type { ChatRequest } from "../../contract/chat.ts";
import { GatewayError } from "../../contract/errors.ts";
import { isRecord } from "../../lib/json.ts";
import { type OfferedTool, offeredTools, requireOffer, toolChoice } from "../openai-form/tools.ts";

/** What a request says of tools. Without any there is nothing to say. */
export function toolFields(request: ChatRequest): object {
  const tools = [...offeredTools(request).map(functionTool), ...searchTool(request)];
  const choice = choiceOf(request);
  requireOffer(choice !== "auto" && choice !== "none", tools.length);
  if (tools.length === 0) return {};
  const isTold = request.tool_choice != null;
  const { parallel_tool_calls: parallel } = request;
  return {
    tools,
    ...(isTold && { tool_choice: choice }),
    ...(parallel != null && { parallel_tool_calls: parallel }),
  };
}

/** The tool for a web search, which a chat has as an option. */
function searchTool({
  web_search_options: options,
}: ChatRequest & { readonly web_search_options?: unknown }): object[] {
  if (!isRecord(options)) return [];
  const { user_location: place, ...rest } = options;
  const location = isRecord(place) && isRecord(place.approximate) ? place.approximate : null;
  return [{ type: "web_search", ...rest, ...(location && { user_location: { type: "approximate", ...location } }) }];
}

/** A function is strict here unless it is told not to be; in a chat it is the other way round. */
const functionTool = ({ name, description, parameters, strict }: OfferedTool): object => ({
  type: "function",
  name,
  ...(description !== null && { description }),
  parameters,
  strict,
});

function choiceOf(request: ChatRequest): string | object {
  const given: unknown = request.tool_choice;
  if (isRecord(given) && given.type === "allowed_tools") return allowedTools(given.allowed_tools);
  const choice = toolChoice(request);
  return typeof choice === "string" ? choice : { type: "function", name: choice.name };
}

function allowedTools(allowed: unknown): object {
  const { mode, tools } = isRecord(allowed) ? allowed : {};
  if (!Array.isArray(tools)) throw faulty();
  const named = tools.map((tool: unknown) => {
    if (!isRecord(tool) || !isRecord(tool.function) || typeof tool.function.name !== "string") throw faulty();
    return { type: "function", name: tool.function.name };
  });
  return { type: "allowed_tools", mode: mode ?? "auto", tools: named };
}

const faulty = (): GatewayError =>
  new GatewayError("invalid_request", "`tool_choice` has allowed tools that are no names of functions.", {
    param: "tool_choice",
  });
