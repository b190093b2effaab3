import Type, { type Static } from "typebox";

export const OrganizationStorage = Type.Object({
  usedBytes: Type.Integer({
    description: "Files, vector stores, assistants, threads, conversations, responses and batches.",
  }),
  quotaBytes: Type.Integer(),
  isDefault: Type.Boolean({ description: "The quota is `general_settings.storage_quota_mb`." }),
});
export type OrganizationStorage = Static<typeof OrganizationStorage>;

export const StorageQuotaBody = Type.Object({
  quotaMb: Type.Union([Type.Integer({ minimum: 0, maximum: 1_000_000_000 }), Type.Null()], {
    description: "In MiB. `null` restores the default of the server.",
  }),
});
