import type { ChatRequest } from "../../contract/chat.ts";
import { GatewayError } from "../../contract/errors.ts";
import { isRecord } from "../../lib/json.ts";

export interface OfferedTool {
  readonly name: string;
  readonly description: string | null;
  /** A JSON schema; a tool without parameters has that of an empty object. */
  readonly parameters: Readonly<Record<string, unknown>>;
  readonly strict: boolean;
}

/** `{ name }`: this tool and no other has to be called. */
export type ToolChoice = "auto" | "none" | "required" | { readonly name: string };

/** The functions that a request offers, by `tools` or by the older `functions`. */
export function offeredTools(request: ChatRequest): readonly OfferedTool[] {
  const tools: readonly unknown[] = request.tools ?? [];
  if (tools.length === 0) return (request.functions ?? []).map((offered) => toolOf(offered, "functions"));
  return tools.map((tool) => {
    if (!isRecord(tool) || tool.type !== "function") throw faulty("tools", "Only tools of type function can be used.");
    return toolOf(tool.function, "tools");
  });
}

function toolOf(offered: unknown, param: string): OfferedTool {
  if (!isRecord(offered) || typeof offered.name !== "string") throw faulty(param, "A function has no name.");
  return {
    name: offered.name,
    description: typeof offered.description === "string" ? offered.description : null,
    parameters: isRecord(offered.parameters) ? offered.parameters : { type: "object", properties: {} },
    strict: offered.strict === true,
  };
}

export function toolChoice(request: ChatRequest): ToolChoice {
  const param = request.tool_choice == null ? "function_call" : "tool_choice";
  const choice: unknown = request.tool_choice ?? request.function_call ?? "auto";
  if (choice === "auto" || choice === "none" || choice === "required") return choice;
  const named = isRecord(choice) && isRecord(choice.function) ? choice.function : choice;
  if (isRecord(named) && typeof named.name === "string") return { name: named.name };
  throw faulty(param, `\`${param}\` is neither auto, none, required nor the name of a function.`);
}

/** A demand for a call where there is nothing to call would be answered in prose; OpenAI refuses it, too. */
export function requireOffer(isForced: boolean, offered: number): void {
  if (isForced && offered === 0) throw faulty("tool_choice", "A tool has to be called, but none is offered.");
}

/** The tools that may be called under a choice: a provider that cannot be told which one is offered only that one. */
export function toolsUnder(choice: ToolChoice, tools: readonly OfferedTool[]): readonly OfferedTool[] {
  requireOffer(choice === "required", tools.length);
  if (typeof choice === "string") return tools;
  const chosen = tools.filter(({ name }) => name === choice.name);
  if (chosen.length === 0) throw faulty("tool_choice", `The tool ${choice.name} is chosen but not offered.`);
  return chosen;
}

/** Models that cannot be told to call a tool are asked to, which nearly all of them follow. */
export function insistence(choice: Exclude<ToolChoice, "auto" | "none">): object {
  const which = choice === "required" ? "one of the tools" : `the tool ${choice.name}`;
  return { role: "system", content: `Answer by calling ${which}. Do not answer in text.` };
}

const faulty = (param: string, words: string): GatewayError => new GatewayError("invalid_request", words, { param });
