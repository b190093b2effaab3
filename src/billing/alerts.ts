import type { SessionCaller } from "../contract/caller.ts";
import type { Clock } from "../lib/clock.ts";
import type { BillingAccess } from "./billing-access.ts";
import { type BalanceAlert, BUDGET_PERCENTS } from "./records.ts";
import type { BillingStores } from "./store.ts";

export interface AlertDeps {
  readonly stores: BillingStores;
  readonly access: BillingAccess;
  readonly clock: Clock;
}

export interface SeenAlerts {
  readonly organizationId: string;
  readonly budgetPercents: readonly number[];
  readonly rows: readonly BalanceAlert[];
}

export interface ChosenAlerts {
  readonly thresholds?: readonly bigint[] | undefined;
  readonly budgetPercents?: readonly number[] | undefined;
}

/** That nothing is left is told to everybody; it is no threshold that one sets. */
const DEPLETED = 1n;

/** Balances below which an organization wants to be told, and shares of budgets. */
export class Alerts {
  constructor(private readonly deps: AlertDeps) {}

  async list(caller: SessionCaller, named: string | null): Promise<SeenAlerts> {
    const { id } = await this.deps.access(caller, named, "admin");
    return seen(this.deps.stores, id);
  }

  /** For who has shown already that they may see it. */
  async of(organizationId: string): Promise<readonly BalanceAlert[]> {
    return shown(await this.deps.stores.alerts.list(organizationId));
  }

  /** What is not named stays as it is, and what was told already is not told again for it. */
  async replace(
    actor: { readonly caller: SessionCaller; readonly address: string | null },
    named: string | null,
    { thresholds, budgetPercents }: ChosenAlerts,
  ): Promise<SeenAlerts> {
    const { stores, access, clock } = this.deps;
    const { id } = await access(actor.caller, named, "admin");
    const now = clock.nowMs();
    const wanted = thresholds && [...new Set([...thresholds, DEPLETED])];
    return stores.transaction(async (tx) => {
      if (wanted) await tx.alerts.replace(id, wanted, await tx.ledger.lockBalance(id), now);
      const by = { userId: actor.caller.userId, address: actor.address };
      const percents = budgetPercents && [...new Set(budgetPercents)].sort((a, b) => a - b);
      if (percents) await tx.alerts.choosePercents(id, percents);
      const details = {
        ...(thresholds ? { thresholds: thresholds.map(String) } : {}),
        ...(percents ? { budgetPercents: percents } : {}),
      };
      const target = { organizationId: id, targetType: "organization", targetId: id };
      await tx.audit.note({ action: "billing.alerts", ...target, details, by }, now);
      return seen(tx, id);
    });
  }
}

const seen = async ({ alerts }: BillingStores, organizationId: string): Promise<SeenAlerts> => ({
  organizationId,
  budgetPercents: (await alerts.percents(organizationId)) ?? BUDGET_PERCENTS,
  rows: shown(await alerts.list(organizationId)),
});

const shown = (alerts: readonly BalanceAlert[]): readonly BalanceAlert[] =>
  alerts.filter(({ threshold }) => threshold !== DEPLETED);
