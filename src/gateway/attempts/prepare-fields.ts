import type { Deployment } from "../../contract/deployment.ts";
import { GatewayError } from "../../contract/errors.ts";
import {
  CREDENTIAL_FIELDS,
  DEPLOYMENT_FIELDS,
  GATEWAY_FIELDS,
  INPUT_FIELDS,
  isForm,
  isOpenAiParam,
  type Operation,
} from "../../contract/params.ts";
import { modelBehind } from "../../contract/upstream-form.ts";
import { plainName } from "../../lib/bracketed-name.ts";
import { isRecord } from "../../lib/json.ts";
import { passSource } from "../../lib/source-text.ts";
import type { Provider } from "../../providers/dialect.ts";
import { insistOn } from "../../providers/extra-fields.ts";
import type { Fields } from "../call/gateway.ts";
import { statedParams } from "../info/supported-params.ts";
import { asChat, rejectThread } from "../interfaces/anthropic/to-openai.ts";
import { isGeminiRequest } from "../interfaces/gemini/marker.ts";
import { withGoogleForm } from "../interfaces/gemini/native-fields.ts";
import { validateGatewayParams } from "../pipeline/gateway-params.ts";
import { adoptOpenRouterFields } from "../pipeline/openrouter-params.ts";
import { Translation } from "./translation.ts";

/**
 * The fields that a provider gets: the deployment's defaults under the request's own, without what steers the gateway. An
 * OpenAI parameter that the provider does not honour is refused, or left out with `drop_params`, also where a form has it in
 * parts. Other fields pass, except those of one API to a provider of another API (`API_FIELDS`).
 */
export function prepareFields(
  operation: Operation,
  asked: Fields,
  deployment: Deployment,
  provider: Provider,
  dropParams: boolean,
): Fields {
  const supported = supportedBy(deployment, provider, operation);
  const model = deployment.upstreamModel;
  const isWhole = asked.anthropic_form === true && provider.messagesForm?.(model) === "whole";
  const isForeign = asked.anthropic_form === true && !isWhole;
  const isGoogle = isGeminiRequest(asked);
  if (asked.anthropic_form === true) rejectThread(asked, provider);
  const translation = Translation.of(operation, asked, provider, model);
  const answerer = isForeign || isGoogle ? { provider, model, supported: supported.all, dropParams } : null;
  const inForm = answerer && isForeign ? asChat(asked, answerer) : asked;
  const request = answerer && isGoogle ? withGoogleForm(inForm, answerer) : inForm;
  const fields: Record<string, unknown> = { ...defaultsOf(deployment) };
  passSource(request, fields);
  for (const name in request) {
    const value = request[name];
    if (value === null || CREDENTIAL_FIELDS.has(name)) continue;
    if (GATEWAY_FIELDS.has(name)) validateGatewayParams(name, value);
    else if (translation?.knows(name) === false && !isAllowed(name, request, deployment)) translation.note(name);
    else if (name === "__proto__") Object.defineProperty(fields, name, { ...OWN, value });
    else fields[name] = value;
  }
  // Headers of a caller's own choosing go nowhere, but for the switches that one provider has no other place for.
  const beta = isRecord(fields.extra_headers) ? fields.extra_headers["anthropic-beta"] : undefined;
  if (fields.extra_headers !== undefined) delete fields.extra_headers;
  if (provider.id === "anthropic" && typeof beta === "string") fields.anthropic_beta = beta;
  const extra = fields.extra_body;
  if (extra !== undefined) delete fields.extra_body;
  if (isRecord(extra)) Object.assign(fields, foreignFields(operation, extra));
  else if (extra !== undefined) validateGatewayParams("extra_body", extra);
  if (fields.usage !== undefined || fields.reasoning !== undefined) adoptOpenRouterFields(fields, provider);
  // They steer the gateway, and the dialects that know them as well.
  if (isWhole) fields.anthropic_form = true;
  if (isGoogle && operation === "chat" && provider.googleForm?.(model)) fields.google_form = true;
  else if (fields.google_form !== undefined) delete fields.google_form;
  if (provider.hasSummaries && request.reasoning_summary != null) fields.reasoning_summary = request.reasoning_summary;
  const place = { operation, provider, deployment, supported, dropParams, translation };
  return withoutUnsupported(fields, request, place);
}

/** A field of a form may have this name; to assign it would lose it. */
const OWN = { writable: true, enumerable: true, configurable: true };

/** Whatever is called like a price is none of the provider's business. */
const PRICE = /_cost(?:_|$)/;

/** What a deployment sets where a request does not; worked out once. */
const defaults = new WeakMap<Deployment, Fields>();

function defaultsOf(deployment: Deployment): Fields {
  const known = defaults.get(deployment);
  if (known) return known;
  const isDefault = (name: string) =>
    !isAsked(name) && !DEPLOYMENT_FIELDS.has(name) && !CREDENTIAL_FIELDS.has(name) && !PRICE.test(name);
  const made = Object.fromEntries(Object.entries(deployment.params).filter(([name]) => isDefault(name)));
  defaults.set(deployment, made);
  return made;
}

/** Where a request goes, and what becomes of parameters that are not supported there. */
interface Destination {
  readonly operation: Operation;
  readonly provider: Provider;
  readonly deployment: Deployment;
  readonly supported: Supported;
  readonly dropParams: boolean;
  readonly translation: Translation | null;
}

function withoutUnsupported(fields: Record<string, unknown>, request: Fields, destination: Destination): Fields {
  const { operation, provider, deployment, supported, dropParams, translation } = destination;
  // The operator of a deployment knows best what its model takes, so both lists count.
  const { params } = deployment;
  const called = isForm(operation) ? plainName : asWritten;
  leaveOut(fields, stringList(params.additional_drop_params), called);
  leaveOut(fields, stringList(request.additional_drop_params), called);
  for (const written in fields) {
    const name = called(written);
    if (!isOpenAiParam(operation, name) || supported.known.has(name)) continue;
    if (isAllowed(name, request, deployment) || supported.all.has(name)) {
      insistOn(fields, written);
      continue;
    }
    if (!HINTS.has(name) && !isDefault(name, fields[written])) {
      if (translation?.drops(name, supported.all.has("reasoning_effort"))) translation.note(name);
      else if (!dropParams) throw unsupported(name, provider);
    }
    delete fields[written];
  }
  if (translation) dropConflicting(fields, translation, destination);
  if (!dropParams && provider.unsupportedValue) requireValues(fields, provider, deployment);
  return fields;
}

const isAllowed = (name: string, request: Fields, { params }: Deployment): boolean =>
  holds(request.allowed_openai_params, name) || holds(params.allowed_openai_params, name);

/** Drops what the model refuses next to other fields, as far as the request's interface has it dropped. */
function dropConflicting(fields: Record<string, unknown>, translation: Translation, destination: Destination): void {
  const { provider, deployment, supported } = destination;
  for (const name of provider.conflicting?.(fields, modelBehind(deployment)) ?? []) {
    if (fields[name] === undefined || !translation.drops(name, supported.all.has("reasoning_effort"))) continue;
    delete fields[name];
    translation.note(name);
  }
  translation.finish(fields);
}

const asWritten = (name: string): string => name;

function leaveOut(fields: Record<string, unknown>, names: readonly string[], called: typeof asWritten): void {
  if (names.length === 0) return;
  for (const written in fields) {
    const name = called(written);
    if (!isAsked(name) && (names.includes(name) || names.includes(written))) delete fields[written];
  }
}

function requireValues(fields: Fields, provider: Provider, { upstreamModel }: Deployment): void {
  const found = provider.unsupportedValue?.(fields, upstreamModel);
  if (!found) return;
  const { param, reason } = found;
  const advice = `Leave it out of \`${param}\`, or set \`drop_params\` to have it dropped.`;
  throw new GatewayError("unsupported_params", `${provider.title} ${reason}. ${advice}`, { param });
}

/** What a deployment takes. */
interface Supported {
  readonly all: ReadonlySet<string>;
  /** Of these, what its provider is known to take: the others go to it as they are. */
  readonly known: ReadonlySet<string>;
}

/** What a deployment takes for its model; worked out once. */
const honoured = new WeakMap<Deployment, Map<Operation, Supported>>();

function supportedBy(deployment: Deployment, provider: Provider, operation: Operation): Supported {
  const known = honoured.get(deployment) ?? new Map<Operation, Supported>();
  const found = known.get(operation);
  if (found) return found;
  // Another deployment of the group may have them: this one is passed over.
  if (operation === "realtime" && !provider.realtime) {
    throw new GatewayError("unsupported_params", `${provider.title} has no realtime sessions.`, { param: "model" });
  }
  // A text completion of a provider that has none goes as a chat.
  const asked = operation === "completion" && !provider.completion ? "chat" : operation;
  const made = narrowed(
    new Set(provider.supportedParams(asked, modelBehind(deployment))),
    statedParams(deployment.info),
  );
  honoured.set(deployment, known.set(operation, made));
  return made;
}

/** How an answer comes is no matter of the model, and the limit of an answer is one, by either name. */
const STREAMING = ["stream", "stream_options"];
const LIMITS = ["max_tokens", "max_completion_tokens"];

/** Where the operator of a deployment says what its model takes, that holds. */
function narrowed(known: ReadonlySet<string>, stated: readonly string[] | null): Supported {
  if (!stated) return { all: known, known };
  const meant = new Set([...stated, ...STREAMING, ...(LIMITS.some((name) => stated.includes(name)) ? LIMITS : [])]);
  const common = new Set([...known].filter((name) => meant.has(name)));
  return { all: new Set([...stated, ...common]), known: common };
}

/** What a call is about, and how its answer comes: only the request itself says so, where it was validated. */
const isAsked = (name: string): boolean => INPUT_FIELDS.has(name) || name === "stream";

/** Of `extra_body`, what OpenAI's interface does not know: everything else has its own, validated place. */
function foreignFields(operation: Operation, extra: Record<string, unknown>): Record<string, unknown> {
  const isOurs = (name: string) =>
    isOpenAiParam(operation, name) || isAsked(name) || GATEWAY_FIELDS.has(name) || CREDENTIAL_FIELDS.has(name);
  return Object.fromEntries(Object.entries(extra).filter(([name]) => !isOurs(name)));
}

/** These change nothing of an answer, and clients of responses send them unasked: where nobody heeds them, they are left out. */
const HINTS: ReadonlySet<string> = new Set(["prompt_cache_key", "safety_identifier"]);

/** What OpenAI does without being told: a value that asks for nothing is left out rather than refused. */
const DEFAULTS: Readonly<Record<string, unknown>> = {
  n: 1,
  best_of: 1,
  temperature: 1,
  top_p: 1,
  presence_penalty: 0,
  frequency_penalty: 0,
  logprobs: false,
  stream: false,
  store: false,
  echo: false,
  parallel_tool_calls: true,
  tool_choice: "auto",
  service_tier: "auto",
};

const isDefault = (name: string, value: unknown): boolean =>
  (Object.hasOwn(DEFAULTS, name) && DEFAULTS[name] === value) ||
  (Array.isArray(value) && value.length === 0) ||
  (name === "response_format" && isRecord(value) && value.type === "text");

const stringList = (value: unknown): readonly string[] =>
  Array.isArray(value) ? value.filter((item) => typeof item === "string") : NO_NAMES;
const NO_NAMES: readonly string[] = [];

const holds = (list: unknown, name: string): boolean => Array.isArray(list) && list.includes(name);

const unsupported = (name: string, provider: Provider): GatewayError =>
  new GatewayError(
    "unsupported_params",
    `${provider.title} does not support the parameter \`${name}\` for this model. Leave it out, or set \`drop_params\` to have it dropped.`,
    { param: name },
  );
