/**
 * When echo calls a tool:
 *
 * - `tool_choice` names a function: that one. `"required"`: the first tool. `"none"`: never.
 * - `"auto"` or absent: each tool that the last user message mentions by name, in the order of `tools`; in the name and in the
 *   message `_`, `-`, `.` and case do not matter, so "get weather" mentions `get_weather`. `parallel_tool_calls: false`
 *   leaves the first of them. When the last message is a tool's result, none: the answer quotes the result.
 * - The arguments are the smallest value of the function's schema, with the user's text in its first open required string.
 *   A custom tool's input is the user's text.
 *
 * The older `functions` and `function_call` follow the same rule, with one call at most.
 */
import { badRequest } from "../failure.ts";
import type { Fields } from "../fields.ts";
import { findFlag, findList, getText, isFields } from "../fields.ts";
import { schemaInstance } from "../schema/instance.ts";

interface Tool {
  readonly kind: "function" | "custom";
  readonly name: string;
  readonly parameters: unknown;
}

export interface ToolRequest {
  /** Which of OpenAI's two forms the caller speaks. */
  readonly form: "tools" | "functions";
  readonly tools: readonly Tool[];
  readonly mode: "none" | "auto" | "required";
  readonly parallel: boolean;
}

export interface PlannedCall {
  readonly kind: Tool["kind"];
  readonly name: string;
  /** JSON for a function, plain text for a custom tool. */
  readonly input: string;
}

export function planCalls(request: ToolRequest, userText: string, answersTool: boolean): readonly PlannedCall[] {
  return chooseTools(request, userText, answersTool).map((tool) => ({
    kind: tool.kind,
    name: tool.name,
    input: tool.kind === "custom" ? userText : argumentsJson(tool, userText),
  }));
}

function chooseTools({ tools, mode, parallel }: ToolRequest, userText: string, answersTool: boolean): readonly Tool[] {
  if (mode === "none" || (mode === "auto" && answersTool)) return [];
  if (mode === "required") return tools.slice(0, 1);
  const message = ` ${plainWords(userText)} `;
  const mentioned = tools.filter((tool) => message.includes(` ${plainWords(tool.name)} `));
  return parallel ? mentioned : mentioned.slice(0, 1);
}

function plainWords(text: string): string {
  return text
    .toLowerCase()
    .replace(/[^\p{L}\p{M}\p{N}]+/gu, " ")
    .trim();
}

function argumentsJson(tool: Tool, userText: string): string {
  const value = schemaInstance(tool.parameters ?? { type: "object" }, userText);
  if (value !== undefined) return JSON.stringify(value);
  throw badRequest(
    `No value satisfies the parameters of the function '${tool.name}'.`,
    "tools",
    "invalid_function_parameters",
  );
}

export function parseToolRequest(body: Fields): ToolRequest {
  const form =
    findList(body, "tools") === undefined && findList(body, "functions") !== undefined ? "functions" : "tools";
  const tools = form === "tools" ? parseTools(body) : parseFunctions(body);
  const parallel = form === "tools" && (findFlag(body, "parallel_tool_calls") ?? true);
  const choiceField = form === "tools" ? "tool_choice" : "function_call";
  return { form, parallel, ...applyChoice(body[choiceField] ?? "auto", tools, choiceField) };
}

function applyChoice(choice: unknown, tools: readonly Tool[], param: string): Pick<ToolRequest, "tools" | "mode"> {
  if (choice === "none" || choice === "auto" || choice === "required") {
    if (choice !== "required" || tools.length > 0) return { mode: choice, tools };
  } else if (isFields(choice)) {
    if (isFields(choice.allowed_tools)) return allowTools(choice.allowed_tools, tools);
    const named = tools.filter((tool) => tool.name === chosenName(choice));
    if (named.length > 0) return { mode: "required", tools: named };
  }
  throw badRequest(`'${param}' does not fit the tools of the request.`, param, "invalid_value");
}

function allowTools(allowed: Fields, tools: readonly Tool[]): Pick<ToolRequest, "tools" | "mode"> {
  const names = (findList(allowed, "tools") ?? []).map((tool) => (isFields(tool) ? chosenName(tool) : undefined));
  return {
    mode: allowed.mode === "required" ? "required" : "auto",
    tools: tools.filter((tool) => names.includes(tool.name)),
  };
}

function chosenName(choice: Fields): unknown {
  if (isFields(choice.function)) return choice.function.name;
  return isFields(choice.custom) ? choice.custom.name : choice.name;
}

function parseTools(body: Fields): readonly Tool[] {
  return (findList(body, "tools") ?? []).map((item, at) => {
    const param = `tools[${at}]`;
    if (isFields(item) && item.type === "function" && isFields(item.function)) {
      return { kind: "function", name: getText(item.function, "name"), parameters: item.function.parameters };
    }
    if (isFields(item) && item.type === "custom" && isFields(item.custom)) {
      return { kind: "custom", name: getText(item.custom, "name"), parameters: undefined };
    }
    throw badRequest(`'${param}' must be a function or a custom tool.`, param, "invalid_value");
  });
}

function parseFunctions(body: Fields): readonly Tool[] {
  return (findList(body, "functions") ?? []).map((item, at) => {
    if (isFields(item)) return { kind: "function", name: getText(item, "name"), parameters: item.parameters };
    throw badRequest(`'functions[${at}]' must be an object.`, `functions[${at}]`, "invalid_type");
  });
}
