import type { CachedResponse } from "../../src/cache/cached-response.ts";
import { NO_UNITS } from "../../src/contract/usage.ts";

/** An answer as a store keeps it. */
export const newAnswer = (fields: Partial<CachedResponse> = {}): CachedResponse => ({
  body: '{"said":"grüße"}',
  contentType: "application/json",
  keptAtMs: 0,
  expiresAtMs: 1_000,
  deploymentId: "one",
  group: "echo",
  provider: "echo",
  upstreamModel: "chat",
  units: { ...NO_UNITS, promptTokens: 3, completionTokens: 5 },
  estimated: false,
  ...fields,
});
