import type { Static } from "typebox";
import { ModelTable, TableError } from "../../catalog/model-table.ts";
import { usdText } from "../../catalog/price.ts";
import { Done } from "../../contract/organizations.ts";
import { LoadTableBody, ModelTableView, PRICE_FILE_BYTES_MAX, TableLoadView } from "../../contract/price-import.ts";
import { writtenModel } from "../../contract/upstream-form.ts";
import { isoTimeOrNull } from "../../contract/users.ts";
import { json } from "../../http/reply.ts";
import { type Route, route } from "../../http/route.ts";
import { entryFault } from "../../models/entry.ts";
import type { GivenTable, ModelTables } from "../../models/model-tables.ts";
import type { ModelTableChange, TableOutcome, TablePlan } from "../../models/plan-table.ts";

const PATHS = ["/api/admin/model-table"] as const;
const shared = { tag: "Administration", auth: "admin" } as const;

/** The table of capabilities, context windows and prices. */
export const modelTableRoutes = (tables: ModelTables): Route[] => [
  route({
    ...shared,
    method: "GET",
    paths: PATHS,
    summary: "Show which model table is in use",
    success: ModelTableView,
    errors: [],
    async handle() {
      const { table, origin, loadedAt } = await tables.inUse();
      const { date, size, sources } = table;
      return json({ date, origin, loadedAt: isoTimeOrNull(loadedAt), models: size, sources: { ...sources } });
    },
  }),
  route({
    ...shared,
    method: "POST",
    paths: PATHS,
    summary: "Show what a newer model table would change, and use it",
    description:
      "Changes nothing unless `dryRun` is false. Then all processes use the table, also after a restart, until the program " +
      "comes with a newer table. A table that is older than the current table is refused.",
    body: LoadTableBody,
    bodyBytesMax: PRICE_FILE_BYTES_MAX,
    success: TableLoadView,
    errors: ["invalid_request"],
    async handle({ caller, body, connection }) {
      const given = readTable(body.table);
      if (body.dryRun ?? true) return json(view(await tables.preview(given), true));
      const actor = { caller, address: connection.remoteAddress };
      return json(view(await tables.load(actor, given, body.allowFree ?? false), false));
    },
  }),
  route({
    ...shared,
    method: "DELETE",
    paths: PATHS,
    summary: "Use the model table of the program again",
    success: Done,
    errors: ["invalid_request"],
    async handle({ caller, connection }) {
      await tables.reset({ caller, address: connection.remoteAddress });
      return json({ success: true });
    },
  }),
];

function readTable(given: Static<typeof LoadTableBody>["table"]): GivenTable {
  const text = typeof given === "string" ? given.replace(/^\ufeff/, "") : JSON.stringify(given);
  try {
    return { table: ModelTable.parse(text), text };
  } catch (thrown) {
    if (!(thrown instanceof TableError)) throw thrown;
    throw entryFault(thrown.faults.map((message) => ({ path: "table", message })));
  }
}

function view({ before, after, models, added, removed, free }: TablePlan, dryRun: boolean): TableLoadView {
  const count = (outcome: TableOutcome) => models.filter((one) => one.outcome === outcome).length;
  return {
    dryRun,
    from: before.table.date,
    to: after.table.date,
    summary: {
      entries: after.table.size,
      added: added.length,
      removed: removed.length,
      free: count("free"),
      unpriced: count("unpriced"),
      priced: count("priced"),
      repriced: count("repriced"),
      facts: count("facts"),
    },
    models: models.map(modelView),
    becomeFree: [...free],
  };
}

function modelView({ model, outcome, prices, facts }: ModelTableChange): TableLoadView["models"][number] {
  const { id, group, provider, deployment } = model;
  const text = (price: bigint | null) => (price === null ? null : usdText(price));
  return {
    id,
    name: group,
    provider,
    inferenceModelId: deployment ? writtenModel(deployment) : "",
    outcome,
    prices: prices.map(({ component, field, from, to }) => ({
      component,
      field,
      from: text(from),
      to: text(to),
      fromPrice: from === null ? null : Number(from),
      toPrice: to === null ? null : Number(to),
    })),
    facts: facts.map((fact) => ({ ...fact })),
  };
}
