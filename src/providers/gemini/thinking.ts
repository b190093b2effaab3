import type { ChatRequest } from "../../contract/chat.ts";
import { GatewayError } from "../../contract/errors.ts";
import { isRecord } from "../../lib/json.ts";
import type { ModelTraits } from "./model.ts";

/** The budgets that Google's own OpenAI-like endpoint uses. */
const BUDGETS: Readonly<Record<string, number>> = {
  none: 0,
  minimal: 1024,
  low: 1024,
  medium: 8192,
  high: 24_576,
  xhigh: 24_576,
  max: 24_576,
};
const LEVELS: Readonly<Record<string, string>> = {
  none: "MINIMAL",
  minimal: "MINIMAL",
  low: "LOW",
  medium: "MEDIUM",
  high: "HIGH",
  xhigh: "HIGH",
  max: "HIGH",
};
/** The least that a model of the pro line can think. */
const PRO_BUDGET_MIN = 128;

/** `reasoning_effort`, or `thinking` as Anthropic's users write it. Whoever asks for thinking is shown its summary. */
export function thinkingConfig(request: ChatRequest, traits: ModelTraits): Record<string, unknown> | null {
  const { reasoning_effort: effort, thinking } = request as Readonly<Record<string, unknown>>;
  if (isRecord(thinking)) return fromBudget(thinking, traits);
  if (effort === undefined || effort === null) return null;
  if (typeof effort !== "string" || !Object.hasOwn(BUDGETS, effort)) {
    throw new GatewayError("invalid_request", `reasoning_effort is one of ${Object.keys(BUDGETS).join(", ")}.`, {
      param: "reasoning_effort",
    });
  }
  const includeThoughts = effort !== "none";
  if (!traits.thinksInLevels) return { thinkingBudget: leastFor(BUDGETS[effort] ?? 0, traits), includeThoughts };
  const level = LEVELS[effort];
  return { thinkingLevel: traits.isPro && level === "MINIMAL" ? "LOW" : level, includeThoughts };
}

function fromBudget(thinking: Readonly<Record<string, unknown>>, traits: ModelTraits): Record<string, unknown> {
  if (thinking.type === "disabled") return { thinkingBudget: leastFor(0, traits), includeThoughts: false };
  const budget = typeof thinking.budget_tokens === "number" ? thinking.budget_tokens : -1;
  return { thinkingBudget: budget, includeThoughts: true };
}

const leastFor = (budget: number, traits: ModelTraits): number =>
  traits.isPro ? Math.max(budget, PRO_BUDGET_MIN) : budget;
