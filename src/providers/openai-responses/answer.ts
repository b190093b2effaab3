import type { ChatAnswer, FinishReason, ToolCall, Usage } from "../../contract/chat.ts";
import { isRecord } from "../../lib/json.ts";
import type { AnswerFacts, Provider } from "../dialect.ts";
import { callId, chatAnswer } from "../openai-form/chat-answer.ts";
import { tokenCount } from "../openai-form/token-count.ts";
import { hasFailed, malformed, responseFailure } from "./failure.ts";
import { SealedThoughts, thoughtFields, thoughtTexts } from "./thoughts.ts";

type Fields = Readonly<Record<string, unknown>>;

/** Between messages of one answer, and between the parts of what was thought. */
export const BREAK = "\n\n";

/** Who answers: what its failures mean, and the mark of the account that it answers. */
export interface Answerer extends Pick<Provider, "classify"> {
  readonly account: string;
}

/** The id of a chat, from that of a response: clients of chats know only these. Null where the provider sent none. */
export function chatId(id: unknown): string | null {
  if (typeof id !== "string" || id === "") return null;
  return id.replace(/^resp_/, "chatcmpl-");
}

export function decodeResponse(body: unknown, facts: AnswerFacts, provider: Answerer): ChatAnswer {
  if (!isRecord(body)) throw malformed("is not an object");
  if (hasFailed(body)) throw responseFailure(body.error, provider);
  if (!Array.isArray(body.output)) throw malformed("has no output");
  if (UNFINISHED.has(body.status)) throw malformed("has not come to its end");
  const id = chatId(body.id) ?? facts.id;
  const items = body.output.filter(isRecord);
  const said = items.filter(({ type }) => type === "message").map(readMessage);
  const refusal = said.map((one) => one.refusal).join("");
  const calls = items.filter(({ type }) => type === "function_call").map((item, index) => callOf(item, id, index));
  const thoughts = new SealedThoughts(provider.account);
  const text = joined(said.map((one) => one.text));
  const annotations = said.flatMap((one) => one.annotations);
  const answer = chatAnswer(id, facts, {
    text,
    reasoning: joined(items.filter(({ type }) => type === "reasoning").flatMap(thoughtTexts)),
    calls,
    logprobs: said.flatMap(({ logprobs }) => logprobs),
    finish: finishReason(body, calls.length > 0),
    usage: responseUsage(body.usage),
    more: {
      ...(annotations.length > 0 && { annotations }),
      ...(refusal !== "" && { refusal, ...(text === "" && { content: null }) }),
      ...thoughtFields(items.flatMap((item) => thoughts.before(item))),
    },
  });
  return { ...answer, ...tierOf(body) };
}

const UNFINISHED: ReadonlySet<unknown> = new Set(["in_progress", "queued", "cancelled"]);

const joined = (texts: readonly string[]): string => texts.filter((text) => text !== "").join(BREAK);

interface SaidMessage {
  readonly text: string;
  readonly refusal: string;
  readonly logprobs: readonly object[];
  /** Places in the text with their sources, as a chat has them. */
  readonly annotations: readonly object[];
}

/** What a message of the output says. */
export function readMessage({ content }: Fields): SaidMessage {
  const parts = (Array.isArray(content) ? content : []).filter(isRecord);
  const textsIn = (name: string) => parts.map((part) => part[name]).filter((text) => typeof text === "string");
  return {
    text: textsIn("text").join(""),
    refusal: textsIn("refusal").join(""),
    logprobs: parts.flatMap(({ logprobs }) => (Array.isArray(logprobs) ? logprobs.filter(isRecord) : [])),
    annotations: parts.flatMap(({ annotations }) => chatAnnotations(annotations)),
  };
}

/** A chat nests a citation under its type. Of other annotations it knows nothing. */
export const chatAnnotations = (annotations: unknown): object[] =>
  (Array.isArray(annotations) ? annotations : [])
    .filter((one) => isRecord(one) && one.type === "url_citation")
    .map(({ type, ...citation }: Fields) => ({ type, url_citation: citation }));

function callOf(item: Fields, answerId: string, index: number): ToolCall {
  if (typeof item.name !== "string") throw malformed("has a call of a function without a name");
  return {
    id: callId(item.call_id, answerId, index),
    type: "function",
    function: { name: item.name, arguments: argumentsOf(item) },
  };
}

/** A function without parameters may be called with nothing at all, and arguments have to be JSON. */
export const argumentsOf = ({ arguments: given }: Fields): string =>
  typeof given === "string" && given !== "" ? given : "{}";

export function finishReason({ status, incomplete_details: details }: Fields, hasCalls: boolean): FinishReason {
  if (status !== "incomplete") return hasCalls ? "tool_calls" : "stop";
  return isRecord(details) && details.reason === "content_filter" ? "content_filter" : "length";
}

/** The tier that a call was served in, which has prices of its own. */
export const tierOf = ({ service_tier: tier }: Fields): object =>
  typeof tier === "string" ? { service_tier: tier } : {};

/** Cached and written tokens are among those put in, thoughts among those put out, as they are in a chat. */
export function responseUsage(usage: unknown): Usage | null {
  if (!isRecord(usage)) return null;
  const prompt = tokenCount(usage.input_tokens);
  const completion = tokenCount(usage.output_tokens);
  const { input_tokens_details: read, output_tokens_details: told } = usage;
  const written = isRecord(read) ? tokenCount(read.cache_write_tokens) : 0;
  return {
    prompt_tokens: prompt,
    completion_tokens: completion,
    total_tokens: prompt + completion,
    ...(isRecord(read) && {
      prompt_tokens_details: {
        cached_tokens: tokenCount(read.cached_tokens),
        ...(written > 0 && { cache_creation_tokens: written }),
      },
    }),
    ...(isRecord(told) && { completion_tokens_details: { reasoning_tokens: tokenCount(told.reasoning_tokens) } }),
  };
}
