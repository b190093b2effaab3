import { decimalText } from "../../contract/decimal-text.ts";
import { formatUsd } from "../../contract/money.ts";
import type { CostPart } from "../../contract/usage.ts";
import type { CallRecord } from "../../contract/usage-records.ts";
import { isoTime } from "../../contract/users.ts";
import type { LoggedCall } from "../../usage/store.ts";

/** What the provider asks is between the operator and the provider. */
export const adminCallRecord = (call: LoggedCall): CallRecord => ({
  ...callRecord(call),
  providerCost: Number(call.providerCost),
});

export const callRecord = (call: LoggedCall): CallRecord => ({
  id: call.id,
  createdAt: isoTime(call.at),
  organizationId: call.organizationId,
  teamId: call.teamId,
  teamName: call.teamName,
  userId: call.userId,
  apiKeyId: call.keyId,
  apiKeyName: call.keyName,
  model: call.model,
  requestedModel: call.requestedModel,
  provider: call.provider,
  endpoint: call.endpoint,
  type: call.operation,
  status: call.status,
  statusCode: call.statusCode,
  errorCode: call.errorCode,
  stream: call.stream,
  promptTokens: call.promptTokens,
  completionTokens: call.completionTokens,
  totalTokens: call.promptTokens + call.completionTokens,
  cachedTokens: call.cachedTokens,
  cacheWriteTokens: call.cacheWriteTokens,
  reasoningTokens: call.reasoningTokens,
  audioInputTokens: call.audioInputTokens,
  audioOutputTokens: call.audioOutputTokens,
  images: call.images,
  seconds: call.soundMs / 1000,
  characters: call.characters,
  cost: Number(call.cost),
  costUsd: formatUsd(call.cost),
  costBreakdown: call.costParts.map(costLine),
  estimated: call.estimated,
  latencyMs: call.latencyMs,
  ttftMs: call.firstByteMs,
  attempts: call.attempts.map((attempt) => ({ ...attempt })),
  upstreamId: call.upstreamId,
  cacheHit: call.cacheHit,
  ip: call.address,
  userAgent: call.userAgent,
  endUser: call.endUser,
  tags: [...call.tags],
  metadata: call.metadata,
  priceVersionId: call.priceVersion,
  journalId: call.entryId,
});

const costLine = ({ component, thousandths, femtoUsd, nanoUsd }: CostPart) => ({
  component,
  units: decimalText(thousandths, 3),
  unitPriceUsd: decimalText(femtoUsd, 15),
  cost: Number(nanoUsd),
  costUsd: formatUsd(nanoUsd),
});
