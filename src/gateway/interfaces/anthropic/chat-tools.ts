import { GatewayError } from "../../../contract/errors.ts";
import { isRecord, textOf } from "../../../lib/json.ts";
import type { Fields } from "../../call/gateway.ts";
import { isClosed } from "./closed-schema.ts";

/** Tools and the choice among them, as chats have them. Anthropic's own tools are with its own models alone. */
export function chatTools(tools: unknown, choice: unknown, title: string, dropForeign: boolean): Fields {
  const offered: readonly unknown[] = Array.isArray(tools) ? tools : [];
  const foreign = offered.find((tool) => !isCustom(tool));
  if (foreign !== undefined && !dropForeign) throw foreignTool(foreign, title);
  const functions = offered.filter(isCustom).map(asFunction);
  // A choice where nothing is offered means nothing.
  return functions.length === 0 ? {} : { tools: functions, ...chatChoice(choice) };
}

const isCustom = (tool: unknown): tool is Fields =>
  isRecord(tool) && (tool.type ?? "custom") === "custom" && typeof tool.name === "string";

const asFunction = ({ name, description, input_schema, strict, cache_control }: Fields): Fields => ({
  type: "function",
  function: {
    name,
    ...(typeof description === "string" && { description }),
    parameters: isRecord(input_schema) ? input_schema : { type: "object", properties: {} },
    ...(strict === true && isClosed(input_schema) && { strict }),
  },
  ...(isRecord(cache_control) && { cache_control }),
});

const CHOICES: ReadonlyMap<unknown, string> = new Map([
  ["any", "required"],
  ["none", "none"],
]);

function chatChoice(choice: unknown): Fields {
  if (!isRecord(choice)) return {};
  const { type, name, disable_parallel_tool_use: oneByOne } = choice;
  return {
    tool_choice: type === "tool" ? { type: "function", function: { name } } : (CHOICES.get(type) ?? "auto"),
    ...(oneByOne === true && { parallel_tool_calls: false }),
  };
}

function foreignTool(tool: unknown, title: string): GatewayError {
  const { type, name } = isRecord(tool) ? tool : ({} as Fields);
  const called = textOf(type ?? name) ?? "without a name";
  return new GatewayError(
    "unsupported_params",
    `${title} does not have the tool ${called}, which is Anthropic's own.`,
    {
      param: "tools",
    },
  );
}
