import Type, { type Static } from "typebox";
import { nullable } from "./schema.ts";
import { Instant } from "./users.ts";

/** The public map has 3 MB, and grows by a fifth as text within JSON. */
export const PRICE_FILE_BYTES_MAX = 8 * 1024 * 1024;

export const ImportPricesBody = Type.Object(
  {
    prices: Type.Union(
      [Type.Record(Type.String(), Type.Unknown()), Type.String({ minLength: 1, maxLength: PRICE_FILE_BYTES_MAX })],
      {
        description:
          "Prices by the names of models, as LiteLLM's `model_prices_and_context_window.json` has them: the object itself, or " +
          "the file's text. USD per unit; numbers are read as they are written, never through a binary fraction.",
      },
    ),
    dryRun: nullable(Type.Boolean({ description: "True unless told: only tells what would change." })),
    dry_run: nullable(Type.Boolean({ description: "The same as `dryRun`." })),
  },
  {
    examples: [
      {
        prices: { "gpt-4o": { litellm_provider: "openai", input_cost_per_token: 2.5e-6, output_cost_per_token: 1e-5 } },
        dryRun: true,
      },
    ],
  },
);

const UsdText = Type.Union([Type.String(), Type.Null()], {
  description:
    "USD per unit, in decimals. Null: no price of its own; it costs what it is a kind of, or nothing is known.",
});
const Nano = Type.Union([Type.Integer(), Type.Null()], { description: "The same in nano-USD per million." });

const PriceChangeView = Type.Object({
  component: Type.String({ description: "What the price is for, such as `input` or `cache_read`." }),
  field: Type.String({ description: "Its name in the configuration file." }),
  from: UsdText,
  to: UsdText,
  fromPrice: Nano,
  toPrice: Nano,
  listed: Type.Boolean({
    description: "It cost that by the model table, or as the free offline model that it is: not by a price of its own.",
  }),
});

const ImportedModel = Type.Object({
  id: Type.String(),
  name: Type.String(),
  provider: Type.String(),
  inferenceModelId: Type.String(),
  source: Type.Enum(["configuration", "built-in", "database"]),
  readOnly: Type.Boolean({ description: "It is not kept in the database, and not changed." }),
  entry: Type.String({ description: "The name in the map." }),
  outcome: Type.Enum(["changed", "adopted", "unchanged", "unpriced"], {
    description:
      "`adopted`: it costs what it did by the model table, and has it as its own price now. `unpriced`: the map has no price " +
      "for it that calls are charged by.",
  }),
  changes: Type.Array(PriceChangeView),
  ignored: Type.Array(Type.String(), { description: "Prices of the entry that nothing is charged by here." }),
});

const RoundedPriceView = Type.Object({
  entry: Type.String(),
  field: Type.String(),
  value: Type.String({ description: "As it stands in the map." }),
  rounded: Type.String({ description: "To whole femto-USD (10^-15 USD), half to even." }),
});

export const PriceImportView = Type.Object({
  dryRun: Type.Boolean(),
  summary: Type.Object({
    entries: Type.Integer({ description: "Names in the map." }),
    changed: Type.Integer({ description: "Models of the database whose price changes, or did." }),
    adopted: Type.Integer(),
    unchanged: Type.Integer(),
    unpriced: Type.Integer(),
    readOnly: Type.Integer({
      description: "Models elsewhere whose price differs: they are changed where they are kept.",
    }),
    unmatched: Type.Integer(),
    rounded: Type.Integer(),
  }),
  models: Type.Array(ImportedModel, { description: "Every model that the map has an entry for." }),
  unmatched: Type.Array(Type.String(), { description: "Names of the map that no model was found for." }),
  rounded: Type.Array(RoundedPriceView),
});
export type PriceImportView = Static<typeof PriceImportView>;

export const LoadTableBody = Type.Object({
  table: Type.Union(
    [Type.Record(Type.String(), Type.Unknown()), Type.String({ minLength: 1, maxLength: PRICE_FILE_BYTES_MAX })],
    { description: "The content of a `model-table.json`, as an object or as text." },
  ),
  dryRun: nullable(Type.Boolean({ description: "Only show what the table would change (default true)." })),
  allowFree: nullable(
    Type.Boolean({
      description: "Accept that models with a price become free (default false: such a table is refused).",
    }),
  ),
});

/** The date and the origin of the table in use. */
export const FactsSource = Type.Object({
  date: Type.String({ description: "The day of the last change of the table." }),
  origin: Type.Enum(["built-in", "loaded"], { description: "`loaded`: an operator loaded it at run time." }),
});

/** The table in use. */
export const ModelTableView = Type.Object({
  ...FactsSource.properties,
  loadedAt: Type.Union([Instant, Type.Null()]),
  models: Type.Integer({ description: "Models in the table." }),
  sources: Type.Record(Type.String(), Type.String(), { description: "Versions of the packages it was made of." }),
});
export type ModelTableView = Static<typeof ModelTableView>;

const TableUsd = Type.Union([Type.String(), Type.Null()], { description: "USD per unit; null: no known price." });
const FactValue = Type.Union([Type.Boolean(), Type.Number(), Type.Null()]);

const TableModelChange = Type.Object({
  id: Type.String(),
  name: Type.String(),
  provider: Type.String(),
  inferenceModelId: Type.String(),
  outcome: Type.Enum(["free", "unpriced", "priced", "repriced", "facts"], {
    description:
      "`free`: the model would cost nothing. `unpriced`: it would have no known price, and calls with keys would be " +
      "refused. `priced`: it had no known price. `repriced`: its price changes. `facts`: only limits or capabilities.",
  }),
  prices: Type.Array(
    Type.Object({
      component: Type.String(),
      field: Type.String(),
      from: TableUsd,
      to: TableUsd,
      fromPrice: Nano,
      toPrice: Nano,
    }),
  ),
  facts: Type.Array(Type.Object({ fact: Type.String(), from: FactValue, to: FactValue })),
});

export const TableLoadView = Type.Object({
  dryRun: Type.Boolean(),
  from: Type.String({ description: "The date of the table in use." }),
  to: Type.String({ description: "The date of the table that was sent." }),
  summary: Type.Object({
    entries: Type.Integer({ description: "Models in the table that was sent." }),
    added: Type.Integer({ description: "Names that the table in use does not have." }),
    removed: Type.Integer({ description: "Names that only the table in use has." }),
    free: Type.Integer({ description: "Models of this server, by outcome." }),
    unpriced: Type.Integer(),
    priced: Type.Integer(),
    repriced: Type.Integer(),
    facts: Type.Integer(),
  }),
  models: Type.Array(TableModelChange, {
    description: "Models of this server that change. A price that the configuration states is not affected.",
  }),
  becomeFree: Type.Array(Type.String(), { description: "Names of the table that have a price and would be free." }),
});
export type TableLoadView = Static<typeof TableLoadView>;
