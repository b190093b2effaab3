import type { Operation } from "../../contract/params.ts";
import { type CallStatus, NO_UNITS, type UsageRecord } from "../../contract/usage.ts";
import { isRecord } from "../../lib/json.ts";
import type { Choice } from "../choose.ts";
import type { Fields, GatewayDeps, InferenceCall } from "../deps.ts";
import { endUserOf } from "../end-user.ts";

const TAGS_MAX = 50;
const TAG_CHARS_MAX = 256;
const METADATA_CHARS_MAX = 4 * 1024;

/** What is known of a call when it begins: used by nobody yet, and free. */
export function newRecord(
  deps: GatewayDeps,
  call: InferenceCall,
  operation: Operation,
  request: Fields,
  choice: Choice | null,
  status: CallStatus,
): UsageRecord {
  const { caller, source } = call;
  const elapsedMs = deps.clock.monotonicMs() - call.receivedAtMs;
  return {
    ...NO_UNITS,
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
    model: choice?.deployment.group ?? null,
    deploymentId: choice?.deployment.id ?? null,
    provider: choice?.deployment.provider ?? null,
    upstreamModel: choice?.deployment.upstreamModel ?? null,
    upstreamId: null,
    status,
    statusCode: 0,
    errorCode: null,
    stream: request.stream === true,
    cacheHit: false,
    cost: 0n,
    providerCost: 0n,
    costParts: [],
    estimated: false,
    priceVersion: null,
    latencyMs: Math.round(elapsedMs),
    firstByteMs: null,
    attempts: [],
    address: source.address,
    userAgent: source.userAgent,
    endUser: endUserOf(call, request),
    tags: tagsOf(request, source.tags),
    metadata: metadataOf(request.metadata),
  };
}

/** Of the request's own list, of its metadata, and of the header. */
export function tagsOf({ tags, metadata }: Fields, header: string | null): readonly string[] {
  const nested = isRecord(metadata) ? metadata.tags : undefined;
  const named = header === null ? [] : header.split(",").map((tag) => tag.trim());
  const all = [tags, nested, named].flatMap((list) => (Array.isArray(list) ? list : []));
  if (all.length === 0) return NO_TAGS;
  const texts = all
    .filter((tag) => typeof tag === "string" && tag !== "")
    .map((tag: string) => tag.slice(0, TAG_CHARS_MAX));
  return [...new Set(texts)].slice(0, TAGS_MAX);
}

const NO_TAGS: readonly string[] = [];
const NO_METADATA: Readonly<Record<string, unknown>> = {};

function metadataOf(metadata: unknown): Readonly<Record<string, unknown>> {
  if (!isRecord(metadata)) return NO_METADATA;
  return JSON.stringify(metadata).length > METADATA_CHARS_MAX ? NO_METADATA : metadata;
}
