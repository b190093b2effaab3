import type { ChatRequest, Message } from "../../contract/chat.ts";
import { isRecord } from "../../lib/json.ts";
import { extraFields } from "../extra-fields.ts";
import { HEADER_FIELDS } from "./betas.ts";
import type { Block, Turn } from "./block.ts";
import { conversation } from "./conversation.ts";
import { type JsonAnswer, jsonAnswer } from "./json-answer.ts";
import { type ModelTraits, modelTraits } from "./model-traits.ts";
import { isInOwnForm, ownTurns } from "./own-form.ts";
import { addSampling } from "./sampling.ts";
import { stopSequences } from "./stop-sequences.ts";
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
  const { system, turns } = isInOwnForm(fields)
    ? { system: [], turns: ownTurns(request.messages) }
    : conversation(messages);
  const tools = toolFields(fields, turns, json.tool ?? null);
  const thinking = planThinking(fields, messages, traits, isForced(tools.tool_choice));
  const own = ownFields(fields);
  // Field by field: a literal of a dozen spreads, most of them of nothing, took longer than all the rest.
  const body: Body = { max_tokens: maxTokens(fields, traits, thinking) };
  addSampling(body, fields, traits, thinking.isOn);
  addStopSequences(body, fields.stop);
  if (tools.tools !== undefined) body.tools = tools.tools;
  if (tools.tool_choice !== undefined) body.tool_choice = tools.tool_choice;
  if (thinking.thinking !== undefined) body.thinking = thinking.thinking;
  addEndUser(body, fields.user ?? fields.safety_identifier);
  const tier = SERVICE_TIERS.get(fields.service_tier);
  if (tier !== undefined) body.service_tier = tier;
  if (fields.stream === true) body.stream = true;
  for (const name in own) body[name] = own[name];
  body.model = model;
  body.messages = turns;
  const instructions = systemBlocks(own.system, system, json);
  if (instructions.length > 0) body.system = instructions;
  addOutputConfig(body, own.output_config, thinking, json);
  return body as MessagesBody;
}

type Body = Record<string, unknown>;

function ownFields(fields: Fields): Record<string, unknown> {
  const own = extraFields("chat", fields);
  for (const name of HEADER_FIELDS) if (own[name] !== undefined) delete own[name];
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

/** Without what was to be dropped: where it was not, the call has not come this far. */
function addStopSequences(body: Body, stop: unknown): void {
  if (stop === undefined) return;
  const sequences = stopSequences(stop);
  if (sequences.length > 0) body.stop_sequences = sequences;
}

const USER_ID_CHARS_MAX = 256;
const PERSONAL = /^[^@\s]+@[^@\s]+$|^\+?[\d\s()-]{7,}$/;

/** Anthropic refuses mail addresses and telephone numbers as ids of users. */
function addEndUser(body: Body, user: unknown): void {
  if (typeof user !== "string" || user === "" || user.length > USER_ID_CHARS_MAX || PERSONAL.test(user)) return;
  body.metadata = { user_id: user };
}

const SERVICE_TIERS: ReadonlyMap<unknown, string> = new Map([
  ["auto", "auto"],
  ["priority", "auto"],
  ["default", "standard_only"],
  ["standard_only", "standard_only"],
]);

/** What is asked for in words comes last, so that a cached beginning of the system prompt stays what it was. */
function systemBlocks(given: unknown, said: readonly Block[], { instruction }: JsonAnswer): readonly unknown[] {
  if (given === undefined && instruction === undefined) return said;
  const last = instruction === undefined ? [] : [{ type: "text", text: instruction }];
  return [...givenSystem(given), ...said, ...last];
}

function givenSystem(system: unknown): readonly unknown[] {
  if (typeof system === "string" && system !== "") return [{ type: "text", text: system }];
  return Array.isArray(system) ? system : [];
}

/** What the caller writes in Anthropic's own words wins. */
function addOutputConfig(body: Body, own: unknown, { effort }: Thinking, { format }: JsonAnswer): void {
  if (effort === undefined && format === undefined && !isRecord(own)) return;
  const config = {
    ...(effort !== undefined && { effort }),
    ...(format !== undefined && { format }),
    ...(isRecord(own) && own),
  };
  if (Object.keys(config).length > 0) body.output_config = config;
}
