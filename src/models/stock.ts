import type { DeploymentSwitch } from "../accounts/model-records.ts";
import type { OperatorRule } from "../accounts/operator-rule.ts";
import type { AccountStores } from "../accounts/store.ts";
import { newId } from "../lib/ids.ts";
import type { Logger } from "../lib/log.ts";
import { type OpenCredential, type OpenDeployment, openCredential, openDeployment } from "./sealing.ts";
import { readStoredTable, type StoredTable } from "./stored-table.ts";

/** Everything that the database holds about models, opened. */
export interface Stock {
  readonly deployments: readonly OpenDeployment[];
  readonly credentials: readonly OpenCredential[];
  /** What operators have set about deployments, also about those of the configuration file. */
  readonly switches: readonly DeploymentSwitch[];
  /** The same list for as long as nothing in it has changed. */
  readonly rules: readonly OperatorRule[];
  /** The model table that an operator has loaded; the same object until another one is loaded. */
  readonly table: StoredTable | null;
}

export const EMPTY_STOCK: Stock = { deployments: [], credentials: [], switches: [], rules: [], table: null };

/** The row whose value differs after every change; processes look at it to learn that there was one. */
const VERSION = "models.version";

type Stores = Pick<AccountStores, "settings" | "deployments" | "credentials" | "deploymentSwitches" | "operatorRules">;

/** To be called first in every transaction that changes models: from there on no other such change is under way. */
export const noteModelChange = (tx: Pick<AccountStores, "settings">): Promise<void> =>
  tx.settings.put(VERSION, newId());

export interface StockDeps {
  readonly stores: Stores;
  readonly sealingKey: Uint8Array;
  readonly log: Logger;
  /** Takes over what was loaded. */
  readonly take: (stock: Stock) => void;
}

/** Keeps a process up to date with what is stored, whoever changes it. Calls of models never wait for it. */
export class ModelStock {
  private version: string | null = null;
  private present: Stock = EMPTY_STOCK;
  private last: Promise<void> = Promise.resolve();
  private pending = 0;
  private failing = false;

  constructor(private readonly deps: StockDeps) {}

  /** What was committed before this was called has been taken over when it ends, unless the database is away. Never throws. */
  refresh(): Promise<void> {
    this.pending++;
    this.last = this.last.then(() => this.load()).finally(() => this.pending--);
    return this.last;
  }

  /** The same now and then; one small query where nothing has changed, none where one is under way. */
  poll(): Promise<void> {
    return this.pending > 0 ? this.last : this.refresh();
  }

  private async load(): Promise<void> {
    const { stores, log, take } = this.deps;
    try {
      // Read before the rows: if they are newer, the next look finds another version and loads them again.
      const version = await stores.settings.find(VERSION);
      if (version !== this.version) {
        this.present = await this.read();
        take(this.present);
        this.version = version;
      }
      if (this.failing) log.info("stored models can be read again");
      this.failing = false;
    } catch (thrown) {
      if (!this.failing) log.warn({ err: thrown }, "stored models cannot be read; those known stay in use");
      this.failing = true;
    }
  }

  private async read(): Promise<Stock> {
    const { stores, sealingKey } = this.deps;
    const [deployments, credentials, switches, rules, table] = await Promise.all([
      stores.deployments.list(),
      stores.credentials.list(),
      stores.deploymentSwitches.list(),
      stores.operatorRules.list(),
      readStoredTable(stores.settings, this.present.table),
    ]);
    // What did not change is neither opened nor read again: thousands of models must not hold up the calls of others.
    return {
      deployments: renew(this.present.deployments, deployments, (record) => openDeployment(sealingKey, record)),
      credentials: renew(this.present.credentials, credentials, (record) => openCredential(sealingKey, record)),
      switches,
      rules: Bun.deepEquals(this.present.rules, rules) ? this.present.rules : rules,
      table,
    };
  }
}

function renew<R extends { readonly id: string }, T extends { readonly record: R }>(
  present: readonly T[],
  records: readonly R[],
  open: (record: R) => T,
): readonly T[] {
  const known = new Map(present.map((one) => [one.record.id, one]));
  return records.map((record) => {
    const same = known.get(record.id);
    return same && Bun.deepEquals(same.record, record) ? same : open(record);
  });
}
