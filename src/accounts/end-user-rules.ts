import type { CallerBudget, CallerLimit, KeyCaller } from "../contract/caller.ts";
import { isDatabaseAway } from "../contract/database-away.ts";
import { endUserId } from "../contract/end-users.ts";
import { BoundedMap } from "../lib/bounded-map.ts";
import type { Clock } from "../lib/clock.ts";
import type { EndUser, SpendLimit } from "./records.ts";
import type { EndUserStore } from "./store.ts";

/** A change made on another server takes effect within this time; one made on this server, in any worker, at once. */
const FRESH_MS = 5_000;
/** The list is read again in the last part of that time, so that a busy server never waits for it. */
const AHEAD_PART = 5;
/** How long a call waits for a list that is too old before the old one is used. */
const LIST_WAIT_MS = 1_000;
const KNOWN_MAX = 100_000;

/** What holds for calls that are made for somebody. */
export interface EndUserRule {
  readonly blocked: boolean;
  /** The caller with the limits and the budget of the end user among its own. */
  actingFor(caller: KeyCaller): KeyCaller;
}

/** What may be spent for each end user who has no budget of its own; null: there is no such limit. */
type Each = SpendLimit | null;

interface Made {
  /** Null: an organization has no record of this one. */
  readonly record: EndUser | null;
  readonly each: Each;
  readonly rule: EndUserRule | null;
}

interface Known extends Made {
  freshUntilMs: number;
}

/**
 * End users by the names in calls. A call waits for the database only if what is known is older than five seconds. If the
 * database is down, the known rules remain in effect.
 */
export class EndUserRules {
  /** Organizations that have end users; null until that was looked up for the first time. */
  private organizations: ReadonlySet<string> | null = null;
  /** One may have got its first, or lost its last. */
  private isListed = false;
  private listedUntilMs = Number.NEGATIVE_INFINITY;
  private listing: Promise<void> | null = null;
  private readonly known = new BoundedMap<string, Known>(KNOWN_MAX);
  /** Of those without a record, where nobody has to be asked for one. */
  private readonly plain = new BoundedMap<string, Made>(KNOWN_MAX);
  private readonly loading = new Map<string, Promise<EndUserRule | null>>();
  /** Counts what was forgotten: a look-up that began before may have read what is no longer so. */
  private forgotten = 0;

  constructor(
    private readonly store: Pick<EndUserStore, "find" | "organizations">,
    private readonly clock: Pick<Clock, "monotonicMs">,
    private readonly each: () => Each,
    private readonly freshMs = FRESH_MS,
  ) {}

  /** Whether calls of a caller have to be looked at; `nowMs` is of the steady clock. */
  concern({ organizationId }: KeyCaller, nowMs: number): boolean {
    if (organizationId === null) return false;
    return !this.isCurrent(nowMs) || this.each() !== null || this.has(organizationId);
  }

  /** Null for most; throws `database`. */
  find(organizationId: string, name: string): EndUserRule | null | Promise<EndUserRule | null> {
    return this.isCurrent(this.clock.monotonicMs())
      ? this.findListed(organizationId, name)
      : this.waitForList().then(() => this.findListed(organizationId, name));
  }

  /** Whether the list of organizations is recent enough to decide by. */
  private isCurrent(nowMs: number): boolean {
    if (nowMs >= this.listedUntilMs - this.freshMs / AHEAD_PART) this.list().catch(() => undefined);
    return this.isListed && nowMs < this.listedUntilMs;
  }

  private waitForList(): Promise<void> {
    const listing = this.list();
    return this.organizations === null ? listing : Promise.race([listing, Bun.sleep(LIST_WAIT_MS)]);
  }

  private findListed(organizationId: string, name: string): EndUserRule | null | Promise<EndUserRule | null> {
    const key = endUserId(organizationId, name);
    const each = this.each();
    if (!this.has(organizationId)) return each && this.ruleFor(organizationId, name, each);
    const kept = this.known.get(key);
    if (kept && kept.each === each && this.clock.monotonicMs() < kept.freshUntilMs) return kept.rule;
    return this.loading.get(key) ?? this.load(key, organizationId, name, kept);
  }

  private ruleFor(organizationId: string, name: string, each: Each): EndUserRule | null {
    const key = endUserId(organizationId, name);
    const kept = this.plain.get(key);
    if (kept?.each === each) return kept.rule;
    const rule = ruleOf({ organizationId, id: name }, null, each);
    this.plain.set(key, { record: null, each, rule });
    return rule;
  }

  /** After one was made, changed or removed here. */
  forget(organizationId: string, name: string): void {
    this.known.delete(endUserId(organizationId, name));
    this.forgetLookUps();
  }

  /** After something was changed here that any of them may have. */
  forgetAll(): void {
    this.known.clear();
    this.forgetLookUps();
  }

  private forgetLookUps(): void {
    this.forgotten++;
    this.loading.clear();
    this.isListed = false;
    this.listing = null;
  }

  private has(organizationId: string): boolean {
    return this.organizations?.has(organizationId) ?? false;
  }

  private list(): Promise<void> {
    if (this.listing) return this.listing;
    const { forgotten } = this;
    const beganAtMs = this.clock.monotonicMs();
    const listing = this.store
      .organizations()
      .then(
        (ids) => {
          if (this.forgotten !== forgotten) return;
          this.organizations = new Set(ids);
          this.isListed = true;
          this.listedUntilMs = beganAtMs + this.freshMs;
        },
        (thrown) => {
          if (this.organizations === null || !isDatabaseAway(thrown)) throw thrown;
          this.listedUntilMs = this.nextLook();
        },
      )
      .finally(() => {
        if (this.listing === listing) this.listing = null;
      });
    this.listing = listing;
    return listing;
  }

  private load(
    key: string,
    organizationId: string,
    name: string,
    kept: Known | undefined,
  ): Promise<EndUserRule | null> {
    const { forgotten } = this;
    const pending = this.store
      .find(organizationId, name)
      .then(
        (record) => {
          const each = this.each();
          // What was made for the same limits is gone on with: budgets and meters are found by it.
          const isSame = kept && kept.each === each && Bun.deepEquals(kept.record, record);
          const rule = isSame ? kept.rule : ruleOf({ organizationId, id: name }, record, each);
          if (this.forgotten === forgotten) this.known.set(key, { record, each, rule, freshUntilMs: this.nextLook() });
          return rule;
        },
        (thrown) => {
          if (!kept || !isDatabaseAway(thrown) || this.forgotten !== forgotten) throw thrown;
          kept.freshUntilMs = this.nextLook();
          return kept.rule;
        },
      )
      .finally(() => {
        if (this.loading.get(key) === pending) this.loading.delete(key);
      });
    this.loading.set(key, pending);
    return pending;
  }

  private nextLook(): number {
    return this.clock.monotonicMs() + this.freshMs;
  }
}

interface Named {
  readonly organizationId: string;
  readonly id: string;
}

function ruleOf(named: Named, record: EndUser | null, each: Each): EndUserRule | null {
  if (record === null && each === null) return null;
  const budget = budgetOf(named, record?.budget == null ? each : record);
  const limit = record && limitOf(record);
  // One for each of the callers, by which its budgets and meters are found again.
  const acting = new WeakMap<KeyCaller, KeyCaller>();
  return {
    blocked: record?.blocked ?? false,
    actingFor(caller) {
      const known = acting.get(caller);
      if (known) return known;
      if (caller.organizationId !== named.organizationId) throw new TypeError("an end user is its organization's own");
      const made = {
        ...caller,
        endUser: named.id,
        budgets: budget ? [...caller.budgets, budget] : caller.budgets,
        limits: limit ? [...caller.limits, limit] : caller.limits,
      };
      acting.set(caller, made);
      return made;
    },
  };
}

const budgetOf = (named: Named, spend: SpendLimit | null): CallerBudget | null =>
  spend === null || spend.budget === null
    ? null
    : {
        scope: "end_user",
        id: endUserId(named.organizationId, named.id),
        limit: spend.budget,
        window: spend.budgetWindow ?? "total",
      };

function limitOf(record: EndUser): CallerLimit | null {
  const { rpmLimit: rpm, tpmLimit: tpm, parallelLimit: parallel } = record;
  return rpm === null && tpm === null && parallel === null
    ? null
    : { scope: "end_user", id: endUserId(record.organizationId, record.id), rpm, tpm, parallel, models: null };
}
