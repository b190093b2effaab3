import Type, { type Static } from "typebox";
import type { LoggedEntry } from "../../accounts/records.ts";
import type { AuditFilter } from "../../accounts/store.ts";
import { toUserId } from "../../contract/organizations.ts";
import { Instant, isoTime } from "../../contract/users.ts";
import { readEnd, readStart, requireTimeZone } from "../../usage/date-range.ts";

const UTC = requireTimeZone("UTC");
const When = Type.Optional(
  Type.String({ maxLength: 40, description: "A date, which is the whole day in UTC, or a time with its zone." }),
);

/** What the log is looked through by; operators may also name an organization. */
export const AuditQuery = Type.Object({
  action: Type.Optional(Type.String({ maxLength: 100, description: "Whole, such as `api_key.create`." })),
  actor: Type.Optional(Type.Enum(["user", "master_key", "system"])),
  userId: Type.Optional(Type.Integer({ minimum: 1, description: "The person who did it." })),
  targetType: Type.Optional(Type.String({ maxLength: 100, description: "What was changed, such as `api_key`." })),
  targetId: Type.Optional(Type.String({ maxLength: 200 })),
  startDate: When,
  start_date: When,
  endDate: When,
  end_date: When,
});

export const OperatorAuditQuery = Type.Object({
  ...AuditQuery.properties,
  organizationId: Type.Optional(Type.String({ maxLength: 100 })),
});

export const AuditRecord = Type.Object({
  id: Type.String(),
  at: Instant,
  actor: Type.String(),
  userId: Type.Union([Type.Integer(), Type.Null()]),
  action: Type.String(),
  organizationId: Type.Union([Type.String(), Type.Null()]),
  targetType: Type.String(),
  targetId: Type.String(),
  details: Type.Object({}, { additionalProperties: true }),
  address: Type.Union([Type.String(), Type.Null()]),
  hash: Type.Union([Type.String(), Type.Null()], { description: "Null until the row is sealed, about a second." }),
});

/** The number counts what all organizations did, so it is for operators alone. */
export const OperatorAuditRecord = Type.Object({
  ...AuditRecord.properties,
  seq: Type.Union([Type.Integer(), Type.Null()], { description: "Its place in the chain of all rows." }),
});

const NameToday = Type.Union([Type.String(), Type.Null()], {
  description: "The name that it has today, or had when it was written; null where nobody knows.",
});

/** In lists that people read; an export has what was written alone. */
export const NamedAuditRecord = Type.Object({
  ...OperatorAuditRecord.properties,
  userName: NameToday,
  organizationName: NameToday,
  targetName: NameToday,
});

export function readAuditFilter(query: Static<typeof OperatorAuditQuery>): AuditFilter {
  const { action, actor, organizationId, userId, targetType, targetId } = query;
  const [start, end] = [query.startDate ?? query.start_date, query.endDate ?? query.end_date];
  return {
    ...(action === undefined ? {} : { action }),
    ...(actor === undefined ? {} : { actor }),
    ...(organizationId === undefined ? {} : { organizationId }),
    ...(userId === undefined ? {} : { userId: toUserId(userId) }),
    ...(targetType === undefined ? {} : { targetType }),
    ...(targetId === undefined ? {} : { targetId }),
    ...(start === undefined ? {} : { startMs: readStart(start, UTC) }),
    ...(end === undefined ? {} : { endMs: readEnd(end, UTC) }),
  };
}

/** Field by field, so that a new column is not shown by accident. */
export const auditRecord = (entry: LoggedEntry): Static<typeof AuditRecord> => ({
  id: entry.id,
  at: isoTime(entry.at),
  actor: entry.actor,
  userId: entry.userId,
  action: entry.action,
  organizationId: entry.organizationId,
  targetType: entry.targetType,
  targetId: entry.targetId,
  details: entry.details,
  address: entry.address,
  hash: entry.hash,
});

export const operatorAuditRecord = (entry: LoggedEntry): Static<typeof OperatorAuditRecord> => ({
  ...auditRecord(entry),
  seq: entry.seq,
});
