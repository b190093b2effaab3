import type { Deployment } from "../../contract/deployment.ts";
import type { LoggedOperation } from "../../contract/params.ts";
import { shownModel } from "../../contract/shown-model.ts";
import { isoTime, isoTimeOrNull } from "../../contract/users.ts";
import { shownAddress } from "../../gateway/pipeline/response-headers.ts";
import type { LoggedCall, NamedThings } from "../../usage/store.ts";
import type { SpendDeps } from "./spend-deps.ts";
import { usd } from "./usd.ts";

const CALL_TYPES: Readonly<Record<LoggedOperation, string>> = {
  chat: "acompletion",
  completion: "atext_completion",
  embedding: "aembedding",
  image: "aimage_generation",
  image_edit: "aimage_edit",
  moderation: "amoderation",
  pass_through: "pass_through_endpoint",
  realtime: "_arealtime",
  rerank: "arerank",
  speech: "aspeech",
  transcription: "atranscription",
  translation: "atranslation",
};

/** Chats of the interfaces that have their own types. */
const CHATS: readonly (readonly [path: string, callType: string])[] = [
  ["/v1/messages", "anthropic_messages"],
  ["/v1/responses", "aresponses"],
  ["GenerateContent", "agenerate_content_stream"],
  [":generateContent", "agenerate_content"],
];

function callType({ operation, endpoint }: Pick<LoggedCall, "operation" | "endpoint">): string {
  const named = operation === "chat" ? CHATS.find(([path]) => endpoint.endsWith(path)) : undefined;
  return named?.[1] ?? CALL_TYPES[operation];
}

export async function spendRows({ usage, gateway }: SpendDeps, calls: readonly LoggedCall[]) {
  const names = await usage.usage.namesOf(calls.map(({ keyId, userId }) => ({ values: { keyId, userId } })));
  const catalog = gateway.catalog();
  return calls.map((call) =>
    spendRow(call, names, call.deploymentId === null ? null : catalog.findById(call.deploymentId)),
  );
}

/** Prompts and answers are not told here, whether they are stored or not. */
function spendRow(call: LoggedCall, names: NamedThings, deployment: Deployment | null) {
  const succeeded = call.status === "succeeded" || call.status === "cancelled";
  return {
    request_id: call.id,
    call_type: callType(call),
    api_key: keyHash(call.keyId, names),
    spend: usd(call.cost),
    total_tokens: call.promptTokens + call.completionTokens,
    prompt_tokens: call.promptTokens,
    completion_tokens: call.completionTokens,
    startTime: isoTime(call.at),
    endTime: isoTime(call.at + call.latencyMs),
    completionStartTime: isoTimeOrNull(call.firstByteMs === null ? null : call.at + call.firstByteMs),
    request_duration_ms: call.latencyMs,
    model: call.upstreamModel ?? shownModel(call),
    model_id: call.deploymentId,
    model_group: shownModel(call),
    custom_llm_provider: call.provider,
    api_base: deployment && addressOf(deployment),
    user: userText(call.userId, names) || null,
    metadata: { ...call.metadata, status: succeeded ? "success" : "failure", error_code: call.errorCode },
    cache_hit: call.cacheHit ? "True" : "False",
    cache_key: call.cacheHit ? textOf(call.metadata.cache_key) : null,
    request_tags: call.tags,
    team_id: call.teamId,
    organization_id: call.organizationId,
    end_user: call.endUser,
    requester_ip_address: call.address,
    messages: {},
    response: {},
    session_id: textOf(call.metadata.session_id),
    status: succeeded ? "success" : "failure",
  };
}

/** As it is configured now; null where a call may have brought an address of its own. */
const addressOf = ({ apiBase, params }: Deployment): string | null =>
  apiBase === null || params.configurable_clientside_auth_params !== undefined ? null : shownAddress(apiBase);

const textOf = (value: unknown): string | null => (typeof value === "string" ? value : null);

/** The id by which scripts know the user: the chosen one, else the number. Empty for calls without a user. */
export const userText = (userId: string | number | null | undefined, names: NamedThings): string =>
  userId == null ? "" : (names.users.get(Number(userId))?.externalId ?? String(userId));

/** A key that is gone has no hash any more; its id still tells it apart. */
export const keyHash = (keyId: string, names: NamedThings): string => names.keys.get(keyId)?.handle ?? keyId;
