import type { Kysely } from "kysely";
import type { AuditEntry } from "../../accounts/records.ts";
import type { NoticeType } from "../../contract/notice-types.ts";
import type { Tables } from "../tables.ts";
import { tell } from "./notices.ts";

/** Changes that organizations are told of, by the name that the audit log has for them. */
const TOLD: Readonly<Record<string, NoticeType>> = {
  "api_key.create": "key.created",
  "api_key.rotate": "key.rotated",
  "api_key.disable": "key.disabled",
  "api_key.remove": "key.removed",
  "invitation.create": "member.invited",
  "invitation.accept": "member.joined",
  "member.add": "member.joined",
  "team.add_member": "member.joined",
  "member.remove": "member.removed",
  "member.leave": "member.removed",
  "team.remove_member": "member.removed",
};

/** What of the audit log's details goes out. */
const SHOWN = ["name", "teamId", "email", "role", "userId", "scheduled", "previousValidUntil"] as const;
const TARGETS: Readonly<Record<string, string>> = {
  api_key: "keyId",
  invitation: "invitationId",
  team: "teamId",
  member: "userId",
};

/** In the transaction of the change, with its line in the audit log: whatever changes something tells of it. */
export async function tellOfChange(db: Kysely<Tables>, entry: AuditEntry): Promise<void> {
  const type = TOLD[entry.action];
  const { organizationId, targetType, targetId, details, userId: changedBy, at: atMs } = entry;
  if (!type || organizationId === null) return;
  const shown = SHOWN.filter((field) => details[field] !== undefined).map((field) => [field, details[field]] as const);
  const target = { [TARGETS[targetType] ?? "id"]: targetType === "member" ? Number(targetId) : targetId };
  const data = { ...Object.fromEntries(shown), ...target, changedBy };
  const reader = typeof details.owner === "number" ? { readerId: details.owner } : {};
  await tell(db, { type, organizationId, data, atMs, ...reader });
}
