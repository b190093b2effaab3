import type { Prices } from "../../catalog/price.ts";
import type { PriceSheet } from "../../catalog/price-sheet.ts";
import type { Hold } from "../../ledger/books.ts";
import type { ResolvedTarget } from "../attempts/resolve-target.ts";
import type { Asked } from "./estimate.ts";
import type { ModelLimits } from "./prompt-size.ts";
import type { CallDraft } from "./usage-record.ts";

/** By what a call is charged; null where nothing is known or nothing is asked. */
export interface CallPricing {
  readonly prices: Prices;
  readonly markupBp: bigint;
}

/** What a deployment's model reads and writes at most; null: not known. */
export interface DeploymentLimits extends ModelLimits {
  readonly maxOutputTokens: number | null;
}

/** What was set aside for a call, and from what. */
export interface CreditHold {
  readonly hold: Hold;
  readonly creditSources: readonly string[];
  /** The limit of each response that the hold pays for; null: as long as was asked for. */
  readonly outputMax: number | null;
}

/** A call at one deployment, in the books: what it is charged by there, and what is set aside for it. */
export interface Reservation {
  readonly target: ResolvedTarget;
  readonly asked: Asked;
  readonly limits: DeploymentLimits;
  readonly charge: CallPricing | null;
  /** What is known of the call so far; filled in at its end. */
  readonly record: CallDraft;
  readonly admission: CreditHold;
  readonly sheet: PriceSheet | null;
  /** Once the call is in the journal; before that nothing is sent. Fails where it cannot be written down. */
  readonly written: Promise<void>;
}
