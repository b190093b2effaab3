import type { ChatRequest, Message } from "../../contract/chat.ts";
import { isRecord } from "../../lib/json.ts";
import { modelTraits } from "../anthropic/model-traits.ts";
import { addSampling } from "../anthropic/sampling.ts";
import { asksForThinking } from "../anthropic/thinking.ts";
import type { Target, UpstreamRequest } from "../dialect.ts";
import { extraFields } from "../extra-fields.ts";
import { type Conversation, encodeConversation } from "./conversation.ts";
import { jsonAnswer } from "./json-answer.ts";
import { type BedrockModel, parseModel } from "./model.ts";
import { reasoningFields } from "./reasoning.ts";
import { bedrockRequest } from "./request.ts";
import { planTools } from "./tools.ts";

type Fields = Readonly<Record<string, unknown>>;

/** Fields of Converse itself, which callers may send under their own names; every other field is the model's. */
const CONVERSE_FIELDS: ReadonlySet<string> = new Set([
  "additionalModelResponseFieldPaths",
  "guardrailConfig",
  "outputConfig",
  "performanceConfig",
  "promptVariables",
  "requestMetadata",
  "serviceTier",
  "system",
  "toolConfig",
]);

export const encodeChat = (request: ChatRequest, target: Target): UpstreamRequest =>
  bedrockRequest(
    target,
    request.stream === true ? "converse-stream" : "converse",
    converseBody(request, parseModel(target.upstreamModel)),
  );

export function converseBody(request: ChatRequest, model: BedrockModel): Fields {
  const messages = request.messages as readonly Message[];
  const conversation = encodeConversation(messages);
  const answer = jsonAnswer(request, model);
  const plan = planTools(request, model, answer, conversation.hasToolTurns);
  const own = splitExtraFields(request);
  const additional = {
    ...reasoningFields(request, messages, model, plan.isForced),
    ...(plan.claudeChoice === undefined ? {} : { tool_choice: plan.claudeChoice }),
    ...modelFields(own.model, model),
  };
  return {
    ...systemField(conversation, answer.instruction),
    messages: conversation.messages,
    ...nonEmpty("inferenceConfig", {
      ...inferenceConfig(request, model, asksForThinking(additional)),
      ...own.inferenceConfig,
    }),
    ...(plan.toolConfig === undefined ? {} : { toolConfig: plan.toolConfig }),
    ...(answer.outputConfig === undefined ? {} : { outputConfig: answer.outputConfig }),
    ...serviceTier(request.service_tier),
    ...requestMetadata(request.user),
    ...own.converse,
    ...nonEmpty("additionalModelRequestFields", additional),
  };
}

function systemField(conversation: Conversation, instruction: string | undefined): Fields {
  const system = [...conversation.system, ...(instruction === undefined ? [] : [{ text: instruction }])];
  return system.length === 0 ? {} : { system };
}

function inferenceConfig(request: ChatRequest & Fields, model: BedrockModel, thinks: boolean): Fields {
  const stop = typeof request.stop === "string" ? [request.stop] : (request.stop ?? []);
  const { temperature, top_p: topP } = sampling(request, model, thinks);
  return withoutNulls({
    maxTokens: request.max_completion_tokens ?? request.max_tokens,
    temperature,
    topP,
    stopSequences: stop.length === 0 ? null : stop,
  });
}

/** Claude takes no other settings here than at Anthropic. */
function sampling(request: ChatRequest, model: BedrockModel, thinks: boolean): Fields {
  if (model.family !== "claude") return request;
  const settings: Record<string, unknown> = {};
  addSampling(settings, request, modelTraits(model.id), thinks);
  return settings;
}

interface ExtraFields {
  readonly converse: Fields;
  readonly inferenceConfig: Fields;
  readonly model: Fields;
}

function splitExtraFields(request: ChatRequest): ExtraFields {
  // `model_id` belongs to the deployment and is in the address already.
  const { inferenceConfig, additionalModelRequestFields, model_id: _, ...extra } = extraFields("chat", request);
  const entries = Object.entries(extra);
  return {
    converse: Object.fromEntries(entries.filter(([name]) => CONVERSE_FIELDS.has(name))),
    inferenceConfig: isRecord(inferenceConfig) ? inferenceConfig : {},
    model: {
      ...Object.fromEntries(entries.filter(([name]) => !CONVERSE_FIELDS.has(name))),
      ...(isRecord(additionalModelRequestFields) ? additionalModelRequestFields : {}),
    },
  };
}

/** Nova has `top_k` under a name and at a place of its own. */
function modelFields(fields: Fields, model: BedrockModel): Fields {
  if (model.family !== "nova" || fields.top_k === undefined) return fields;
  const { top_k: topK, ...others } = fields;
  return { ...others, inferenceConfig: { topK } };
}

/** OpenAI's other tiers mean what happens anyway. */
const serviceTier = (tier: unknown): Fields =>
  tier === "flex" || tier === "priority" ? { serviceTier: { type: tier } } : {};

/** By this the operator finds a user's calls in Bedrock's own logs; what does not fit there is left out. */
const requestMetadata = (user: unknown): Fields =>
  typeof user === "string" && /^[a-zA-Z0-9\s:_@$#=/+,\-.]{1,256}$/.test(user) ? { requestMetadata: { user } } : {};

const nonEmpty = (name: string, fields: Fields): Fields => (Object.keys(fields).length === 0 ? {} : { [name]: fields });

const withoutNulls = (fields: Fields): Fields =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== null && value !== undefined));
