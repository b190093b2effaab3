import { GatewayError } from "../../contract/errors.ts";
import { isRecord, textOf } from "../../lib/json.ts";
import { requireOffer } from "../openai-form/tools.ts";
import type { Block, Turn } from "./block.ts";
import { isInOwnForm } from "./own-form.ts";

type Fields = Readonly<Record<string, unknown>>;

export interface ToolChoice {
  readonly type: string;
  readonly name?: string;
  readonly disable_parallel_tool_use?: boolean;
}

/** A tool in Anthropic's form. */
export interface NamedTool extends Fields {
  readonly name: string;
}

/** `tools` and `tool_choice` of the upstream body; both absent when there is nothing to call. */
interface ToolFields {
  readonly tools?: readonly Fields[];
  readonly tool_choice?: ToolChoice;
}

/** `answerTool` is the tool by which the model hands over an answer in JSON; null when none is needed. */
export function toolFields(request: Fields, turns: readonly Turn[], answerTool: NamedTool | null): ToolFields {
  const tools = offeredTools(request);
  const choice = toolChoice(request);
  requireOffer(isForced(choice), tools.length);
  if (answerTool !== null && !isForced(choice)) return withAnswerTool(request, tools, choice, answerTool);
  if (tools.length > 0) {
    const settled = settleParallel(request, choice);
    return { tools, ...(settled !== null && { tool_choice: settled }) };
  }
  const past = pastTools(turns);
  return past.length > 0 ? { tools: past, tool_choice: { type: "none" } } : NO_TOOLS;
}

const NO_TOOLS: ToolFields = {};

export const isForced = (choice: ToolChoice | null | undefined): boolean =>
  choice?.type === "any" || choice?.type === "tool";

/** A tool call or an answer in JSON: the model has to choose one of them, and cannot fall back to prose. */
function withAnswerTool(
  request: Fields,
  tools: readonly Fields[],
  choice: ToolChoice | null,
  answerTool: NamedTool,
): ToolFields {
  if (tools.length === 0 || choice?.type === "none") {
    const only = { type: "tool", name: answerTool.name, disable_parallel_tool_use: true };
    return { tools: [...tools, answerTool], tool_choice: only };
  }
  const any = settleParallel(request, { type: "any" });
  return { tools: [...tools, answerTool], ...(any !== null && { tool_choice: any }) };
}

/** The older interface knows one call at a time. */
export const usesFunctions = (request: Fields): boolean => !isOffer(request.tools) && isOffer(request.functions);

const isOffer = (list: unknown): boolean => Array.isArray(list) && list.length > 0;

function offeredTools(request: Fields): Fields[] {
  if (usesFunctions(request))
    return (request.functions as readonly unknown[]).map((definition) => functionDefinition(definition, {}));
  if (!Array.isArray(request.tools)) return [];
  return isInOwnForm(request) ? request.tools : request.tools.map(toolDefinition);
}

/** Tools in Anthropic's own form, its server tools among them, pass as they are. */
function toolDefinition(tool: unknown): Fields {
  if (!isRecord(tool)) throw refusedTool("A tool has to be an object.");
  if (isRecord(tool.function)) return functionDefinition(tool.function, tool);
  const isNative = typeof tool.name === "string" && (isRecord(tool.input_schema) || typeof tool.type === "string");
  if (!isNative) throw refusedTool(`Anthropic does not know tools of type ${JSON.stringify(tool.type ?? null)}.`);
  return tool;
}

/** `strict` is left out: Anthropic has a switch of that name, with limits on schemas that would refuse OpenAI's. */
function functionDefinition(definition: unknown, tool: Fields): Fields {
  if (!isRecord(definition) || typeof definition.name !== "string") throw refusedTool("A function needs a name.");
  const cacheControl = [tool.cache_control, definition.cache_control].find(isRecord);
  return {
    name: definition.name,
    ...(typeof definition.description === "string" && { description: definition.description }),
    input_schema: inputSchema(definition.parameters),
    ...(cacheControl !== undefined && { cache_control: cacheControl }),
  };
}

export function inputSchema(parameters: unknown): Fields {
  if (!isRecord(parameters)) return { type: "object", properties: {} };
  return parameters.type === "object" ? parameters : { ...parameters, type: "object" };
}

function toolChoice(request: Fields): ToolChoice | null {
  const choice = usesFunctions(request) ? request.function_call : request.tool_choice;
  if (choice === undefined || choice === null) return null;
  if (choice === "auto" || choice === "none") return { type: choice };
  if (choice === "required" || choice === "any") return { type: "any" };
  if (isRecord(choice)) {
    const named = isRecord(choice.function) ? choice.function.name : choice.name;
    if (typeof named === "string") return { ...(choice.type === "tool" && choice), type: "tool", name: named };
    if (choice.type === "auto" || choice.type === "any" || choice.type === "none")
      return { ...choice, type: choice.type };
  }
  throw new GatewayError("invalid_request", "Anthropic does not know this tool_choice.", { param: "tool_choice" });
}

function settleParallel(request: Fields, choice: ToolChoice | null): ToolChoice | null {
  const oneAtATime = request.parallel_tool_calls === false || usesFunctions(request);
  if (!oneAtATime || choice?.type === "none") return choice;
  return { ...(choice ?? { type: "auto" }), disable_parallel_tool_use: true };
}

/** Anthropic wants the tools of earlier calls defined even when none is offered any more. */
function pastTools(turns: readonly Turn[]): Fields[] {
  if (!turns.some(hasCall)) return [];
  const calls = turns.flatMap(({ content }) => content).filter(isCall);
  const names = new Set(calls.map((call: Block) => textOf(call.name)).filter((name) => name !== null));
  return [...names].map((name) => ({ name, input_schema: inputSchema(null) }));
}

const isCall = ({ type }: Block): boolean => type === "tool_use";
const hasCall = ({ content }: Turn): boolean => content.some(isCall);

const refusedTool = (message: string): GatewayError => new GatewayError("invalid_request", message, { param: "tools" });
