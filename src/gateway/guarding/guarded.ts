import { GatewayError } from "../../contract/errors.ts";
import type { Operation } from "../../contract/params.ts";
import { GuardrailBlock } from "../../guardrails/block.ts";
import type { CallGuards } from "../../guardrails/call-guards.ts";
import type { Fields, GatewayDeps, InferenceCall } from "../deps.ts";
import { noteRefusal } from "../metering/book.ts";
import { newRecord } from "../metering/call-record.ts";
import type { MeteredCall } from "../metering/metered-call.ts";
import { tokensToText } from "../tokens-to-text.ts";
import { AnswerGuard } from "./answer-guard.ts";
import { askedGuardrails } from "./asked-guardrails.ts";
import { collectTexts, replaceTexts } from "./request-texts.ts";

const APPLIED = "x-gw-applied-guardrails";

/** The guardrails that look at a call; null, and nothing else is done, where there are none. */
export function guardsOf(deps: GatewayDeps, call: InferenceCall, request: Fields): CallGuards | null {
  if (call.unguarded) return null;
  return deps.guardrails().of(call, call.caller.guardrails, askedGuardrails(request));
}

/** What a call is sent with once its guardrails have looked at the request. */
export interface GuardedErrand {
  readonly request: Fields;
  /** Null where nothing is left to do. */
  readonly begun: ((meter: MeteredCall) => void) | null;
  /** Whether the answer has to pass guardrails, too: then it is nobody else's. */
  readonly looksAtAnswer: boolean;
  /** What may be stored of a text of the call, as JSON; null: all of it. */
  readonly stored: ((json: string) => string) | null;
}

/** The way of a call with guardrails: they look at its request, beside it, and at its answer. */
export async function guarded(
  deps: GatewayDeps,
  call: InferenceCall,
  operation: Operation,
  request: Fields,
  guards: CallGuards,
  send: (errand: GuardedErrand) => Promise<Response>,
): Promise<Response> {
  let texts: readonly string[] | null = null;
  let shown: readonly string[] | null = null;
  let beside: Promise<void> | null = null;
  try {
    const readable = holdsTokens(request) ? await withoutTokens(request) : request;
    texts = collectTexts(operation, readable);
    const looked = guards.request(texts);
    shown = looked instanceof Promise ? await looked : looked;
    beside = guards.during(shown);
    if (guards.names !== "") call.told[APPLIED] = guards.names;
    const looksAtAnswer = guards.looksAtAnswer || beside !== null;
    const isDone = !looksAtAnswer && !guards.watches && guards.found === null;
    return await send({
      request: shown === texts ? readable : replaceTexts(operation, readable, shown),
      begun: isDone ? null : guardAnswer(deps, call, operation, guards, shown, beside),
      looksAtAnswer,
      stored: guards.watches ? storedBy(guards) : null,
    });
  } catch (thrown) {
    if (texts !== null && shown === null) noteRefused(deps, call, operation, request, guards, texts, thrown);
    // Where the upstream failed as well, a refusal is the better answer.
    const refusal = await refusalOf(beside);
    throw withNames(refusal ?? thrown, guards);
  }
}

/** Puts the guardrails before the answer, and has it told what they found once the call has ended. */
function guardAnswer(
  deps: GatewayDeps,
  call: InferenceCall,
  operation: Operation,
  guards: CallGuards,
  shown: readonly string[],
  beside: Promise<void> | null,
): (meter: MeteredCall) => void {
  const guard = new AnswerGuard(guards, operation, beside);
  return (meter) => {
    meter.guard = guard;
    meter.onEnd(() => tell(deps, call, guards, shown, () => guard.said ?? [meter.delivered.text]));
  };
}

const storedBy =
  (guards: CallGuards) =>
  (json: string): string =>
    guards.stored(json);

/** A request that was refused is written down, and nobody waits for that. */
function noteRefused(
  deps: GatewayDeps,
  call: InferenceCall,
  operation: Operation,
  request: Fields,
  guards: CallGuards,
  texts: readonly string[],
  thrown: unknown,
): void {
  if (!(thrown instanceof GatewayError)) return;
  noteRefusal(deps, newRecord(deps, call, operation, request, null, "rejected"), thrown);
  tell(deps, call, guards, texts, () => []);
}

/** Where tokens may stand in place of text. */
const TOKEN_FIELDS = ["prompt", "input"] as const;

const holdsTokens = (request: Fields): boolean => isListOfTokens(request.prompt) || isListOfTokens(request.input);

/** Token arrays hide what they say; guardrails and the model then get the text that they stand for. */
async function withoutTokens(request: Fields): Promise<Fields> {
  let readable = request;
  for (const name of TOKEN_FIELDS) {
    const value = request[name];
    if (isListOfTokens(value)) readable = { ...readable, [name]: await tokensToText(value as number[]) };
  }
  return readable;
}

const isListOfTokens = (value: unknown): boolean =>
  Array.isArray(value) && value.some((one) => typeof one === "number" || isTokens(one));

const isTokens = (value: unknown): boolean => Array.isArray(value) && value.some((one) => typeof one === "number");

async function refusalOf(beside: Promise<void> | null): Promise<GuardrailBlock | null> {
  try {
    await beside;
    return null;
  } catch (thrown) {
    return thrown instanceof GuardrailBlock ? thrown : null;
  }
}

function withNames(thrown: unknown, { names }: CallGuards): unknown {
  if (!(thrown instanceof GatewayError) || names === "") return thrown;
  return new GatewayError(thrown.kind, thrown.message, {
    cause: thrown.cause,
    faults: thrown.faults,
    headers: { ...thrown.headers, [APPLIED]: names },
    ...(thrown.param === null ? {} : { param: thrown.param }),
  });
}

/** What was found goes to the log, by category; those that only watch have a look before. Nobody waits for it. */
function tell(
  { log }: GatewayDeps,
  { callId }: InferenceCall,
  guards: CallGuards,
  texts: readonly string[],
  answer: () => readonly string[],
): void {
  const logFound = (): void => {
    const { found } = guards;
    if (found) log.info({ callId, found }, "guardrails found something");
  };
  if (!guards.watches) {
    logFound();
    return;
  }
  guards
    .observe(texts, "request")
    .then(() =>
      guards.observe(
        answer().filter((text) => text !== ""),
        "answer",
      ),
    )
    .catch((err: unknown) => log.warn({ callId, err }, "a guardrail could not watch a call"))
    .then(logFound);
}
