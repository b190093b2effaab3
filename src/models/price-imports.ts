import { type Actor, change, noteChange } from "../accounts/change.ts";
import { usdText } from "../catalog/price.ts";
import type { PriceMap } from "../catalog/price-map.ts";
import type { PriceTable } from "../catalog/price-table.ts";
import { mergeEntry } from "./entry.ts";
import { type ImportPlan, type ModelImport, type PriceChange, planImport } from "./plan-import.ts";
import { openDeployment, sealDeployment } from "./sealing.ts";
import { seeModels } from "./seen-model.ts";
import { noteModelChange } from "./stock.ts";
import { noteOf, requireStoring, type StoredModelDeps } from "./stored-models.ts";

/** Prices that operators bring in a file, for the models that they keep in the database. */
export class PriceImports {
  constructor(private readonly deps: StoredModelDeps & { readonly prices: Pick<PriceTable, "book"> }) {}

  /** What a file would change; nothing is changed. */
  async preview(map: PriceMap): Promise<ImportPlan> {
    const at = await this.priceBook();
    const { stock, surroundings } = this.deps.present();
    return planImport(map, seeModels(stock, surroundings), at);
  }

  /** All of it or nothing, each model with its line in the audit log. What was changed in the meantime is looked at anew. */
  async apply(actor: Actor, map: PriceMap): Promise<ImportPlan> {
    const { stores, clock, stock: refreshed, sealingKey } = this.deps;
    requireStoring(this.deps.present().surroundings);
    const at = await this.priceBook();
    const plan = await change(
      stores,
      clock,
      actor,
      async (tx) => {
        await noteModelChange(tx);
        const { stock, surroundings } = this.deps.present();
        const opened = (await tx.deployments.list()).map((record) => openDeployment(sealingKey, record));
        const byId = new Map(opened.map((open) => [open.record.id, open]));
        const made = planImport(map, seeModels({ ...stock, deployments: opened }, surroundings), at);
        for (const one of made.models.filter(isApplied)) {
          const open = byId.get(one.model.id);
          if (!open) continue;
          const { id, groupName } = open.record;
          const entry = mergeEntry(groupName, open, one.edit);
          await tx.deployments.update(id, { ...sealDeployment(sealingKey, id, entry), updatedAt: clock.nowMs() });
          const details = { group: groupName, entry: one.entry, prices: one.changes.map(inUsd) };
          await noteChange(tx, clock, actor, noteOf("model.price", open.record, details));
        }
        return made;
      },
      ({ models, entries }) => {
        const changed = models.filter(isApplied).length;
        if (changed === 0) return null;
        const details = { entries, changed };
        return { action: "price.import", organizationId: null, targetType: "model", targetId: "*", details };
      },
    );
    await refreshed.refresh();
    return plan;
  }

  private async priceBook() {
    return { book: await this.deps.prices.book(), nowMs: this.deps.clock.nowMs() };
  }
}

/** Models of the configuration file are changed there: the file that an operator looks at is what holds. */
export const isApplied = ({ model, outcome }: ModelImport): boolean =>
  model.source === "database" && (outcome === "changed" || outcome === "adopted");

const inUsd = ({ field, from, to }: PriceChange) => ({
  field,
  from: from === null ? null : usdText(from),
  to: to === null ? null : usdText(to),
});
