import type { ContentPart, Message } from "../../../contract/chat.ts";
import { GatewayError } from "../../../contract/errors.ts";
import { isRecord } from "../../../lib/json.ts";
import { shortName } from "../../../lib/short-name.ts";
import type { Provider } from "../../../providers/dialect.ts";
import { GOOGLE_PART } from "../../../providers/gemini/own-form.ts";
import type { Fields } from "../../call/gateway.ts";
import { effortFor } from "../anthropic/to-openai.ts";
import { calledTools } from "./chat-tools.ts";
import { normalizeNames } from "./field-names.ts";

/** Who is to answer, as far as it matters here. */
interface Answerer {
  readonly provider: Pick<Provider, "title" | "googleForm" | "hasSummaries">;
  readonly model: string;
  /** OpenAI's parameters that it honours. */
  readonly supported: ReadonlySet<string>;
  readonly dropParams: boolean;
}

/** What a request in Google's form has beside a chat: in the words of Google's models for these, as far as it can be said for others. */
export function withGoogleForm(request: Fields, answerer: Answerer): Fields {
  const { google_form: given, ...chat } = request;
  const form = isRecord(given) ? given : {};
  // An embedding has a task and a title, which other models do not have.
  if (!Array.isArray(chat.messages))
    return answerer.provider.googleForm?.(answerer.model) ? { ...chat, ...form } : chat;
  return answerer.provider.googleForm?.(answerer.model) ? { ...chat, ...form } : forOthers(chat, form, answerer);
}

function forOthers(chat: Record<string, unknown>, form: Fields, answerer: Answerer): Fields {
  const { toolConfig, generationConfig, serviceTier, ...beside } = form;
  const { thinkingConfig, topK, ...generation } = isRecord(generationConfig) ? generationConfig : ({} as Fields);
  const { functionCallingConfig: _, ...retrieval } = normalizeNames(toolConfig, "toolConfig");
  const foreign = [...Object.keys(beside), ...Object.keys(generation), ...Object.keys(retrieval)];
  const needed = foreign.find((name) => !WITHOUT_EFFECT.has(name));
  if (needed !== undefined && !answerer.dropParams) throw unsupported(needed, answerer);
  addThinking(chat, thinkingConfig, answerer);
  // Claude refuses it while it thinks. Where the provider's API does not have it, it is dropped later.
  if (typeof topK === "number" && chat.reasoning_effort === undefined) chat.top_k ??= topK;
  if (typeof serviceTier === "string" && answerer.supported.has("service_tier")) {
    chat.service_tier ??= TIERS.get(serviceTier.toLowerCase()) ?? serviceTier;
  }
  if (Array.isArray(chat.tools)) narrowTools(chat, chat.tools, toolConfig, answerer);
  chat.messages = foreignMessages(chat.messages as readonly Message[], answerer);
  return chat;
}

/** What Google's service watches over by itself; others do so in their own way. */
const WITHOUT_EFFECT: ReadonlySet<string> = new Set(["safetySettings"]);

const TIERS: ReadonlyMap<string, string> = new Map([
  ["standard", "default"],
  ["unspecified", "auto"],
]);

/** As in Anthropic's form: who leaves it to the model says nothing, and not all that think can be told not to. */
function addThinking(chat: Record<string, unknown>, given: unknown, { supported, provider }: Answerer): void {
  if (!supported.has("reasoning_effort") || !isRecord(given)) return;
  const { thinkingBudget, thinkingLevel, includeThoughts } = given;
  const level = typeof thinkingLevel === "string" ? LEVELS.get(thinkingLevel.toUpperCase()) : undefined;
  const effort = level ?? (typeof thinkingBudget === "number" && thinkingBudget > 0 ? effortFor(thinkingBudget) : null);
  if (effort) chat.reasoning_effort ??= effort;
  if (provider.hasSummaries && includeThoughts === true) chat.reasoning_summary ??= "auto";
}

/** The least is not known to all: the lowest that is stands for it. */
const LEVELS: ReadonlyMap<string, string> = new Map([
  ["MINIMAL", "low"],
  ["LOW", "low"],
  ["MEDIUM", "medium"],
  ["HIGH", "high"],
]);

/** Functions that may not be called are not offered: not everybody has another word for it. */
function narrowTools(
  chat: Record<string, unknown>,
  tools: readonly unknown[],
  config: unknown,
  answerer: Answerer,
): void {
  const all = tools.filter(isRecord);
  const own = all.find((tool) => !isRecord(tool.function));
  if (own !== undefined && !answerer.dropParams) throw foreignTool(own, answerer);
  const { names } = calledTools(config);
  chat.tools = all.filter((tool) => isRecord(tool.function) && (names.size === 0 || names.has(tool.function.name)));
  if ((chat.tools as unknown[]).length > 0) return;
  delete chat.tools;
  delete chat.tool_choice;
}

/** Most providers take only text as a result: what else it has is shown by the user, behind all results of the turn. */
function foreignMessages(messages: readonly Message[], answerer: Answerer): Message[] {
  const made: Message[] = [];
  let shown: ContentPart[] = [];
  const show = (): void => {
    if (shown.length > 0) made.push({ role: "user", content: shown });
    shown = [];
  };
  for (const message of messages) {
    if (message.role !== "tool") show();
    if (!Array.isArray(message.content)) {
      made.push(message);
      continue;
    }
    const parts = knownParts(message.content as readonly ContentPart[], answerer);
    const [words, ...media] = parts;
    if (message.role !== "tool") made.push({ ...message, content: parts });
    else made.push({ ...message, content: words?.text ?? "" });
    if (message.role !== "tool" || media.length === 0) continue;
    shown.push({ type: "text", text: `Shown by the result of ${message.tool_call_id ?? ""}:` });
    for (const part of media) shown.push(part);
  }
  show();
  return made;
}

function knownParts(parts: readonly ContentPart[], answerer: Answerer): readonly ContentPart[] {
  const own = parts.find(({ type }) => type === GOOGLE_PART);
  if (own === undefined) return parts;
  if (!answerer.dropParams) throw foreignPart(own, answerer);
  return parts.filter(({ type }) => type !== GOOGLE_PART);
}

const unsupported = (name: string, { provider }: Answerer): GatewayError =>
  refusal(
    `${provider.title} does not have \`${shortName(name)}\`, which is Google's. Leave it out, or set \`drop_params\` to have it dropped.`,
    shortName(name),
  );

const foreignTool = (tool: Fields, { provider }: Answerer): GatewayError => {
  const [name = "without a name"] = Object.keys(tool);
  return refusal(`${provider.title} does not have the tool ${shortName(name)}, which is Google's own.`, "tools");
};

function foreignPart(part: ContentPart, { provider }: Answerer): GatewayError {
  const held = isRecord(part[GOOGLE_PART]) ? part[GOOGLE_PART] : {};
  const names = Object.keys(held).filter((name) => name !== "thoughtSignature");
  const told = names.slice(0, 5).map((name) => shortName(name));
  return refusal(
    `${provider.title} does not take a part with ${told.join(" and ")}: only Google's own models do.`,
    "contents",
  );
}

const refusal = (message: string, param: string): GatewayError =>
  new GatewayError("unsupported_params", message, { param });
