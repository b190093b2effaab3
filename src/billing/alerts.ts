import type { SessionCaller } from "../contract/caller.ts";
import type { Clock } from "../lib/clock.ts";
import type { BillingAccess } from "./billing-access.ts";
import type { BalanceAlert } from "./records.ts";
import type { BillingStores } from "./store.ts";

export interface AlertDeps {
  readonly stores: BillingStores;
  readonly access: BillingAccess;
  readonly clock: Clock;
}

interface SeenAlerts {
  readonly organizationId: string;
  readonly rows: readonly BalanceAlert[];
}

/** That nothing is left is told to everybody; it is no threshold that one sets. */
const DEPLETED = 1n;

/** Balances below which an organization wants to be told. */
export class Alerts {
  constructor(private readonly deps: AlertDeps) {}

  async list(caller: SessionCaller, named: string | null): Promise<SeenAlerts> {
    const { id } = await this.deps.access(caller, named, "admin");
    return { organizationId: id, rows: shown(await this.deps.stores.alerts.list(id)) };
  }

  /** For who has shown already that they may see it. */
  async of(organizationId: string): Promise<readonly BalanceAlert[]> {
    return shown(await this.deps.stores.alerts.list(organizationId));
  }

  async replace(
    actor: { readonly caller: SessionCaller; readonly address: string | null },
    named: string | null,
    thresholds: readonly bigint[],
  ): Promise<SeenAlerts> {
    const { stores, access, clock } = this.deps;
    const { id } = await access(actor.caller, named, "admin");
    const now = clock.nowMs();
    const wanted = [...new Set([...thresholds, DEPLETED])];
    return stores.transaction(async (tx) => {
      await tx.alerts.replace(id, wanted, await tx.ledger.balance(id), now);
      const by = { userId: actor.caller.userId, address: actor.address };
      const details = { thresholds: thresholds.map(String) };
      const target = { organizationId: id, targetType: "organization", targetId: id };
      await tx.audit.note({ action: "billing.alerts", ...target, details, by }, now);
      return { organizationId: id, rows: shown(await tx.alerts.list(id)) };
    });
  }
}

const shown = (alerts: readonly BalanceAlert[]): readonly BalanceAlert[] =>
  alerts.filter(({ threshold }) => threshold !== DEPLETED);
