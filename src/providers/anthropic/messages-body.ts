import type { ChatRequest, Message } from "../../contract/chat.ts";
import { isRecord } from "../../lib/json.ts";
import { extraFields } from "../extra-fields.ts";
import { HEADER_FIELDS } from "./betas.ts";
import type { Block, Turn } from "./block.ts";
import { conversation } from "./conversation.ts";
import { type JsonAnswer, jsonAnswer } from "./json-answer.ts";
import { type ModelTraits, modelTraits } from "./model-traits.ts";
import { planThinking, type Thinking } from "./thinking.ts";
import { isForced, toolFields } from "./tools.ts";

type Fields = Readonly<Record<string, unknown>>;

interface MessagesBody {
  readonly model: string;
  readonly messages: readonly Turn[];
  readonly [field: string]: unknown;
}

/** A chat request as the body of a Messages call. */
export function messagesBody(request: ChatRequest, model: string): MessagesBody {
  const fields: Fields = request;
  const messages = request.messages as readonly Message[];
  const traits = modelTraits(model);
  const json = jsonAnswer(fields, traits);
  const { system, turns } = conversation(messages);
  const tools = toolFields(fields, turns, json.tool ?? null);
  const thinking = planThinking(fields, messages, traits, isForced(tools.tool_choice));
  const own = ownFields(fields);
  const systemBlocks = [...givenSystem(own.system), ...system, ...instructionBlocks(json)];
  const outputConfig = { ...outputSettings(thinking, json), ...(isRecord(own.output_config) ? own.output_config : {}) };
  return {
    max_tokens: maxTokens(fields, traits, thinking),
    ...sampling(fields, traits, thinking),
    ...stopSequences(fields.stop),
    ...tools,
    ...(thinking.thinking !== undefined && { thinking: thinking.thinking }),
    ...endUser(fields.user ?? fields.safety_identifier),
    ...serviceTier(fields.service_tier),
    ...(fields.stream === true && { stream: true }),
    ...own,
    model,
    messages: turns,
    ...(systemBlocks.length > 0 && { system: systemBlocks }),
    ...(Object.keys(outputConfig).length > 0 && { output_config: outputConfig }),
  };
}

function ownFields(fields: Fields): Record<string, unknown> {
  const own = extraFields("chat", fields);
  for (const name of HEADER_FIELDS) delete own[name];
  return own;
}

/** Room for the answer beside the thinking that `reasoning_effort` brings; the caller's own budget is the caller's care. */
function maxTokens(fields: Fields, traits: ModelTraits, thinking: Thinking): unknown {
  const asked = fields.max_completion_tokens ?? fields.max_tokens ?? null;
  const own = isRecord(fields.thinking) ? fields.thinking.budget_tokens : null;
  const ownBudget = typeof own === "number" && asked === null ? own : 0;
  const budget = Math.max(thinking.budget, ownBudget);
  const answer = asked ?? traits.maxTokensDefault;
  return typeof answer === "number" && answer <= budget ? answer + budget : answer;
}

const TOP_P_MIN_WITH_THINKING = 0.95;

/**
 * OpenAI's temperature goes to 2, Anthropic's to 1 and what is above is refused: the highest stands for it. A model that
 * thinks takes no temperature; models that take only one of the two get the temperature, as the commoner wish.
 */
function sampling(fields: Fields, traits: ModelTraits, { isOn }: Thinking): Fields {
  const { temperature, top_p } = fields;
  if (traits.sampling === "none") return {};
  if (isOn) return typeof top_p === "number" && top_p >= TOP_P_MIN_WITH_THINKING ? { top_p } : {};
  const warmth = typeof temperature === "number" ? { temperature: Math.min(Math.max(temperature, 0), 1) } : {};
  if (typeof top_p !== "number" || (traits.sampling === "one" && "temperature" in warmth)) return warmth;
  return { ...warmth, top_p };
}

/** Sequences of white space alone are refused; an answer that runs past a line end is better than none. */
function stopSequences(stop: unknown): Fields {
  const given: readonly unknown[] = Array.isArray(stop) ? stop : [stop];
  const sequences = given.filter((item) => typeof item === "string" && item.trim() !== "");
  return sequences.length > 0 ? { stop_sequences: sequences } : {};
}

const USER_ID_CHARS_MAX = 256;
const PERSONAL = /^[^@\s]+@[^@\s]+$|^\+?[\d\s()-]{7,}$/;

/** Anthropic refuses mail addresses and telephone numbers as ids of users. */
function endUser(user: unknown): Fields {
  if (typeof user !== "string" || user === "" || user.length > USER_ID_CHARS_MAX || PERSONAL.test(user)) return {};
  return { metadata: { user_id: user } };
}

const SERVICE_TIERS: ReadonlyMap<unknown, string> = new Map([
  ["auto", "auto"],
  ["priority", "auto"],
  ["default", "standard_only"],
  ["standard_only", "standard_only"],
]);

function serviceTier(tier: unknown): Fields {
  const known = SERVICE_TIERS.get(tier);
  return known === undefined ? {} : { service_tier: known };
}

function givenSystem(system: unknown): readonly unknown[] {
  if (typeof system === "string" && system !== "") return [{ type: "text", text: system }];
  return Array.isArray(system) ? system : [];
}

/** Last, so that a cached beginning of the system prompt stays what it was. */
const instructionBlocks = ({ instruction }: JsonAnswer): Block[] =>
  instruction === undefined ? [] : [{ type: "text", text: instruction }];

const outputSettings = ({ effort }: Thinking, { format }: JsonAnswer): Fields => ({
  ...(effort !== undefined && { effort }),
  ...(format !== undefined && { format }),
});
