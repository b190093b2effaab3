import { GatewayError } from "../../contract/errors.ts";
import { isRecord } from "../../lib/json.ts";
import { inputSchema, usesFunctions } from "../anthropic/tools.ts";
import { type Block, cacheBlocks } from "./blocks.ts";
import { TITLE } from "./title.ts";

type Fields = Readonly<Record<string, unknown>>;

/**
 * Bedrock refuses calls in the history unless tools are offered. When the caller offers none, or forbids them, this one
 * stands in: it cannot be meant, and a call of it is left out of the answer.
 */
export const NO_TOOL = "gateway_no_tool";

export type Choice = { readonly kind: "auto" | "none" | "any" } | { readonly kind: "tool"; readonly name: string };

export const isForced = (choice: Choice): boolean => choice.kind === "any" || choice.kind === "tool";

/** What the caller offers; nothing when it forbids all calls, because Converse has no word for that. */
export function offeredTools(request: Fields): Block[] {
  if (readChoice(request).kind === "none") return [];
  const tools: readonly unknown[] = Array.isArray(request.tools) ? request.tools : [];
  if (usesFunctions(request)) return (request.functions as readonly unknown[]).flatMap((one) => functionTool(one));
  return tools.flatMap((tool) => encodeTool(tool));
}

export function readChoice(request: Fields): Choice {
  const choice = usesFunctions(request) ? request.function_call : request.tool_choice;
  if (choice === undefined || choice === null || choice === "auto") return { kind: "auto" };
  if (choice === "none") return { kind: "none" };
  if (choice === "required" || choice === "any") return { kind: "any" };
  const named = isRecord(choice) ? (isRecord(choice.function) ? choice.function.name : choice.name) : null;
  if (typeof named === "string") return { kind: "tool", name: named };
  throw new GatewayError("invalid_request", `${TITLE} does not know this tool_choice.`, { param: "tool_choice" });
}

/** `auto` is what models do unasked, and some refuse to be told. */
export function toolConfig(tools: readonly Block[], choice: Choice): Fields {
  switch (choice.kind) {
    case "any":
      return { tools, toolChoice: { any: {} } };
    case "tool":
      return { tools, toolChoice: { tool: { name: choice.name } } };
    default:
      return { tools };
  }
}

export const noTools = (): Block[] => [
  toolSpec(NO_TOOL, "Not available. Never call this.", { type: "object", properties: {} }),
];

export const toolSpec = (name: string, description: string, schema: Fields): Block => ({
  toolSpec: { name, ...(description === "" ? {} : { description }), inputSchema: { json: schema } },
});

/** Tools in Bedrock's own form, its system tools among them, pass as they are. */
function encodeTool(tool: unknown): Block[] {
  if (!isRecord(tool)) throw refusedTool("A tool has to be an object.");
  if (isRecord(tool.function)) return [...functionTool(tool.function), ...cacheBlocks(tool)];
  if (["toolSpec", "systemTool", "cachePoint"].some((key) => isRecord(tool[key]))) return [tool];
  throw refusedTool(`${TITLE} does not know tools of type ${JSON.stringify(tool.type ?? null)}.`);
}

/** `strict` is left out: Bedrock has a switch of that name, with limits on schemas that would refuse OpenAI's. */
function functionTool(definition: unknown): Block[] {
  if (!isRecord(definition) || typeof definition.name !== "string") throw refusedTool("A function needs a name.");
  const description = typeof definition.description === "string" ? definition.description : "";
  return [toolSpec(definition.name, description, inputSchema(definition.parameters)), ...cacheBlocks(definition)];
}

const refusedTool = (message: string): GatewayError => new GatewayError("invalid_request", message, { param: "tools" });
