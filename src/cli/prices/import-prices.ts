import { readFile } from "node:fs/promises";
import type { Command } from "commander";
import type { PriceImportView } from "../../contract/price-import.ts";
import { usageError } from "../cli-error.ts";
import type { Act } from "../context.ts";
import type { Output } from "../output.ts";
import { readStdin } from "../prompt.ts";

type Imported = PriceImportView["models"][number];

/** Prices from a file: what would change, and with `--apply` that it does. */
export function addImportPrices(models: Command, act: Act): void {
  models
    .command("import")
    .description("tell what a file of prices would change for stored models, and with --apply change it")
    .argument("<file>", "prices by model, as LiteLLM's model_prices_and_context_window.json has them; - reads stdin")
    .option("--apply", "change the prices; without it nothing is changed")
    .action(
      act(async ({ api, output }, { apply = false }: { apply?: boolean }, file: string) => {
        const prices = await readTextFile(file);
        const told = await api.send<PriceImportView>("POST", "/api/admin/prices/import", { prices, dryRun: !apply });
        show(output, told);
      }),
    );
}

/** Reads a file, or stdin for `-`. */
export async function readTextFile(file: string): Promise<string> {
  const text = file === "-" ? await readStdin() : await readPath(file);
  if (text.trim() === "") throw usageError(file === "-" ? "There is nothing on stdin." : `${file} is empty.`);
  return text;
}

const readPath = (file: string): Promise<string> =>
  readFile(file, "utf8").catch((thrown: NodeJS.ErrnoException) => {
    throw usageError(`${file} cannot be read (${thrown.code ?? "no file"}).`);
  });

/** A line for each price that changes; what else is to be known follows on stderr. */
function show(output: Output, told: PriceImportView): void {
  if (output.json || output.quiet) {
    const touched = told.models.filter(isTouched).map(({ id }) => id);
    for (const line of output.json ? [JSON.stringify(told)] : touched) output.data(line);
    return;
  }
  const data = told.models.flatMap((model) => model.changes.map((change) => ({ ...change, id: model.id, model })));
  if (data.length > 0) {
    output.listAll(data, {
      MODEL: ({ model }) => model.name,
      ENTRY: ({ model }) => model.entry,
      PRICE: ({ field }) => field,
      FROM: ({ from }) => from,
      TO: ({ to }) => to,
      RESULT: ({ model }) => resultOf(model, told.dryRun),
    });
  }
  for (const line of remarks(told)) output.note(line);
}

const isTouched = ({ readOnly, outcome }: Imported): boolean =>
  !readOnly && (outcome === "changed" || outcome === "adopted");

function resultOf({ readOnly, source, outcome }: Imported, dryRun: boolean): string {
  if (readOnly) return source === "built-in" ? "built in: stays" : "in the file: stays";
  if (outcome === "adopted") return dryRun ? "becomes its own" : "is its own now";
  return dryRun ? "would change" : "changed";
}

const NAMES_SHOWN = 5;

const counted = (count: number, one: string, many = `${one}s`): string => `${count} ${count === 1 ? one : many}`;

function remarks({ dryRun, summary, models, unmatched, rounded }: PriceImportView): string[] {
  const { changed, adopted, unchanged, readOnly } = summary;
  const lines = rounded.map(
    ({ entry, field, value, rounded: to }) => `Note: ${entry}: ${field} ${value} is rounded to ${to}.`,
  );
  for (const { entry, ignored } of new Map(models.map((model) => [model.entry, model])).values()) {
    if (ignored.length > 0) lines.push(`Note: ${entry}: nothing is charged by ${ignored.join(", ")}.`);
  }
  if (unmatched.length > 0) {
    const more = unmatched.length > NAMES_SHOWN ? ", ..." : "";
    const names = unmatched.slice(0, NAMES_SHOWN).join(", ");
    lines.push(`${counted(unmatched.length, "entry", "entries")} of the file fit no model: ${names}${more}`);
  }
  if (readOnly > 0) lines.push(`Not changed, since kept elsewhere: ${counted(readOnly, "model")}.`);
  lines.push(`At that price already: ${counted(unchanged, "model")}.`);
  const touched = changed + adopted;
  if (!dryRun) lines.push(`The prices of ${counted(touched, "model")} are changed.`);
  else if (touched > 0) lines.push(`Nothing is changed yet; --apply changes ${counted(touched, "model")}.`);
  return lines;
}
