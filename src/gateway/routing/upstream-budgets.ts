import type { Catalog } from "../../catalog/catalog.ts";
import type { RouterConfig, UpstreamBudgetTerms } from "../../config/router-config.ts";
import type { Deployment } from "../../contract/deployment.ts";
import { parseBudgetDuration, type TimedWindow } from "../../contract/duration.ts";
import { nanoUsd } from "../../contract/money.ts";
import type { UsageRecord } from "../../contract/usage.ts";
import { windowAt } from "../../ledger/budget-window.ts";
import type { Clock } from "../../lib/clock.ts";
import type { KeptSpend } from "../../usage/store.ts";
import { type CostReader, SpendSums } from "./spend-sums.ts";
import { type BudgetOwner, UpstreamBudget } from "./upstream-budget.ts";

export interface UpstreamBudgetsDeps {
  readonly catalog: () => Catalog;
  readonly settings: () => RouterConfig;
  readonly costs: CostReader;
  readonly clock: Clock;
  /** No other process spends anything. */
  readonly isAlone: boolean;
  readonly sleep: (ms: number, signal: AbortSignal) => Promise<void>;
}

type Ended = Pick<UsageRecord, "id" | "at" | "provider" | "deploymentId" | "tags" | "providerCost">;
type Budgets = ReadonlyMap<string, UpstreamBudget>;

export interface ExhaustedTag {
  readonly name: string;
  readonly untilMs: number;
}

/**
 * How long what other processes have spent is not asked for again. Deployments and tags are summed up out of the log, which takes
 * longer. A little less than a whole number of looks, which come every ten seconds: a timer may be early.
 */
const FRESH_MS: Readonly<Record<BudgetOwner, number>> = { provider: 9_000, deployment: 59_000, tag: 59_000 };
/** How long calls wait for what was spent of a budget that is new. Books that take longer hold nothing up. */
const FIRST_LOOK_MS = 2_000;
const NONE: Budgets = new Map();
/** For budgets that are set later. A week may begin before its month. */
const LOGGED_WINDOWS = ["week", "month"] as const;

/**
 * The budgets of providers, of deployments and of tags: numbers in memory that ended calls are added to, and that are compared with the
 * books now and then, because other processes spend as well. Calls wait only for the first look at a budget.
 */
export class UpstreamBudgets {
  private catalog: Catalog | null = null;
  private settings: RouterConfig | null = null;
  private providers = NONE;
  private deployments = NONE;
  private tags = NONE;
  private readonly sums = new Map<string, SpendSums>();
  /** Ended calls that the books may not have yet. */
  private readonly unsettled = new Map<string, Ended>();
  /** Of them, those that the books were told to have while they were read: what was read may be older. */
  private settledMeanwhile: string[] | null = null;
  private renewing: Promise<void> | null = null;
  /** Nothing to wait for: of each budget it is known what was spent, or it was tried for long enough. */
  private isLookedAt = true;
  private firstLook: Promise<void> | null = null;

  constructor(private readonly deps: UpstreamBudgetsDeps) {}

  /** Those that a deployment spends from; null for most. Remembered by who asks, for as long as configuration and catalogue stay. */
  of({ id, provider }: Deployment): readonly UpstreamBudget[] | null {
    this.follow();
    const found = [this.providers.get(provider), this.deployments.get(id)].filter((one) => one !== undefined);
    return found.length === 0 ? null : found;
  }

  /** Of the tags of a call the one whose budget is spent for longest; null for most calls, whose tags are not even looked at. */
  spentTag(call: Pick<UsageRecord, "tags">): ExhaustedTag | null {
    if (!this.follow() || this.tags.size === 0) return null;
    const nowMs = this.deps.clock.nowMs();
    let found: ExhaustedTag | null = null;
    for (const name of call.tags) {
      const untilMs = nowMs + (this.tags.get(name)?.spentForMs(nowMs) ?? 0);
      if (untilMs > (found?.untilMs ?? nowMs)) found = { name, untilMs };
    }
    return found;
  }

  /** What of calls that leave the log has to be known further on. Providers are told apart in the sums, which stay. */
  kept(): KeptSpend {
    this.follow();
    const nowMs = this.deps.clock.nowMs();
    const own = [...this.deployments.values(), ...this.tags.values()].map(({ terms }) => terms.window);
    const windows = new Set<TimedWindow>([...LOGGED_WINDOWS, ...own]);
    const startMs = Math.min(...Array.from(windows, (window) => windowAt(window, "UTC", nowMs).startMs));
    return { startMs, deployments: new Set(this.deployments.keys()), tags: new Set(this.tags.keys()) };
  }

  list(): readonly UpstreamBudget[] {
    this.follow();
    return this.all();
  }

  private all(): readonly UpstreamBudget[] {
    return [...this.providers.values(), ...this.deployments.values(), ...this.tags.values()];
  }

  /** A call has ended, and goes to the books next. */
  add(call: Ended): void {
    if (call.providerCost === 0n || !this.follow()) return;
    const { id, at, provider, deploymentId, tags, providerCost } = call;
    const budgets = [
      this.providers.get(provider ?? ""),
      this.deployments.get(deploymentId ?? ""),
      ...(this.tags.size === 0 ? [] : tags.map((tag) => this.tags.get(tag))),
    ].filter((one) => one !== undefined);
    if (budgets.length === 0) return;
    this.unsettled.set(id, { id, at, provider, deploymentId, tags, providerCost });
    for (const budget of budgets) budget.add(providerCost, at);
  }

  /** The books have these calls. */
  settled(ids: Iterable<string>): void {
    if (this.unsettled.size === 0) return;
    for (const id of ids) {
      if (this.settledMeanwhile) this.settledMeanwhile.push(id);
      else this.forget(id);
    }
  }

  private forget(id: string): void {
    const call = this.unsettled.get(id);
    if (!call) return;
    this.unsettled.delete(id);
    for (const sums of this.sums.values()) sums.settledLate(call.at);
  }

  /** Compares with the books what is due for it. Throws `database`; what is known stays then. */
  renew(): Promise<void> {
    if (!this.follow()) return DONE;
    this.renewing ??= this.readAll().finally(() => {
      this.renewing = null;
    });
    return this.renewing;
  }

  /** To be waited for before a deployment is chosen; null where there is nothing to wait for. Never rejects. */
  known(): Promise<void> | null {
    if (this.follow() && !this.isLookedAt) this.firstLook ??= this.lookFirst();
    return this.firstLook;
  }

  private async lookFirst(): Promise<void> {
    this.isLookedAt = true;
    const over = new AbortController();
    try {
      await Promise.race([this.readNew(), this.deps.sleep(FIRST_LOOK_MS, over.signal)]);
    } catch {
      // The books cannot be read: who looks at them every few seconds tells of it.
    } finally {
      this.firstLook = null;
      over.abort();
    }
  }

  /** A look that is under way may have begun before there was the budget. */
  private async readNew(): Promise<void> {
    if (this.renewing) await this.renewing.catch(() => undefined);
    await this.renew();
  }

  private async readAll(): Promise<void> {
    const alike = Map.groupBy(this.list(), ({ of, terms }) => `${of} ${terms.window}`);
    for (const key of this.sums.keys()) if (!alike.has(key)) this.sums.delete(key);
    for (const [key, budgets] of alike) await this.read(key, budgets);
  }

  /** Budgets of one window. */
  private async read(key: string, budgets: readonly UpstreamBudget[]): Promise<void> {
    const [first] = budgets;
    if (!first) return;
    const { clock } = this.deps;
    const [nowMs, sinceMs] = [clock.nowMs(), clock.monotonicMs()];
    const window = windowAt(first.terms.window, "UTC", nowMs);
    const names = budgets.map(({ name }) => name);
    const sums = this.sumsOf(key, first.of);
    // One that was taken away and came back knows nothing, though the books were read for it.
    if (budgets.every(({ isRead }) => isRead) && !sums.isDue(names, window, sinceMs)) return;
    this.settledMeanwhile = [];
    try {
      const costs = await sums.read(names, window, nowMs, sinceMs);
      // The next window has begun meanwhile, and is read the next time.
      if (clock.nowMs() >= window.endMs) return;
      for (const budget of budgets) {
        // A call that was settled while the books were read may count twice, until they are read again; none is left out.
        const waiting = this.waiting(budget, window.startMs);
        budget.set((costs.get(budget.name) ?? 0n) + waiting, window);
      }
    } finally {
      const ids = this.settledMeanwhile;
      this.settledMeanwhile = null;
      this.settled(ids);
    }
  }

  private waiting({ of, name }: UpstreamBudget, startMs: number): bigint {
    const spends = SPENDS[of];
    let sum = 0n;
    for (const call of this.unsettled.values()) {
      if (call.at >= startMs && spends(call, name)) sum += call.providerCost;
    }
    return sum;
  }

  private sumsOf(key: string, of: BudgetOwner): SpendSums {
    const known = this.sums.get(key);
    if (known) return known;
    const freshMs = this.deps.isAlone ? Number.POSITIVE_INFINITY : FRESH_MS[of];
    const made = new SpendSums(of, this.deps.costs, freshMs);
    this.sums.set(key, made);
    return made;
  }

  /** Takes over what is configured now. False where there is no budget at all. */
  private follow(): boolean {
    const [catalog, settings] = [this.deps.catalog(), this.deps.settings()];
    if (catalog !== this.catalog || settings !== this.settings) {
      this.catalog = catalog;
      this.settings = settings;
      const own = catalog.deployments.flatMap((deployment) => {
        const terms = ownTerms(deployment);
        return terms === null ? [] : [[deployment.id, terms] as const];
      });
      this.providers = budgetsOf("provider", Object.entries(settings.providerBudgets), this.providers);
      this.deployments = budgetsOf("deployment", own, this.deployments);
      this.tags = budgetsOf("tag", Object.entries(settings.tagBudgets), this.tags);
      this.isLookedAt = this.all().every(({ isRead }) => isRead);
    }
    return this.providers.size > 0 || this.deployments.size > 0 || this.tags.size > 0;
  }
}

const DONE = Promise.resolve();

/** Whether a call spends from the budget of that name. */
const SPENDS: Readonly<Record<BudgetOwner, (call: Ended, name: string) => boolean>> = {
  provider: ({ provider }, name) => provider === name,
  deployment: ({ deploymentId }, name) => deploymentId === name,
  tag: ({ tags }, name) => tags.includes(name),
};

/** What was spent goes on counting where only the limit has changed. */
function budgetsOf(
  of: BudgetOwner,
  wanted: readonly (readonly [name: string, terms: UpstreamBudgetTerms])[],
  before: Budgets,
): Budgets {
  if (wanted.length === 0) return NONE;
  return new Map(
    wanted.map(([name, terms]) => {
      const known = before.get(name);
      if (known?.terms.window !== terms.window) return [name, new UpstreamBudget(of, name, terms)];
      known.terms = terms;
      return [name, known];
    }),
  );
}

/** `max_budget` and `budget_duration`, which mean something together. */
function ownTerms({ params }: Deployment): UpstreamBudgetTerms | null {
  const { max_budget: limit, budget_duration: period } = params;
  if (typeof limit !== "number" || typeof period !== "string") return null;
  const window = parseBudgetDuration(period);
  return window && { limit: nanoUsd(limit), period, window };
}
