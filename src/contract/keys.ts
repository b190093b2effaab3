import Type, { type Static } from "typebox";
import {
  Aliases,
  BudgetWindowText,
  FURTHER_BUDGETS,
  LIMITS,
  MODEL_LIMITS,
  ShownWindow,
  SpentBudget,
  SpentFurtherBudgets,
} from "./limits.ts";
import { nullable } from "./schema.ts";

/** Schemas of API keys as the platform's API has them. Bodies take both spellings of a name. */
const Instant = Type.String({ format: "date-time" });
const Name = Type.String({ minLength: 1, description: "1 to 100 characters, without the spaces around it." });
const ModelName = Type.String({ minLength: 1, maxLength: 512, pattern: "^[^\\u0000-\\u001f\\u007f]+$" });
const Models = Type.Array(ModelName, {
  maxItems: 200,
  description: "What the key may call; an empty list means all that its team may.",
});
const Expiry = Type.String({ maxLength: 40, description: "A time in the future with its zone." });
const Budget = Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER, description: "In nano-USD." });
const Limit = Type.Integer({ minimum: 0, maximum: 1_000_000_000 });
const AllowedIps = Type.Array(Type.String({ maxLength: 64 }), {
  maxItems: 50,
  description: "Addresses and CIDR ranges, IPv4 or IPv6; an empty list means any.",
});
const GuardrailNames = Type.Array(Type.String({ minLength: 1, maxLength: 100 }), {
  maxItems: 50,
  description: "Guardrails that look at every call of the key, beside those of its team and those that are always on.",
});
const Tags = Type.Array(Type.String({ minLength: 1, maxLength: 100 }), { maxItems: 50 });
const Metadata = Type.Record(Type.String(), Type.Unknown(), { description: "At most 16 KiB of JSON." });

export const GRACE_SECONDS_MAX = 7 * 24 * 60 * 60;
const AutoRotate = Type.Boolean({ description: "Give the key a new value again and again; it needs an interval." });
const Interval = Type.String({ maxLength: 16, description: "How often: such as 12h, 30d, 4w or 3mo." });
const ScheduledGrace = Type.Integer({
  minimum: 60,
  maximum: GRACE_SECONDS_MAX,
  description: "For how long the value before goes on after each; a week, or the interval if shorter, unless told.",
});

/** What may be set of a key. Null empties a field. */
const SETTINGS = {
  models: nullable(Models),
  expiresAt: nullable(Expiry),
  expires_at: nullable(Expiry),
  budget: nullable(Budget),
  budgetWindow: nullable(BudgetWindowText),
  budget_window: nullable(BudgetWindowText),
  rpmLimit: nullable(Limit),
  rpm_limit: nullable(Limit),
  tpmLimit: nullable(Limit),
  tpm_limit: nullable(Limit),
  parallelLimit: nullable(Limit),
  parallel_limit: nullable(Limit),
  softBudget: LIMITS.softBudget,
  soft_budget: LIMITS.soft_budget,
  ...MODEL_LIMITS,
  ...FURTHER_BUDGETS,
  aliases: nullable({ ...Aliases, description: "Names of the key's own for models." }),
  allowedIps: nullable(AllowedIps),
  allowed_ips: nullable(AllowedIps),
  guardrails: nullable(GuardrailNames),
  tags: nullable(Tags),
  metadata: nullable(Metadata),
  autoRotate: nullable(AutoRotate),
  auto_rotate: nullable(AutoRotate),
  rotationInterval: nullable(Interval),
  rotation_interval: nullable(Interval),
  rotationGraceSeconds: nullable(ScheduledGrace),
  rotation_grace_seconds: nullable(ScheduledGrace),
};

const SettingsBody = Type.Object(SETTINGS);
export type KeySettingsBody = Static<typeof SettingsBody>;

const TeamId = Type.String({ minLength: 1, maxLength: 64 });

export const CreateKeyBody = Type.Object({
  name: Name,
  team_id: Type.Optional({ ...TeamId, description: "The team that the key belongs to." }),
  teamId: Type.Optional({ ...TeamId, description: "The same as `team_id`; one of the two is needed." }),
  ...SETTINGS,
});

export const UpdateKeyBody = Type.Object({
  name: Type.Optional(Name),
  status: Type.Optional(Type.Enum(["active", "disabled"], { description: "As `/disable` and `/enable` set it." })),
  ...SETTINGS,
});

const Reference = Type.String({ minLength: 1, maxLength: 512, description: "The key itself, its handle or its id." });
export const RenameKeyBody = Type.Object({ token: Reference, name: Name });
export const RemoveKeyBody = Type.Object({ apiKey: Type.Optional(Reference), api_key: Type.Optional(Reference) });

const Grace = Type.Integer({
  minimum: 0,
  maximum: GRACE_SECONDS_MAX,
  description: "For how long the value before goes on; 0 unless told, seven days at most.",
});
export const RotateKeyBody = Type.Object({ graceSeconds: nullable(Grace), grace_seconds: nullable(Grace) });

export const KEY_STATUSES = ["active", "disabled", "expired"] as const;

export const ApiKeyRecord = Type.Object({
  id: Type.String(),
  name: Type.String(),
  token: Type.String({ description: "The handle by which the key is named once it can no longer be shown." }),
  maskedToken: Type.String(),
  team_id: Type.String(),
  teamId: Type.String(),
  organizationId: Type.String(),
  createdBy: Type.Union([Type.Integer(), Type.Null()]),
  status: Type.Enum(KEY_STATUSES),
  models: Type.Array(Type.String()),
  budget: SpentBudget,
  furtherBudgets: SpentFurtherBudgets,
  budgetWindow: ShownWindow,
  spend: Type.Integer({ description: "All that was ever spent with the key, in nano-USD." }),
  spendUsd: Type.String(),
  rpmLimit: Type.Union([Type.Integer(), Type.Null()]),
  tpmLimit: Type.Union([Type.Integer(), Type.Null()]),
  parallelLimit: Type.Union([Type.Integer(), Type.Null()]),
  softBudget: Type.Union([Type.Integer(), Type.Null()]),
  modelLimits: Type.Record(
    Type.String(),
    Type.Object({ rpm: Type.Optional(Type.Integer()), tpm: Type.Optional(Type.Integer()) }),
  ),
  aliases: Aliases,
  allowedIps: Type.Array(Type.String()),
  guardrails: Type.Array(Type.String()),
  tags: Type.Array(Type.String()),
  metadata: Type.Record(Type.String(), Type.Unknown()),
  expiresAt: Type.Union([Instant, Type.Null()]),
  lastUsedAt: Type.Union([Instant, Type.Null()]),
  autoRotate: Type.Boolean(),
  rotationInterval: Type.Union([Type.String(), Type.Null()]),
  rotationGraceSeconds: Type.Union([Type.Integer(), Type.Null()]),
  nextRotationAt: Type.Union([Instant, Type.Null()]),
  lastRotationAt: Type.Union([Instant, Type.Null()]),
  rotationCount: Type.Integer(),
  newValueSince: Type.Union([Instant, Type.Null()], {
    description: "Since when a value that a scheduled rotation has made waits to be picked up.",
  }),
  previousValidUntil: Type.Union([Instant, Type.Null()], { description: "Until when the value before goes on." }),
  createdAt: Instant,
});
export type ApiKeyRecord = Static<typeof ApiKeyRecord>;

const Secret = Type.String({ description: "The whole key. It is shown this once." });
export const FreshKeyRecord = Type.Object({ ...ApiKeyRecord.properties, token: Secret, key: Secret });
export type FreshKeyRecord = Static<typeof FreshKeyRecord>;
