import { GatewayError } from "../../../contract/errors.ts";
import { isRecord } from "../../../lib/json.ts";
import type { Provider } from "../../../providers/dialect.ts";
import type { Fields } from "../../call/gateway.ts";
import { chatMessages } from "./chat-messages.ts";
import { chatTools } from "./chat-tools.ts";

/** Who is to answer, as far as it matters here. */
export interface Answerer {
  readonly provider: Pick<Provider, "title" | "messagesForm" | "hasSummaries">;
  readonly model: string;
  /** OpenAI's parameters that it honours. */
  readonly supported: ReadonlySet<string>;
  readonly dropParams: boolean;
}

/** A request in Anthropic's own form as a chat, for those who do not speak it. */
export function asChat(request: Fields, answerer: Answerer): Fields {
  const { supported, dropParams, provider } = answerer;
  const { system, messages, tools, tool_choice, thinking, output_config, ...rest } = request;
  const chat: Record<string, unknown> = { ...rest, messages: chatMessages(system, messages) };
  Object.assign(chat, chatTools(tools, tool_choice, provider.title, dropParams));
  addThinking(chat, thinking, output_config, answerer);
  for (const name of NEEDED) if (!dropParams && isAsked(chat[name])) throw unsupported(name, provider);
  for (const name of [...NEEDED, ...ONLY_THERE]) delete chat[name];
  for (const name of WISHES) if (!supported.has(name)) delete chat[name];
  return chat;
}

/**
 * Refuses message threads, which only Anthropic's own service stores. Its SDKs read the details of this error, and send
 * the whole conversation instead.
 */
export function rejectThread({ thread }: Fields, provider: Pick<Provider, "id" | "title">): void {
  if (!isAsked(thread) || provider.id === "anthropic") return;
  const words = `${provider.title} has no message threads. Leave \`thread\` out, and send the whole conversation.`;
  const details = { error_code: "thread_unsupported_request", unsupported: ["thread"] };
  throw new GatewayError("unsupported_params", words, { param: "thread", details });
}

/** Without these the answer would be another one. */
const NEEDED = ["mcp_servers", "container"] as const;
/** How Anthropic's service does its work. */
const ONLY_THERE = ["anthropic_form", "context_management", "cache_control", "inference_geo", "speed"] as const;
/** What clients of Anthropic's send without being asked to, and nobody misses. */
const WISHES = ["user", "service_tier"] as const;

const isAsked = (value: unknown): boolean =>
  value !== undefined && value !== null && (!Array.isArray(value) || value.length > 0);

/** Tokens to think up to which an effort is meant; beyond, it is high. */
const EFFORTS: readonly (readonly [budget: number, effort: string])[] = [
  [1024, "low"],
  [4096, "medium"],
];

function addThinking(chat: Record<string, unknown>, thinking: unknown, config: unknown, answerer: Answerer): void {
  const { supported, provider, model } = answerer;
  if (!supported.has("reasoning_effort")) return;
  if (isRecord(thinking) && provider.messagesForm?.(model) === "thinking") {
    chat.thinking = thinking;
    return;
  }
  const effort = effortOf(thinking, config);
  if (effort !== null) chat.reasoning_effort = effort;
  if (provider.hasSummaries && isShown(thinking)) chat.reasoning_summary ??= "auto";
}

/** Whether somebody wants to read what was thought. */
const isShown = (thinking: unknown): boolean =>
  isRecord(thinking) && thinking.type !== "disabled" && thinking.display !== "omitted";

/** Who leaves it to the model says nothing; not all of those that think can be told not to. */
function effortOf(thinking: unknown, config: unknown): string | null {
  if (isRecord(thinking) && thinking.type === "disabled") return null;
  if (isRecord(config) && typeof config.effort === "string") return MODEST.has(config.effort) ? config.effort : "high";
  const budget = isRecord(thinking) ? thinking.budget_tokens : null;
  if (typeof budget !== "number") return null;
  return effortFor(budget);
}

export const effortFor = (budget: number): string => EFFORTS.find(([upTo]) => budget <= upTo)?.[1] ?? "high";

/** Those above are not known to all: the highest that is stands for them. */
const MODEST: ReadonlySet<string> = new Set(["low", "medium"]);

const unsupported = (name: string, { title }: Answerer["provider"]): GatewayError =>
  new GatewayError(
    "unsupported_params",
    `${title} does not have \`${name}\`, which is Anthropic's. Leave it out, or set \`drop_params\` to have it dropped.`,
    { param: name },
  );
