import { countTokens } from "../../catalog/tokenizer.ts";
import type { ChatRequest } from "../../contract/chat.ts";
import { GatewayError } from "../../contract/errors.ts";
import type { TokenCountRequest, TokenCountResponse } from "../../contract/models.ts";
import { isRecord } from "../../lib/json.ts";
import { withTargetDetails } from "../attempts/error-details.ts";
import { exchangeText, parseAnswer } from "../attempts/read-response.ts";
import { type ResolvedTarget, resolveForDryRun } from "../attempts/resolve-target.ts";
import type { Fields, GatewayDeps, InferenceCall } from "../call/gateway.ts";
import { askedGuardrails } from "../guardrails/requested-guardrails.ts";
import { type CountedPrompt, promptTexts } from "../metering/prompt-texts.ts";
import { tagsOf } from "../metering/usage-record.ts";
import { forEndUser } from "../pipeline/apply-end-user.ts";
import { findForCaller } from "../pipeline/authorize-model.ts";
import type { RoutingContext } from "../routing/router.ts";

/** Counts a request's tokens here, or at the provider where it is asked for and the provider has a counter. */
export async function countRequest(
  deps: GatewayDeps,
  call: InferenceCall,
  request: TokenCountRequest,
  atProvider: boolean,
): Promise<TokenCountResponse> {
  if (!request.prompt && !request.messages && !request.contents) {
    throw new GatewayError("invalid_request", "One of `prompt`, `messages` and `contents` is needed.");
  }
  if (!atProvider) return countHere(deps, call, request);
  return countWithinLimits(deps, call, asChat(request), request);
}

/** Counts a chat's prompt at the provider where it has a counter, else here. */
export const countPrompt = (
  deps: GatewayDeps,
  call: InferenceCall,
  request: ChatRequest,
): Promise<TokenCountResponse> => countWithinLimits(deps, call, request, request);

/** A count that a provider may be asked for is one of the calls that its caller may make, but uses no tokens. */
async function countWithinLimits(
  deps: GatewayDeps,
  call: InferenceCall,
  chat: Fields,
  prompt: CountedPrompt,
): Promise<TokenCountResponse> {
  // The prompt goes along: who may not have the call may not count it either, nor may whom it is made for.
  if (deps.endUsers.concern(call.caller, call.receivedAtMs)) call.caller = await forEndUser(deps, call, chat);
  const target = resolveForDryRun(deps, call, "chat", chat, (all) => deps.router.allowed(all, countFacts(call, chat)));
  const permit = await deps.limits.admit({ call, request: chat, deployment: target.deployment, tokens: null });
  call.responseMeta.limits = permit.states;
  try {
    const counter = isGuarded(deps, call, chat) ? undefined : target.provider.chat?.countTokens;
    return await (counter ? countAtProvider(deps, call, target, counter) : countHere(deps, call, prompt));
  } finally {
    await permit.end(0);
  }
}

/** Where a count may go. However long the prompt is, it can be counted. */
const countFacts = (call: InferenceCall, chat: Fields): RoutingContext => ({
  group: call.model,
  operation: "chat",
  promptTokens: () => 0,
  requestedTokens: () => 0,
  tags: tagsOf(chat, call.source.tags, call.caller.tags),
  region: call.header("x-gw-region"),
  affinity: null,
  stream: false,
});

/** What guardrails would keep from a model is kept from its counter, and counted here. */
const isGuarded = (deps: GatewayDeps, call: InferenceCall, chat: Fields): boolean =>
  deps.guardrails().of(call, call.caller.guardrails, askedGuardrails(chat))?.checksRequest ?? false;

async function countHere(deps: GatewayDeps, call: InferenceCall, prompt: CountedPrompt): Promise<TokenCountResponse> {
  const { texts, extraTokens } = promptTexts(prompt);
  let total = extraTokens;
  for (const text of texts) total += await countTokens(text, call.signal);
  return answer(call, total, modelUsed(deps, call), "openai_tokenizer", null);
}

async function countAtProvider(
  deps: GatewayDeps,
  call: InferenceCall,
  target: ResolvedTarget,
  counter: NonNullable<NonNullable<ResolvedTarget["provider"]["chat"]>["countTokens"]>,
): Promise<TokenCountResponse> {
  try {
    const upstream = counter.encode(target.fields as ChatRequest, target.endpoint);
    const body = parseAnswer((await exchangeText(deps, call, target, upstream)).text);
    const total = counter.decode(body);
    return answer(call, total, target.deployment.upstreamModel, `${target.provider.id}_api`, body);
  } catch (thrown) {
    throw withTargetDetails(thrown, target, call.caller);
  }
}

const answer = (
  call: InferenceCall,
  total: number,
  modelUsed: string,
  tokenizer: string,
  original: unknown,
): TokenCountResponse => ({
  total_tokens: total,
  request_model: call.model,
  model_used: modelUsed,
  tokenizer_type: tokenizer,
  original_response: original,
  error: false,
  error_message: null,
  status_code: null,
});

/** A name that is not configured is counted too; one that this key may not call tells nothing about what is behind it. */
function modelUsed(deps: GatewayDeps, { caller, model }: InferenceCall): string {
  const [first] = findForCaller(deps.catalog(), caller, model);
  return first?.upstreamModel ?? model;
}

/** The request as a chat, which is what providers count. */
function asChat({ model, prompt, messages, contents, tools, system }: TokenCountRequest): Fields {
  const instructions = textOf(system);
  return {
    model,
    messages: [
      ...(instructions === "" ? [] : [{ role: "system", content: instructions }]),
      ...(typeof prompt === "string" ? [{ role: "user", content: prompt }] : []),
      ...(messages ?? []),
      ...(contents ?? []).map(fromGoogle),
    ],
    ...(tools ? { tools } : {}),
  };
}

const fromGoogle = (turn: Record<string, unknown>) => ({
  role: turn.role === "model" ? "assistant" : "user",
  content: textOf(turn.parts),
});

/** The text of a string, a block or a list of them. */
function textOf(value: unknown): string {
  if (typeof value === "string") return value;
  if (Array.isArray(value)) return value.map(textOf).join("\n");
  if (!isRecord(value)) return "";
  return typeof value.text === "string" ? value.text : textOf(value.parts);
}
