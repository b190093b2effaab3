import { isRecord } from "../../lib/json.ts";
import type { Provider } from "../../providers/dialect.ts";
import type { Fields } from "../call/gateway.ts";

/** Whether a stream is to tell its usage, in OpenAI's words or in OpenRouter's. */
export const asksForUsage = (fields: Fields): boolean =>
  (isRecord(fields.stream_options) && fields.stream_options.include_usage === true) || asksForCost(fields);

/** Whether the usage of an answer is to tell what it costs, too. */
export const asksForCost = ({ usage }: Fields): boolean => isRecord(usage) && usage.include === true;

/**
 * The same question of somebody who does not ask for the cost: that changes nothing but what is told of it. A stream with a
 * chunk for its usage is another answer than one without, unless all have it.
 */
export function withoutCostAsked(fields: Fields, alwaysIncludesUsage: boolean): Fields {
  const { usage, ...rest } = fields;
  if (!isRecord(usage) || typeof usage.include !== "boolean") return fields;
  const { include, ...more } = usage;
  const question: Record<string, unknown> = Object.keys(more).length > 0 ? { ...rest, usage: more } : rest;
  if (include && fields.stream === true && !alwaysIncludesUsage) {
    const options = isRecord(fields.stream_options) ? fields.stream_options : {};
    question.stream_options = { ...options, include_usage: true };
  }
  return question;
}

/** Those that have no field `reasoning`. Others may have one of their own. */
const ONLY_EFFORT: ReadonlySet<string> = new Set([
  "openai",
  "azure",
  "azure_ai",
  "groq",
  "cohere",
  "ollama",
  "ollama_chat",
]);
const ALSO_BUDGET: ReadonlySet<string> = new Set(["anthropic", "gemini", "vertex_ai", "bedrock"]);

/** What only OpenRouter knows, in the words of the provider that a call goes to; changes `fields`. */
export function adoptOpenRouterFields(fields: Record<string, unknown>, { id }: Provider): void {
  if (id === "openrouter") return;
  if (isRecord(fields.usage) && typeof fields.usage.include === "boolean") delete fields.usage;
  const { reasoning } = fields;
  const takesBudget = ALSO_BUDGET.has(id);
  if (!isRecord(reasoning) || !(takesBudget || ONLY_EFFORT.has(id)) || !Object.entries(reasoning).every(isKnown))
    return;
  delete fields.reasoning;
  if (fields.reasoning_effort !== undefined || fields.thinking !== undefined) return;
  const { effort, enabled, max_tokens: budget } = reasoning;
  if (typeof budget === "number" && takesBudget) fields.thinking = { type: "enabled", budget_tokens: budget };
  else if (effort !== undefined) fields.reasoning_effort = effort;
  else if (enabled !== undefined || budget !== undefined)
    fields.reasoning_effort = enabled === false ? "none" : "medium";
}

/** A wish that cannot be put in other words stays as it is, for the provider to refuse. */
const isKnown = ([name, value]: [string, unknown]): boolean =>
  (name === "effort" && typeof value === "string") ||
  (name === "max_tokens" && typeof value === "number") ||
  (name === "enabled" && typeof value === "boolean") ||
  (name === "exclude" && value === false);
