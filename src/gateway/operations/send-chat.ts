import type { ChatRequest } from "../../contract/chat.ts";
import { GatewayError } from "../../contract/errors.ts";
import { shortName } from "../../lib/short-name.ts";
import type { AnswerFacts, ChatDialect, UpstreamRequest } from "../../providers/dialect.ts";
import type { ResolvedTarget } from "../attempts/resolve-target.ts";
import { type Exchange, exchange } from "../attempts/upstream-request.ts";
import type { GatewayDeps, InferenceCall } from "../call/gateway.ts";
import { inlineMedia } from "./inline-media.ts";

/** A chat call as its upstream gets to see it. */
export interface EncodedChat {
  readonly dialect: ChatDialect;
  readonly fields: ChatRequest;
  readonly facts: AnswerFacts;
  readonly upstream: UpstreamRequest;
}

/** The same on its way, with what came back. */
export interface SentChat extends EncodedChat {
  readonly exchange: Exchange;
}

export async function sendChat(deps: GatewayDeps, call: InferenceCall, target: ResolvedTarget): Promise<SentChat> {
  const chat = await encodeChat(deps, call, target);
  return { ...chat, exchange: await exchange(deps, call, target, chat.upstream, chat.fields.stream === true) };
}

/** Without a promise where nothing has to be fetched for it. */
export function encodeChat(
  deps: GatewayDeps,
  call: InferenceCall,
  target: ResolvedTarget,
): EncodedChat | Promise<EncodedChat> {
  const dialect = target.provider.chat;
  if (!dialect) throw withoutChat(target);
  const asked = target.fields as ChatRequest;
  if (!dialect.inlineMedia) return encode(deps, call, target, dialect, asked);
  const fields = inlineMedia(deps.transport, asked, call.signal);
  if (!(fields instanceof Promise)) return encode(deps, call, target, dialect, fields);
  return fields.then((inlined) => encode(deps, call, target, dialect, inlined));
}

function withoutChat({ provider, model }: ResolvedTarget): GatewayError {
  const message = provider.completion
    ? `The model \`${shortName(model)}\` completes texts and does not chat: call POST /v1/completions.`
    : `${provider.title} does not serve chat completions.`;
  return new GatewayError("invalid_request", message, { param: "model" });
}

function encode(
  deps: GatewayDeps,
  call: InferenceCall,
  target: ResolvedTarget,
  dialect: ChatDialect,
  fields: ChatRequest,
): EncodedChat {
  const facts: AnswerFacts = {
    id: `chatcmpl-${call.callId}`,
    createdSeconds: Math.floor(deps.clock.nowMs() / 1000),
    model: target.model,
    target: target.endpoint,
  };
  return { dialect, fields, facts, upstream: dialect.encode(fields, target.endpoint) };
}
