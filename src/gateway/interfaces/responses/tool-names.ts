import type { ResponseItem, ResponseRequest, ResponseTool } from "../../../contract/responses.ts";
import { isRecord } from "../../../lib/json.ts";
import { refuse } from "./refuse.ts";

/** A tool of a request, under the name that the model calls it by. */
export interface NamedTool {
  /** Unique among the tools of the request. */
  readonly called: string;
  readonly tool: ResponseTool;
  readonly namespace: string | null;
}

/** A tool by which a model loads further tools: the client searches, and sends the tools that it found as an item. */
export const TOOL_SEARCH = "tool_search";

/** Whether the client runs a search for tools. OpenAI's own search has no use: a chat has all listed tools. */
export const isClientSearch = ({ type, execution }: ResponseTool): boolean =>
  type === TOOL_SEARCH && execution === "client";

/** OpenAI's longest name of a function. */
const NAME_CHARS_MAX = 64;

/**
 * The tools of a request as one list. A chat has no namespaces: their tools are listed with the others, and a name that
 * two tools share gets its namespace in front.
 */
export function namedTools({ tools }: Pick<ResponseRequest, "tools">, items: readonly ResponseItem[]): NamedTool[] {
  const all = withoutRepeats([...(tools ?? []), ...foundTools(items)].flatMap(membersOf));
  const uses = new Map<unknown, number>();
  for (const { tool } of all) uses.set(tool.name, (uses.get(tool.name) ?? 0) + 1);
  return all.map(({ tool, namespace }) => {
    const name = isClientSearch(tool) ? TOOL_SEARCH : String(tool.name ?? "");
    const isShared = namespace !== null && (uses.get(tool.name) ?? 0) > 1;
    return { tool, namespace, called: isShared ? `${namespace}__${name}`.slice(-NAME_CHARS_MAX) : name };
  });
}

/** The tools that earlier searches found, which the model may call from then on. */
const foundTools = (items: readonly ResponseItem[]): ResponseTool[] =>
  items.flatMap(({ type, tools }) =>
    type === "tool_search_output" && Array.isArray(tools) ? tools.filter(isTool) : [],
  );

function withoutRepeats(tools: readonly Omit<NamedTool, "called">[]): readonly Omit<NamedTool, "called">[] {
  const known = new Set<string>();
  return tools.filter(({ tool, namespace }) => {
    const key = JSON.stringify([tool.type, tool.name, namespace]);
    const isNew = !known.has(key) || tool.name === undefined;
    known.add(key);
    return isNew;
  });
}

function membersOf(tool: ResponseTool): Omit<NamedTool, "called">[] {
  if (tool.type !== "namespace") return [{ tool, namespace: null }];
  const { name, tools } = tool;
  if (typeof name !== "string" || !Array.isArray(tools) || !tools.every(isTool))
    return refuse("tools", "A tool of the type `namespace` must have a `name` and a list of `tools`.");
  return tools.map((member) => ({ tool: member, namespace: name }));
}

const isTool = (tool: unknown): tool is ResponseTool => isRecord(tool) && typeof tool.type === "string";

/** The tools of a request in both directions: as the caller names them, and as the model does. */
export class ToolNames {
  private readonly byCalled: ReadonlyMap<string, NamedTool>;

  constructor(private readonly named: readonly NamedTool[]) {
    this.byCalled = new Map(named.map((one) => [one.called, one]));
  }

  static of(request: Pick<ResponseRequest, "tools">, items: readonly ResponseItem[]): ToolNames {
    return new ToolNames(namedTools(request, items));
  }

  /** Whether the tool is given a text, and not fields. */
  isCustom(called: string): boolean {
    return this.byCalled.get(called)?.tool.type === "custom";
  }

  /** Whether a call of the tool is a search for tools. */
  isSearch(called: string): boolean {
    const tool = this.byCalled.get(called)?.tool;
    return tool !== undefined && isClientSearch(tool);
  }

  /** The names that the caller gave a tool. A model may also call a tool that does not exist. */
  shown(called: string): { readonly name: string; readonly namespace?: string } {
    const { tool, namespace } = this.byCalled.get(called) ?? {};
    if (namespace == null) return { name: called };
    return { name: String(tool?.name), namespace };
  }

  /** The name that the model knows a tool by, which may not be offered any more. */
  called({ name, namespace }: Readonly<Record<string, unknown>>): unknown {
    if (typeof namespace !== "string") return name;
    const found = this.named.find(({ tool, namespace: own }) => own === namespace && tool.name === name);
    return found?.called ?? name;
  }

  /** Earlier calls, under the names that the model knows. */
  renamed(items: readonly ResponseItem[]): readonly ResponseItem[] {
    if (!items.some(({ namespace }) => typeof namespace === "string")) return items;
    return items.map((item) => (typeof item.namespace === "string" ? { ...item, name: this.called(item) } : item));
  }
}
