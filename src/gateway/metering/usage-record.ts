import type { Deployment } from "../../contract/deployment.ts";
import type { LoggedOperation } from "../../contract/params.ts";
import type { CallAttempt, CallStatus, CallUnits, CostPart, UsageRecord } from "../../contract/usage.ts";
import { keptName } from "../../contract/usage-row.ts";
import { isRecord } from "../../lib/json.ts";
import type { ResolvedTarget } from "../attempts/resolve-target.ts";
import type { Fields, GatewayDeps, InferenceCall } from "../call/gateway.ts";
import { endUserOf } from "../pipeline/end-user.ts";

const TAGS_MAX = 50;
const METADATA_CHARS_MAX = 4 * 1024;
const SESSION_CHARS_MAX = 256;

/** A record that is still being filled in: one object from the beginning of a call to its end, since copies of it are dear. */
export type CallDraft = { -readonly [Field in keyof UsageRecord]: UsageRecord[Field] };

/** Field by field: by `Object.assign` it took twice as long. */
export function setUnits(draft: CallDraft, units: CallUnits): void {
  draft.promptTokens = units.promptTokens;
  draft.completionTokens = units.completionTokens;
  draft.cachedTokens = units.cachedTokens;
  draft.cacheWriteTokens = units.cacheWriteTokens;
  draft.cacheWrite1hTokens = units.cacheWrite1hTokens;
  draft.reasoningTokens = units.reasoningTokens;
  draft.audioInputTokens = units.audioInputTokens;
  draft.audioOutputTokens = units.audioOutputTokens;
  draft.images = units.images;
  draft.soundMs = units.soundMs;
  draft.characters = units.characters;
}

/** What is known of a call when it begins: used by nobody yet, and free. */
export function newRecord(
  deps: GatewayDeps,
  call: InferenceCall,
  operation: LoggedOperation,
  request: Fields,
  target: ResolvedTarget | null,
  status: CallStatus,
): CallDraft {
  const { caller, source } = call;
  const elapsedMs = deps.clock.monotonicMs() - call.receivedAtMs;
  return {
    promptTokens: 0,
    completionTokens: 0,
    cachedTokens: 0,
    cacheWriteTokens: 0,
    cacheWrite1hTokens: 0,
    reasoningTokens: 0,
    audioInputTokens: 0,
    audioOutputTokens: 0,
    images: 0,
    soundMs: 0,
    characters: 0,
    id: call.callId,
    organizationId: caller.organizationId,
    teamId: caller.teamId,
    keyId: caller.keyId,
    keyName: caller.keyName,
    userId: caller.userId,
    at: Math.round(deps.clock.nowMs() - elapsedMs),
    operation,
    endpoint: source.endpoint,
    requestedModel: call.model,
    model: target && loggedModel(target.deployment, status !== "rejected"),
    deploymentId: target?.deployment.id ?? null,
    provider: target?.deployment.provider ?? null,
    upstreamModel: target?.deployment.upstreamModel ?? null,
    upstreamId: null,
    status,
    statusCode: 0,
    errorCode: null,
    stream: request.stream === true,
    cacheHit: false,
    cost: 0n,
    providerCost: 0n,
    costParts: NO_PARTS,
    estimated: false,
    priceVersion: null,
    latencyMs: Math.round(elapsedMs),
    firstByteMs: null,
    attempts: NO_ATTEMPTS,
    address: source.address,
    userAgent: source.userAgent,
    endUser: endUserOf(call, request),
    tags: tagsOf(request, source.tags, caller.tags),
    metadata: metadataOf(request.metadata, call.header("x-gw-spend-logs-metadata"), sessionOf(call, request)),
  };
}

/**
 * What a call counts for: its group, or the model that a pattern was filled with, once an upstream knows it. Names that none
 * has taken are the callers' to make up, and sums are kept for ever.
 */
export const loggedModel = ({ group, calledAs }: Deployment, isKnown: boolean): string =>
  isKnown ? (calledAs ?? group) : group;

/** Of the key and its team, of the request's own list, of its metadata by either name, and of the header. */
export function tagsOf(
  { tags, metadata, litellm_metadata: internal }: Fields,
  header: string | null,
  owned: readonly string[],
): readonly string[] {
  const nested = isRecord(metadata) ? metadata.tags : undefined;
  const inner = isRecord(internal) ? internal.tags : undefined;
  // Most calls have none, and are through here.
  if (tags === undefined && nested === undefined && inner === undefined && header === null && owned.length === 0)
    return NO_TAGS;
  const named = header === null ? [] : header.split(",").map((tag) => tag.trim());
  const all = [owned, tags, nested, inner, named].flatMap((list) => (Array.isArray(list) ? list : []));
  if (all.length === 0) return NO_TAGS;
  // As the log has them: what is one tag there must be one here, or budgets that are read out of it count it more than once.
  const texts = all.flatMap((tag) => (typeof tag === "string" ? [keptName(tag)] : [])).filter((tag) => tag !== "");
  return [...new Set(texts)].slice(0, TAGS_MAX);
}

const NO_PARTS: readonly CostPart[] = [];
const NO_ATTEMPTS: readonly CallAttempt[] = [];
const NO_TAGS: readonly string[] = [];
const NO_METADATA: Readonly<Record<string, unknown>> = {};

/** Which calls belong together, where the caller says so. */
function sessionOf(
  call: InferenceCall,
  { litellm_session_id: session, litellm_trace_id: trace }: Fields,
): string | null {
  const named = session ?? trace;
  const own = typeof named === "string" ? named : (call.header("x-gw-session-id") ?? call.header("x-gw-trace-id"));
  return own === null || own === "" ? null : own.slice(0, SESSION_CHARS_MAX);
}

/** What the caller wants to find in the log again. Names by which a log speaks of keys are not the caller's to write. */
function metadataOf(
  metadata: unknown,
  header: string | null,
  session: string | null,
): Readonly<Record<string, unknown>> {
  const told = header === null ? null : parseRecord(header);
  if (!isRecord(metadata) && told === null) return session === null ? NO_METADATA : { session_id: session };
  const own: Record<string, unknown> = {};
  if (isRecord(metadata)) for (const name in metadata) if (!name.startsWith("user_api_key")) own[name] = metadata[name];
  if (told !== null)
    own.spend_logs_metadata = { ...told, ...(isRecord(own.spend_logs_metadata) ? own.spend_logs_metadata : {}) };
  if (session !== null) own.session_id ??= session;
  if (JSON.stringify(own).length <= METADATA_CHARS_MAX) return own;
  return session === null ? NO_METADATA : { session_id: session };
}

/** A header that is no object of JSON says nothing. */
function parseRecord(text: string): Record<string, unknown> | null {
  try {
    const parsed: unknown = JSON.parse(text);
    return isRecord(parsed) ? parsed : null;
  } catch {
    return null;
  }
}
