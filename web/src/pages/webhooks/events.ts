import type { NoticeType } from "../../../../src/contract/notice-types.ts";

/** What webhooks are told of, in words. */
export const EVENTS: Readonly<Record<NoticeType, string>> = {
  "balance.low": "Balance is low",
  "balance.depleted": "Balance is used up",
  "team.blocked": "Team is blocked",
  "team.unblocked": "Team can call again",
  "purchase.paid": "Payment came in",
  "purchase.failed": "Payment failed",
  "purchase.refunded": "Payment was refunded",
  "purchase.disputed": "Payment is disputed",
  "auto_top_up.failed": "Top-up failed",
  "auto_top_up.disabled": "Top-up was switched off",
  "budget.threshold": "Part of a budget is spent",
  "key.created": "Key was made",
  "key.rotated": "Key was rotated",
  "key.disabled": "Key was switched off",
  "key.removed": "Key was removed",
  "key.expiring": "Key is about to end",
  "member.invited": "Somebody was invited",
  "member.joined": "Somebody joined",
  "member.removed": "Somebody was removed",
};

export const eventName = (type: string): string => EVENTS[type as NoticeType] ?? type;
