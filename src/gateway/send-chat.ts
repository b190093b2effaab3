import type { ChatRequest } from "../contract/chat.ts";
import { GatewayError } from "../contract/errors.ts";
import type { AnswerFacts, ChatDialect } from "../providers/dialect.ts";
import type { Choice } from "./choose.ts";
import type { GatewayDeps, InferenceCall } from "./deps.ts";
import { type Exchange, exchange } from "./exchange.ts";
import { inlineMedia } from "./inline-media.ts";

/** A chat call on its way: the request as the upstream saw it, and what came back. */
export interface SentChat {
  readonly dialect: ChatDialect;
  readonly fields: ChatRequest;
  readonly facts: AnswerFacts;
  readonly exchange: Exchange;
}

export async function sendChat(deps: GatewayDeps, call: InferenceCall, choice: Choice): Promise<SentChat> {
  const dialect = choice.provider.chat;
  if (!dialect) throw new GatewayError("invalid_request", `${choice.provider.title} does not serve chat completions.`);
  const asked = choice.fields as ChatRequest;
  const fields = dialect.inlineMedia ? await inlineMedia(deps.transport, asked, call.signal) : asked;
  const facts: AnswerFacts = {
    id: `chatcmpl-${call.callId}`,
    createdSeconds: Math.floor(deps.clock.nowMs() / 1000),
    model: choice.model,
  };
  const upstream = dialect.encode(fields, choice.target);
  return { dialect, fields, facts, exchange: await exchange(deps, call, choice, upstream, fields.stream === true) };
}
