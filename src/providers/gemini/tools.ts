import type { ChatRequest } from "../../contract/chat.ts";
import { GatewayError } from "../../contract/errors.ts";
import { isRecord, textOf } from "../../lib/json.ts";
import { requireOffer } from "../openai-form/tools.ts";
import type { ModelTraits } from "./model.ts";
import { encodeSchema } from "./schema.ts";

type Fields = Record<string, unknown>;

interface EncodedTools {
  readonly tools?: readonly Fields[];
  readonly toolConfig?: Fields;
}

/** Functions of both interfaces, Google's own tools (`{"googleSearch": {}}`) as they are, and the web search option. */
export function encodeTools(request: ChatRequest, traits: ModelTraits): EncodedTools {
  const given = (request.tools ?? []) as readonly Fields[];
  const older = (request.functions ?? []) as readonly Fields[];
  const searches = isRecord((request as Fields).web_search_options);
  if (given.length === 0 && older.length === 0 && !searches) {
    const config = callingConfig(request.tool_choice ?? request.function_call);
    requireOffer(config?.mode === "ANY", 0);
    return NO_TOOLS;
  }
  const functions = [...given.map(functionOf).filter((found) => found !== null), ...older];
  const own = given.filter((tool) => functionOf(tool) === null);
  const tools: Fields[] = [];
  if (functions.length > 0) tools.push({ functionDeclarations: functions.map((func) => declaration(func, traits)) });
  for (const tool of own) tools.push(ownTool(tool));
  if (searches) tools.push({ googleSearch: {} });
  const config = functions.length === 0 ? null : callingConfig(request.tool_choice ?? request.function_call);
  return { tools, ...(config === null ? {} : { toolConfig: { functionCallingConfig: config } }) };
}

const NO_TOOLS: EncodedTools = {};

/** True when the model may call a function of the caller's. */
export const offersFunctions = (request: ChatRequest): boolean =>
  ((request.tools ?? []) as readonly Fields[]).some((tool) => functionOf(tool) !== null) ||
  (request.functions ?? []).length > 0;

const functionOf = (tool: Fields): Fields | null => (isRecord(tool.function) ? tool.function : null);

function ownTool(tool: Fields): Fields {
  if (tool.type === undefined && Object.keys(tool).length > 0) return tool;
  throw refused(`Gemini models have no tool of type ${JSON.stringify(textOf(tool.type))}.`, "tools");
}

function declaration(func: Fields, traits: ModelTraits): Fields {
  const { name, description, parameters } = func;
  if (typeof name !== "string" || name === "") throw refused("A function has no name.", "tools");
  const schema = isRecord(parameters) && !isEmptyObject(parameters, traits) ? encodeSchema(parameters, traits) : null;
  return {
    name,
    ...(typeof description === "string" ? { description } : {}),
    ...(schema === null ? {} : "json" in schema ? { parametersJsonSchema: schema.json } : { parameters: schema.own }),
  };
}

/**
 * A function without parameters has no schema: an object without properties is refused. One whose parameters may have any
 * name can be told in JSON Schema alone.
 */
const isEmptyObject = (schema: Fields, { takesJsonSchema }: ModelTraits): boolean =>
  !(takesJsonSchema && (schema.additionalProperties === true || isRecord(schema.additionalProperties))) &&
  (schema.type === undefined || schema.type === "object") &&
  (!isRecord(schema.properties) || Object.keys(schema.properties).length === 0) &&
  !["$ref", "anyOf", "oneOf", "allOf"].some((name) => name in schema);

function callingConfig(choice: unknown): Fields | null {
  if (choice === undefined || choice === null) return null;
  if (choice === "auto") return { mode: "AUTO" };
  if (choice === "none") return { mode: "NONE" };
  if (choice === "required" || choice === "any") return { mode: "ANY" };
  if (isRecord(choice)) {
    if (isRecord(choice.allowed_tools)) return allowedTools(choice.allowed_tools);
    const name = isRecord(choice.function) ? choice.function.name : choice.name;
    if (typeof name === "string") return { mode: "ANY", allowedFunctionNames: [name] };
  }
  throw refused("tool_choice is auto, none, required or a function.", "tool_choice");
}

/** The mode that lets the model also answer in words, but keeps it to the named functions, is called VALIDATED. */
function allowedTools(allowed: Fields): Fields {
  const list = Array.isArray(allowed.tools) ? allowed.tools : [];
  const names = list.map((tool) => (isRecord(tool) ? functionOf(tool)?.name : null)).filter(isText);
  return { mode: allowed.mode === "required" ? "ANY" : "VALIDATED", allowedFunctionNames: names };
}

const isText = (value: unknown): value is string => typeof value === "string";

const refused = (message: string, param: string): GatewayError =>
  new GatewayError("invalid_request", message, { param });
