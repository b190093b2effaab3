import type { UsageRow } from "../../components/usage-report.ts";

/** What usage is told apart by. */
export interface UsageGroup {
  readonly value: string;
  readonly label: string;
  /** As the server calls it. */
  readonly groupBy: string;
  /** Known of no call that the log has forgotten. */
  readonly isFromLog?: true;
  readonly nameOf: (row: UsageRow) => string;
  /** Names may be the same; these are not. */
  readonly idOf: (row: UsageRow) => string;
  /** What the logs are asked for to see the calls of a row; null where they cannot be. */
  readonly filterOf: (row: UsageRow) => Readonly<Record<string, string>> | null;
}

const filter = (name: string, value: string | number | null | undefined) =>
  value === null || value === undefined ? null : { [name]: String(value) };

export const GROUPS: readonly UsageGroup[] = [
  {
    value: "model",
    label: "model",
    groupBy: "model",
    nameOf: ({ model }) => model ?? "no model",
    idOf: ({ model }) => model ?? "",
    filterOf: ({ model }) => filter("model", model),
  },
  {
    value: "key",
    label: "key",
    groupBy: "apiKey",
    nameOf: ({ apiKeyName, apiKeyId }) => apiKeyName ?? apiKeyId ?? "no key",
    idOf: ({ apiKeyId }) => apiKeyId ?? "",
    filterOf: ({ apiKeyId }) => filter("key", apiKeyId),
  },
  {
    value: "team",
    label: "team",
    groupBy: "team",
    nameOf: ({ teamName, teamId }) => teamName ?? teamId ?? "no team",
    idOf: ({ teamId }) => teamId ?? "",
    filterOf: ({ teamId }) => filter("team", teamId),
  },
  {
    value: "member",
    label: "member",
    groupBy: "member",
    nameOf: ({ userEmail, userId }) => userEmail ?? (userId ? `member ${userId}` : "nobody"),
    idOf: ({ userId }) => String(userId ?? ""),
    filterOf: ({ userId }) => filter("member", userId),
  },
  {
    value: "endpoint",
    label: "endpoint",
    groupBy: "endpoint",
    isFromLog: true,
    nameOf: ({ endpoint }) => endpoint ?? "",
    idOf: ({ endpoint }) => endpoint ?? "",
    filterOf: () => null,
  },
  {
    value: "provider",
    label: "provider",
    groupBy: "provider",
    nameOf: ({ provider }) => provider ?? "no provider",
    idOf: ({ provider }) => provider ?? "",
    filterOf: () => null,
  },
  {
    value: "tag",
    label: "tag",
    groupBy: "tag",
    isFromLog: true,
    nameOf: ({ tag }) => tag ?? "",
    idOf: ({ tag }) => tag ?? "",
    filterOf: ({ tag }) => filter("tag", tag),
  },
];

export const MEASURES = [
  { value: "cost", label: "Cost" },
  { value: "tokens", label: "Tokens" },
  { value: "requests", label: "Requests" },
] as const;

export const measureOf = (measure: string, row: UsageRow): number =>
  measure === "tokens" ? row.totalTokens : measure === "requests" ? row.requests : row.cost;
