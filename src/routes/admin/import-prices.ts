import type { Static } from "typebox";
import { usdText } from "../../catalog/price.ts";
import { PriceMap } from "../../catalog/price-map.ts";
import type { GatewayError } from "../../contract/errors.ts";
import { eitherOf } from "../../contract/organizations.ts";
import { ImportPricesBody, PRICE_FILE_BYTES_MAX, PriceImportView } from "../../contract/price-import.ts";
import { writtenModel } from "../../contract/upstream-form.ts";
import { json } from "../../http/reply.ts";
import { route } from "../../http/route.ts";
import { isRecord, parseJsonTexts } from "../../lib/json.ts";
import { entryFault } from "../../models/entry.ts";
import type { ImportPlan, ModelImport } from "../../models/plan-import.ts";
import { isApplied, type PriceImports } from "../../models/price-imports.ts";

export const importPrices = (imports: PriceImports) =>
  route({
    method: "POST",
    paths: ["/api/admin/prices/import"],
    tag: "Administration",
    summary: "Tell what a file of prices would change, and change it",
    description:
      "Changes nothing unless `dryRun` is false; then all of it, or nothing. An entry is about a model where it is called " +
      "`provider/model`, or is called as the provider calls the model and says by `litellm_provider` that it is the same " +
      "provider's; one without a provider may also have the name that callers use. Models of the configuration file are told " +
      "of and stay. Prices that an entry does not have stay.",
    auth: "admin",
    body: ImportPricesBody,
    bodyBytesMax: PRICE_FILE_BYTES_MAX,
    numbersAsText: true,
    success: PriceImportView,
    errors: ["invalid_request"],
    async handle({ caller, body, connection }) {
      const map = readMap(body.prices);
      if (eitherOf(body.dryRun ?? undefined, body.dry_run ?? undefined) ?? true) {
        return json(view(await imports.preview(map), true));
      }
      return json(view(await imports.apply({ caller, address: connection.remoteAddress }, map), false));
    },
  });

const ENTRIES_MAX = 20_000;
const NAME_CHARS_MAX = 512;

/** A map as it was sent: its numbers are text. */
function readMap(given: Static<typeof ImportPricesBody>["prices"]): PriceMap {
  const map = typeof given === "string" ? parseFile(given) : given;
  const names = Object.keys(map);
  if (names.length === 0) throw fault("has no entries");
  if (names.length > ENTRIES_MAX) throw fault(`has more than ${ENTRIES_MAX} entries`);
  const entries: Record<string, Readonly<Record<string, unknown>>> = {};
  const odd: string[] = [];
  for (const [name, entry] of Object.entries(map)) {
    if (name.length > NAME_CHARS_MAX) odd.push(`${shown(name)} is too long a name`);
    else if (isRecord(entry)) entries[name] = entry;
    else odd.push(`${shown(name)} must be an object, such as {"input_cost_per_token": 2.5e-6}`);
  }
  if (odd.length > 0) throw entryFault(odd.slice(0, FAULTS_MAX).map((message) => ({ path: "prices", message })));
  return new PriceMap(entries);
}

const FAULTS_MAX = 50;
const shown = (name: string): string => JSON.stringify(name.slice(0, 80));
const fault = (message: string): GatewayError => entryFault([{ path: "prices", message }]);

function parseFile(text: string): Readonly<Record<string, unknown>> {
  let parsed: unknown;
  try {
    parsed = parseJsonTexts(text.replace(/^\ufeff/, ""));
  } catch (thrown) {
    const reason = thrown instanceof Error ? thrown.message.replace(/^JSON Parse error: /, "").slice(0, 120) : "";
    throw fault(`is not JSON: ${reason}`);
  }
  if (!isRecord(parsed)) throw fault("must be an object of prices by the names of models");
  return parsed;
}

function view(plan: ImportPlan, dryRun: boolean): PriceImportView {
  const { models, entries, unmatched } = plan;
  const rounded = new Map(models.map(({ entry, mapped }) => [entry, mapped.rounded]));
  const all = [...rounded].flatMap(([entry, prices]) => prices.map((price) => ({ entry, ...price })));
  const count = (isOne: (one: ModelImport) => boolean) => models.filter(isOne).length;
  return {
    dryRun,
    summary: {
      entries,
      changed: count((one) => isApplied(one) && one.outcome === "changed"),
      adopted: count(({ outcome }) => outcome === "adopted"),
      unchanged: count(({ outcome }) => outcome === "unchanged"),
      unpriced: count(({ outcome }) => outcome === "unpriced"),
      readOnly: count((one) => one.outcome === "changed" && !isApplied(one)),
      unmatched: unmatched.length,
      rounded: all.length,
    },
    models: models.map(modelView),
    unmatched: [...unmatched],
    rounded: all,
  };
}

function modelView({ model, entry, outcome, changes, mapped }: ModelImport): PriceImportView["models"][number] {
  const { id, group, provider, source, deployment } = model;
  return {
    id,
    name: group,
    provider,
    inferenceModelId: deployment ? writtenModel(deployment) : "",
    source,
    readOnly: source !== "database",
    entry,
    outcome,
    changes: changes.map(({ component, field, from, to, listed }) => ({
      component,
      field,
      from: from === null ? null : usdText(from),
      to: to === null ? null : usdText(to),
      fromPrice: from === null ? null : Number(from),
      toPrice: to === null ? null : Number(to),
      listed,
    })),
    ignored: [...mapped.ignored],
  };
}
