import { NO_UNITS, type UsageRecord } from "../../src/contract/usage.ts";
import { newId } from "../../src/lib/ids.ts";
import { AT, unique } from "./new-records.ts";

/** A call as the gateway would note it. */
export function newCall(given: Partial<UsageRecord> = {}): UsageRecord {
  return {
    ...NO_UNITS,
    id: newId(),
    at: AT,
    organizationId: null,
    teamId: null,
    keyId: unique("key_"),
    keyName: "Key",
    userId: null,
    operation: "chat",
    endpoint: "/v1/chat/completions",
    requestedModel: "gpt-x",
    model: "gpt-x",
    deploymentId: "deployment-1",
    provider: "openai",
    upstreamModel: "gpt-x-2026",
    upstreamId: "chatcmpl-1",
    status: "succeeded",
    statusCode: 200,
    errorCode: null,
    stream: false,
    cacheHit: false,
    promptTokens: 100,
    completionTokens: 10,
    cost: 1_234n,
    providerCost: 1_000n,
    costParts: [],
    estimated: false,
    priceVersion: null,
    latencyMs: 250,
    firstByteMs: null,
    attempts: [],
    address: null,
    userAgent: null,
    endUser: null,
    tags: [],
    metadata: {},
    ...given,
  };
}
