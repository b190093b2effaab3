import type { Message } from "../../contract/chat.ts";
import { modelTraits } from "../anthropic/model-traits.ts";
import { planThinking } from "../anthropic/thinking.ts";
import { reasoningEffort } from "../openai-form/wishes.ts";
import type { BedrockModel } from "./model.ts";
import { isReasoningNova } from "./params.ts";

type Fields = Readonly<Record<string, unknown>>;

/** The least that Claude takes as a budget. */
const BUDGET_MIN = 1024;

/** What `reasoning_effort` becomes in the model's own fields; each family has its own words for it. */
export function reasoningFields(
  request: Fields,
  messages: readonly Message[],
  model: BedrockModel,
  isToolForced: boolean,
): Fields {
  if (model.family === "claude") return claudeFields(request, messages, model, isToolForced);
  const effort = reasoningEffort(request);
  if (effort === null) return {};
  if (model.family === "gpt-oss") return { reasoning_effort: ofThree(effort) };
  if (!isReasoningNova(model.id)) return {};
  if (effort === "none") return { reasoningConfig: { type: "disabled" } };
  return { reasoningConfig: { type: "enabled", maxReasoningEffort: ofThree(effort) } };
}

function claudeFields(
  request: Fields,
  messages: readonly Message[],
  model: BedrockModel,
  isToolForced: boolean,
): Fields {
  const { thinking, effort, budget } = planThinking(request, messages, modelTraits(model.id), isToolForced);
  const guided = effort === undefined ? {} : { output_config: { effort } };
  if (thinking === undefined) return guided;
  if (budget === 0) return { thinking, ...guided };
  // Thinking counts into the limit of the answer, as with OpenAI; where the limit leaves no room, there is none.
  const limit = request.max_completion_tokens ?? request.max_tokens;
  const room = typeof limit === "number" ? Math.min(budget, limit - 1) : budget;
  return room < BUDGET_MIN ? guided : { thinking: { ...thinking, budget_tokens: room }, ...guided };
}

function ofThree(effort: string): string {
  if (effort === "medium" || effort === "high") return effort;
  return effort === "xhigh" || effort === "max" ? "high" : "low";
}
