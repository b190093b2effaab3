import type { Catalog } from "../../catalog/catalog.ts";
import type { PriceTable } from "../../catalog/price-table.ts";
import type { Deployment } from "../../contract/deployment.ts";
import type { Clock } from "../../lib/clock.ts";
import type { Logger } from "../../lib/log.ts";
import { isWildcard } from "../../lib/wildcard.ts";
import { isDeploymentFault } from "../routing/failure-kinds.ts";
import type { Router } from "../routing/router.ts";
import { checkDeployment, type HealthDeps } from "./health.ts";

export interface BackgroundCheckSettings {
  /** `free`: only deployments whose calls cost nothing. Null: none. */
  readonly scope: "all" | "free" | null;
  readonly intervalMs: number;
  readonly atOnce: number;
}

export interface BackgroundCheckDeps extends Pick<HealthDeps, "transport" | "env"> {
  readonly catalog: () => Catalog;
  readonly router: Router;
  readonly prices: PriceTable;
  readonly settings: () => BackgroundCheckSettings;
  readonly clock: Clock;
  readonly log: Logger;
}

/** Calls deployments now and then with the smallest request there is, so that the router hears of trouble before callers do. */
export class BackgroundChecks {
  private readonly checkedAt = new Map<string, number>();
  /** Those that wait for their turn or for an answer. */
  private readonly underWay = new Set<string>();
  private readonly waiting: Deployment[] = [];
  private running = 0;

  constructor(private readonly deps: BackgroundCheckDeps) {}

  /**
   * Checks those whose time has come, whatever others still wait for: one that hangs takes up a place, and nobody's time.
   * Resolves when no place of those that it took is needed any more. Never throws.
   */
  async run(): Promise<void> {
    const { catalog, settings, clock } = this.deps;
    const { scope, intervalMs, atOnce } = settings();
    const known = scope === null ? [] : catalog().deployments.filter((deployment) => this.isChecked(deployment, scope));
    this.forgetOthers(known);
    const now = clock.monotonicMs();
    for (const deployment of known) {
      const { id } = deployment;
      const isDue = now - (this.checkedAt.get(id) ?? Number.NEGATIVE_INFINITY) >= intervalMs;
      if (!isDue || this.underWay.has(id)) continue;
      this.underWay.add(id);
      this.waiting.push(deployment);
    }
    const places = Math.max(0, Math.min(atOnce - this.running, this.waiting.length));
    await Promise.all(Array.from({ length: places }, () => this.work()));
  }

  private async work(): Promise<void> {
    this.running++;
    for (let next = this.waiting.shift(); next; next = this.waiting.shift()) {
      await this.check(next);
      this.underWay.delete(next.id);
    }
    this.running--;
  }

  private isChecked(deployment: Deployment, scope: "all" | "free"): boolean {
    const { provider, upstreamModel, info } = deployment;
    // Without a caller's model name there is nothing to call.
    if (provider === "*" || isWildcard(upstreamModel) || info.disable_background_health_check === true) return false;
    if (!this.deps.router.stateOf(deployment.id).enabled) return false;
    return scope === "all" || this.deps.prices.find(deployment)?.free === true;
  }

  private forgetOthers(known: readonly Deployment[]): void {
    const ids = new Set(known.map(({ id }) => id));
    for (const id of this.checkedAt.keys()) if (!ids.has(id)) this.checkedAt.delete(id);
    // Also what a process before this one has found, which other workers still go by.
    for (const { id } of this.deps.router.checks()) if (!ids.has(id)) this.deps.router.forgetCheck(id);
  }

  private async check(deployment: Deployment): Promise<void> {
    const { clock, router, log } = this.deps;
    const { id } = deployment;
    this.checkedAt.set(id, clock.monotonicMs());
    const before = router.stateOf(id).checked;
    const { error, kind, duration_ms: latencyMs } = await checkDeployment(this.deps, deployment, NEVER);
    // One that has too much to do is alive, and one that cannot be checked may be well.
    const ok = kind === undefined || kind === "rate_limit" || !isDeploymentFault(kind);
    router.noteCheck(id, ok, latencyMs);
    if (!ok && before?.ok !== false)
      log.warn({ deployment: id, kind, error }, "a deployment does not answer its check");
    if (ok && before?.ok === false) log.info({ deployment: id }, "a deployment answers its check again");
  }
}

/** A check has a time limit of its own. */
const NEVER = new AbortController().signal;
