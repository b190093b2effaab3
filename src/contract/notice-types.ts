/** What organizations are told about, by mail or by webhook. */
export const NOTICE_TYPES = [
  "balance.low",
  "balance.depleted",
  "team.blocked",
  "team.unblocked",
  "purchase.paid",
  "purchase.failed",
  "purchase.refunded",
  "purchase.disputed",
  "auto_top_up.failed",
  "auto_top_up.disabled",
  "budget.threshold",
  "key.created",
  "key.rotated",
  "key.disabled",
  "key.removed",
  "key.expiring",
  "member.invited",
  "member.joined",
  "member.removed",
] as const;
export type NoticeType = (typeof NOTICE_TYPES)[number];
