import { requireOffer } from "../openai-form/tools.ts";
import { ANSWER_TOOL, type JsonAnswer } from "./json-answer.ts";
import type { BedrockModel } from "./model.ts";
import { canCallOneByOne } from "./params.ts";
import { type Choice, isForced, noTools, offeredTools, readChoice, toolConfig } from "./tool-config.ts";

type Fields = Readonly<Record<string, unknown>>;

interface ToolPlan {
  readonly toolConfig?: Fields;
  /** Claude's own `tool_choice`, which can say more than Converse's and replaces it. */
  readonly claudeChoice?: Fields;
  readonly isForced: boolean;
}

/** The tools of a call, with the one for an answer in JSON among them where one is needed. */
export function planTools(request: Fields, model: BedrockModel, answer: JsonAnswer, hasToolTurns: boolean): ToolPlan {
  const offered = offeredTools(request);
  const asked = readChoice(request);
  // A `toolConfig` of the caller's own replaces ours, and brings its own tools.
  if (request.toolConfig === undefined) requireOffer(isForced(asked), offered.length);
  // A call that the caller demands comes before the form of an answer that there will not be.
  const answerTool = answer.tool !== undefined && !isForced(asked) ? answer.tool : null;
  if (answerTool !== null) {
    const choice: Choice = offered.length > 0 ? { kind: "any" } : (answer.alone ?? { kind: "tool", name: ANSWER_TOOL });
    return settle(request, model, [...offered, answerTool], choice);
  }
  if (offered.length > 0) return settle(request, model, offered, asked);
  return hasToolTurns ? { toolConfig: toolConfig(noTools(), { kind: "auto" }), isForced: false } : { isForced: false };
}

function settle(request: Fields, model: BedrockModel, tools: readonly Fields[], choice: Choice): ToolPlan {
  const oneByOne = request.parallel_tool_calls === false && canCallOneByOne(model);
  if (!oneByOne) {
    return { toolConfig: toolConfig(tools, choice), isForced: isForced(choice) };
  }
  // The two choices in one request would be refused as a conflict.
  return {
    toolConfig: toolConfig(tools, { kind: "auto" }),
    claudeChoice: {
      type: choice.kind,
      ...(choice.kind === "tool" ? { name: choice.name } : {}),
      disable_parallel_tool_use: true,
    },
    isForced: isForced(choice),
  };
}
