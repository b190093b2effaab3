import type { Command } from "commander";
import type { ModelTableView, TableLoadView } from "../../contract/price-import.ts";
import type { Act } from "../context.ts";
import type { Output } from "../output.ts";
import { readTextFile } from "./import-prices.ts";

const PATH = "/api/admin/model-table";

/** The table of limits, capabilities and prices of models. */
export function addModelTable(models: Command, act: Act): void {
  const table = models.command("table").description("show, load or reset the table of limits, capabilities and prices");
  table
    .command("show")
    .description("show which table is in use")
    .action(
      act(async ({ api, output }) => {
        const view = await api.get<ModelTableView>(PATH, {});
        const { date, origin, loadedAt, models: count } = view;
        output.record(view, { Date: date, Origin: origin, Loaded: loadedAt, Models: String(count) }, date);
      }),
    );
  table
    .command("load")
    .description("show what a newer table would change; with --apply use it")
    .argument("<file>", "a model-table.json; - reads stdin")
    .option("--apply", "use the table in all processes; without it nothing changes")
    .option("--allow-free", "accept that models with a price become free")
    .action(
      act(async ({ api, output }, flags: { apply?: boolean; allowFree?: boolean }, file: string) => {
        const body = { table: await readTextFile(file), dryRun: !flags.apply, allowFree: flags.allowFree ?? false };
        show(output, await api.send<TableLoadView>("POST", PATH, body));
      }),
    );
  table
    .command("reset")
    .description("use the table of the program again")
    .action(
      act(async ({ api, output, prompt }) => {
        await prompt.confirm("Use the table of the program again");
        output.done(await api.send<object>("DELETE", PATH, undefined), "The table of the program is in use.");
      }),
    );
}

/** Prints a line for each price that changes, then a summary on stderr. */
function show(output: Output, view: TableLoadView): void {
  if (output.json || output.quiet) {
    const lines = output.json ? [JSON.stringify(view)] : view.models.map(({ id }) => id);
    for (const line of lines) output.data(line);
    return;
  }
  const data = view.models.flatMap((model) => model.prices.map((price) => ({ ...price, id: model.id, model })));
  if (data.length > 0) {
    output.listAll(data, {
      MODEL: ({ model }) => model.name,
      PRICE: ({ field }) => field,
      FROM: ({ from }) => from,
      TO: ({ to }) => to,
      RESULT: ({ model }) => model.outcome,
    });
  }
  for (const line of summaryOf(view)) output.note(line);
}

const NAMES_SHOWN = 10;

function summaryOf({ dryRun, from, to, summary, becomeFree, models }: TableLoadView): string[] {
  const { added, removed, repriced, priced, unpriced, facts } = summary;
  const lines = [
    `Table of ${from} -> table of ${to}: ${summary.entries} models, ${added} added, ${removed} removed.`,
    `Models of this server: ${repriced} with another price, ${priced} with a first price, ${facts} with other limits or ` +
      "capabilities.",
  ];
  const lost = models.filter(({ outcome }) => outcome === "unpriced").map(({ name }) => name);
  if (unpriced > 0) lines.push(`Note: no known price any more, so that calls are refused: ${named(lost)}.`);
  if (becomeFree.length > 0) lines.push(`Note: would be free: ${named(becomeFree)}. --allow-free accepts that.`);
  return [...lines, dryRun ? "Nothing has changed; --apply uses the table." : "The table is in use."];
}

const named = (names: readonly string[]): string =>
  names.slice(0, NAMES_SHOWN).join(", ") +
  (names.length > NAMES_SHOWN ? ` and ${names.length - NAMES_SHOWN} more` : "");
