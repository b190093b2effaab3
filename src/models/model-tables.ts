import { type Actor, change } from "../accounts/change.ts";
import { ModelBook } from "../catalog/model-facts.ts";
import type { ModelTable } from "../catalog/model-table.ts";
import type { PriceTable } from "../catalog/price-table.ts";
import { newId } from "../lib/ids.ts";
import { entryFault } from "./entry.ts";
import { planTable, type TablePlan } from "./plan-table.ts";
import { seeModels } from "./seen-model.ts";
import { noteModelChange } from "./stock.ts";
import { requireStoring, type StoredModelDeps } from "./stored-models.ts";
import { writeStoredTable } from "./stored-table.ts";

export interface ModelTableDeps extends StoredModelDeps {
  readonly prices: Pick<PriceTable, "book" | "inUse">;
}

/** The table in use. */
export interface TableInUse {
  readonly table: ModelTable;
  readonly origin: "built-in" | "loaded";
  /** When an operator loaded it; null for the table of the program. */
  readonly loadedAt: number | null;
}

/** A file with a table, and its text. */
export interface GivenTable {
  readonly table: ModelTable;
  readonly text: string;
}

/** Model tables that operators load at run time. The newer of the loaded table and the program's table is used. */
export class ModelTables {
  constructor(private readonly deps: ModelTableDeps) {}

  async inUse(): Promise<TableInUse> {
    const { prices, present } = this.deps;
    const { table } = await prices.book();
    const { origin } = await prices.inUse();
    return { table, origin, loadedAt: origin === "loaded" ? (present().stock.table?.loadedAt ?? null) : null };
  }

  /** Compares a table with the table in use, for the models of this server. */
  async preview({ table }: GivenTable): Promise<TablePlan> {
    const { prices, clock, present } = this.deps;
    const { stock, surroundings } = present();
    const book = await prices.book();
    return planTable(book, new ModelBook(table), seeModels(stock, surroundings), clock.nowMs());
  }

  /** Uses a table from the next call on, in all processes. */
  async load(actor: Actor, given: GivenTable, allowFree: boolean): Promise<TablePlan> {
    const { date } = (await this.deps.prices.book()).table;
    if (given.table.date < date) {
      throw refusal(`The table is from ${given.table.date}. The table in use is newer: ${date}.`);
    }
    const plan = await this.preview(given);
    if (plan.free.length > 0 && !allowFree) {
      const names = plan.free.slice(0, 10).map((name) => `\`${name}\``);
      const more = plan.free.length > names.length ? ` and ${plan.free.length - names.length} more` : "";
      throw refusal(`Models with a price would become free: ${names.join(", ")}${more}. Send \`allowFree\` to accept.`);
    }
    const { clock } = this.deps;
    const loadedBy = actor.caller?.kind === "session" ? actor.caller.userId : null;
    const stored = { id: newId(), loadedAt: clock.nowMs(), loadedBy, text: given.text };
    const changed = plan.models.length;
    await this.write(actor, stored, { action: "model_table.load", details: { date: given.table.date, changed } });
    return plan;
  }

  /** Uses the table of the program again. Without a loaded table, nothing changes. */
  async reset(actor: Actor): Promise<void> {
    const { stock, present } = this.deps;
    await stock.refresh();
    if (present().stock.table === null) return;
    await this.write(actor, null, { action: "model_table.reset", details: {} });
  }

  private async write(
    actor: Actor,
    stored: Parameters<typeof writeStoredTable>[1],
    { action, details }: { readonly action: string; readonly details: Readonly<Record<string, unknown>> },
  ): Promise<void> {
    const { stores, clock, stock, present } = this.deps;
    requireStoring(present().surroundings);
    await change(
      stores,
      clock,
      actor,
      async (tx) => {
        await noteModelChange(tx);
        await writeStoredTable(tx.settings, stored);
      },
      () => ({ action, organizationId: null, targetType: "model", targetId: "*", details }),
    );
    await stock.refresh();
  }
}

const refusal = (message: string) => entryFault([{ path: "table", message }]);
