import { GatewayError } from "../contract/errors.ts";
import type { ApiKey, WaivedSpend } from "./records.ts";

/** What a key has spent: ever, and in the window of its budget that began then. */
interface KeySpend {
  readonly spend: bigint;
  readonly spentInWindow: bigint;
  readonly windowAt: number;
}

export interface ResetPlan<Key> {
  /** In nano-USD. */
  readonly to: bigint;
  readonly spendingOf: (key: Key) => Promise<KeySpend>;
}

/** What is to be taken off in all for the key to have spent so much; `key` is as it was when it was told what it has spent. */
export function waiveSpend(key: ApiKey, { spend, spentInWindow, windowAt }: KeySpend, to: bigint): WaivedSpend {
  if (to > spentInWindow) {
    throw new GatewayError("invalid_request", "reset_to: it is more than the key has spent.", { param: "reset_to" });
  }
  const waived = key.waivedWindowAt === windowAt ? key.waivedBudget : 0n;
  return {
    waivedSpend: key.waivedSpend + spend - to,
    waivedBudget: waived + spentInWindow - to,
    waivedWindowAt: windowAt,
  };
}
