import type { EndUserRules } from "../../accounts/end-user-rules.ts";
import type { AnswerCache } from "../../cache/response-cache.ts";
import type { Catalog } from "../../catalog/catalog.ts";
import type { PriceSheet } from "../../catalog/price-sheet.ts";
import type { PriceTable } from "../../catalog/price-table.ts";
import type { UnpricedModels } from "../../config/config.ts";
import type { KeyCaller } from "../../contract/caller.ts";
import type { Owner } from "../../contract/cursor.ts";
import type { GuardrailSet } from "../../guardrails/guardrail-set.ts";
import type { Connection } from "../../http/route.ts";
import type { CreditReservations, UsageJournal } from "../../ledger/books.ts";
import type { Clock } from "../../lib/clock.ts";
import type { Deadlines } from "../../lib/deadlines.ts";
import type { Logger } from "../../lib/log.ts";
import type { Transport } from "../../providers/transport.ts";
import type { FallbackTables } from "../attempts/fallback-tables.ts";
import type { RetryBudgets } from "../attempts/retry-budget.ts";
import type { RetryRules } from "../attempts/retry-policy.ts";
import type { CallLimits } from "../limits/call-limits.ts";
import type { Pots } from "../metering/credit-sources.ts";
import type { Router } from "../routing/router.ts";
import type { ExhaustedTag } from "../routing/upstream-budgets.ts";
import type { ResponseMetadata } from "./response-metadata.ts";

/** What every inference call stands on. The functions are asked anew for each call: a reload takes effect at once. */
export interface GatewayDeps {
  readonly catalog: () => Catalog;
  readonly settings: () => GatewaySettings;
  readonly transport: Transport;
  readonly prices: PriceTable;
  /** Requests, tokens and calls at one time, of callers and of deployments. */
  readonly limits: CallLimits;
  /** What holds for those whom calls are made for. */
  readonly endUsers: Pick<EndUserRules, "concern" | "find">;
  /** Which deployment of a group serves a call. */
  readonly router: Router;
  /** To be waited for before the router is asked: what was spent of budgets that are new. Null almost always; never rejects. */
  readonly budgetsLoaded: () => Promise<void> | null;
  /** One of a call's tags whose budget is spent; null almost always. */
  readonly spentTag: (call: { readonly tags: readonly string[] }) => ExhaustedTag | null;
  readonly books: CallBooks;
  readonly metrics: CallCounters;
  readonly retryBudgets: RetryBudgets;
  /** Answers that may be given again. */
  readonly cache: AnswerCache;
  /** The vector of a text, for questions that are compared by their meaning; null where there is none before the deadline is near. */
  readonly vectorOf: (call: InferenceCall, text: string, deadlineMs: number | null) => Promise<Float32Array | null>;
  readonly guardrails: () => GuardrailSet;
  /** What was uploaded here under an id. Throws `not_found` for what is not the owner's. */
  readonly ownFile: (owner: Owner, id: string, bytesMax: number) => Promise<OwnFile>;
  readonly deadlines: Deadlines;
  /** Waits, unless the signal ends it sooner; then its reason is thrown. */
  readonly sleep: (ms: number, signal: AbortSignal) => Promise<void>;
  readonly env: (name: string) => string | undefined;
  readonly clock: Clock;
  readonly random: () => number;
  readonly log: Logger;
}

/** Counters of `/metrics`, by the model group that served a call. */
export interface CallCounters {
  countTokens(group: string, input: number, output: number): void;
  countImpossibleUsage(group: string): void;
}

/** What was uploaded here. */
export interface OwnFile {
  readonly name: string;
  readonly bytes: Buffer;
}

/** Where calls are admitted and written down. */
export interface CallBooks {
  readonly desk: CreditReservations;
  readonly journal: UsageJournal;
  readonly creditSources: Pots;
  /** Keeps a price sheet by its version, so that what was charged by it can be computed again. Does not wait. */
  readonly keepSheet: (sheet: PriceSheet) => void;
  /** What a key has spent so far, in nano-USD; null while it is not known. Does not wait. */
  readonly spendOfKey: (keyId: string) => bigint | null;
  /** Keeps what was said, for organizations that want it kept. Does not wait. */
  readonly keepTexts: (callId: string, request: string | null, answer: string | null) => void;
}

export interface GatewaySettings {
  readonly timeoutMs: number;
  /** For the first byte of a stream and for each pause in it. */
  readonly streamTimeoutMs: number;
  readonly dropParams: boolean;
  readonly validateJsonSchema: boolean;
  readonly alwaysIncludeUsage: boolean;
  /** The group for moderations that name no model; null: the first moderation model. */
  readonly moderationModel: string | null;
  /** Calls that do not say whom they are made for are refused. */
  readonly requireEndUser: boolean;
  /** How long a realtime session may last; null: as long as it likes. */
  readonly realtimeSessionMs: number | null;
  /** Put on top of the providers' prices, in hundredths of a percent, where the deployment says nothing else. */
  readonly markupBp: bigint;
  /** The longest response, in tokens, of a model whose limit is not known, or where credit is short. */
  readonly outputEstimateMax: number;
  readonly unpricedModels: UnpricedModels;
  readonly retries: RetryRules;
  readonly fallbacks: FallbackTables;
  /** How many groups may stand in for one that was asked for. */
  readonly maxFallbacks: number;
  /** A stream that breaks off goes on elsewhere. */
  readonly midStreamFallbacks: boolean;
}

/** One call of a caller, before anything is known about where it goes. */
export interface InferenceCall {
  /** Once it is known whom the call is made for, with the limits and the budget of theirs among its own. */
  caller: KeyCaller;
  /** The name that the caller asked for: answers carry it, whatever the upstream calls its model. */
  readonly model: string;
  readonly callId: string;
  readonly receivedAtMs: number;
  /** Aborted when the client leaves. */
  readonly signal: AbortSignal;
  /** A header of the request, by its name in lower case; an empty one is as if it were not there. */
  header(name: string): string | null;
  readonly responseMeta: ResponseMetadata;
  /** Held open by the server while an upstream works. */
  readonly connection: Pick<Connection, "keepOpen" | "release" | "onClosing">;
  readonly source: CallSource;
  /** Told what the call has cost, in nano-USD, and for how many tokens, when it is in the books. */
  readonly onCost?: OnCost;
  /** A call that a guardrail makes itself: none looks at it. */
  readonly unguarded?: boolean;
  /** A deployment that needs longer for it is slow, however long it might be waited for; absent: as for any other call. */
  readonly slowMs?: number;
  /** The program makes it by itself: no request of somebody's is behind it. */
  readonly own?: boolean;
  /** A person who is signed in makes it, and is whom it is made for. */
  readonly personal?: boolean;
}

export type OnCost = (
  cost: bigint,
  tokens: { readonly promptTokens: number; readonly completionTokens: number },
) => void;

/** Where a call came from, for the log. */
export interface CallSource {
  /** The path that was called. */
  readonly endpoint: string;
  readonly address: string | null;
  readonly userAgent: string | null;
  /** Of the header `x-gw-tags`. */
  readonly tags: string | null;
}

export type Fields = Readonly<Record<string, unknown>>;
