import { isRecord } from "../lib/json.ts";
import { mergePrices } from "./own-prices.ts";
import type { Prices } from "./price.ts";
import { isActive, type PriceChange, readPriceChanges, readTablePrices } from "./table-prices.ts";

/** What a model can do, by the words of the table. */
export const CAPABILITIES = [
  "vision",
  "tools",
  "parallel_tools",
  "reasoning",
  "schema",
  "pdf",
  "audio_input",
  "audio_output",
  "caching",
  "web_search",
  "url_context",
] as const;
export type Capability = (typeof CAPABILITIES)[number];

/** The facts of one model. A fact that is not known is null; a capability that is not known is in neither set. */
export interface TableModel {
  readonly context: number | null;
  readonly output: number | null;
  readonly can: ReadonlySet<string>;
  readonly cannot: ReadonlySet<string>;
  /** Null: not known. Zero only for models that the table marks as free. */
  readonly prices: Prices | null;
  /** Prices of certain dates and hours. */
  readonly changes: readonly PriceChange[];
}

/** A fault of a table, with the name of its model. */
export class TableError extends Error {
  override readonly name = "TableError";

  constructor(readonly faults: readonly string[]) {
    super(faults.join("\n"));
  }
}

type Entry = Readonly<Record<string, unknown>>;

const MODELS_MAX = 20_000;
const NAME_CHARS_MAX = 256;
const FAULTS_MAX = 50;
/** No model has a longer context. */
const TOKENS_MAX = 1_000_000_000;

/** Providers whose models are listed under another id, in the order of search. */
const LISTED_UNDER: Readonly<Record<string, readonly string[]>> = {
  anthropic_text: ["anthropic"],
  azure_ai: ["azure_ai", "azure"],
  azure_text: ["azure_text", "azure"],
  codestral: ["codestral", "mistral"],
  cohere_chat: ["cohere"],
  "text-completion-codestral": ["text-completion-codestral", "codestral", "mistral"],
  "text-completion-openai": ["text-completion-openai", "openai"],
  vertex_ai_beta: ["vertex_ai"],
};

/** The date at the end of a model's name: `-2024-08-06`, `-20250929` or `@20250929`. */
const SNAPSHOT_DATE = /[-@](?:20\d\d-\d\d-\d\d|20\d{6})$/;

/** The table of capabilities, context windows and prices: one entry for each `provider/model`. */
export class ModelTable {
  private readonly read = new Map<string, TableModel>();

  private constructor(
    /** The day of the last change of the table. */
    readonly date: string,
    /** The versions of the packages that the table was made of. */
    readonly sources: Readonly<Record<string, string>>,
    private readonly entries: ReadonlyMap<string, Entry>,
  ) {}

  /** Reads the text of a table whose entries were checked when it was made. */
  static open(text: string): ModelTable {
    return tableOf(JSON.parse(text), (date, sources, models) => new ModelTable(date, sources, models));
  }

  /** Reads a table from outside. Throws `TableError` with every fault. */
  static parse(text: string): ModelTable {
    const table = ModelTable.open(jsonOrFault(text));
    const faults: string[] = [];
    for (const [name, entry] of table.entries) {
      if (faults.length >= FAULTS_MAX) break;
      faults.push(...faultsOf(name, entry));
    }
    if (faults.length > 0) throw new TableError(faults.slice(0, FAULTS_MAX));
    return table;
  }

  get size(): number {
    return this.entries.size;
  }

  /** Names of all models, as `provider/model`. */
  get allNames(): readonly string[] {
    return [...this.entries.keys()];
  }

  /** The facts of a model, or of the model that its name is a dated or fine-tuned form of. */
  find(provider: string, model: string): TableModel | null {
    for (const listed of Object.hasOwn(LISTED_UNDER, provider) ? (LISTED_UNDER[provider] ?? []) : [provider]) {
      for (const name of namesOf(model)) {
        const found = this.get(`${listed}/${name}`);
        if (found) return found;
      }
    }
    return null;
  }

  /** Names of a provider's models, sorted. */
  names(provider: string): string[] {
    const prefix = `${provider}/`;
    const names = [...this.entries.keys()].filter((name) => name.startsWith(prefix));
    return names.map((name) => name.slice(prefix.length)).sort();
  }

  private get(name: string): TableModel | null {
    const known = this.read.get(name);
    if (known) return known;
    const entry = this.entries.get(name);
    if (!entry) return null;
    const model = readModel(entry);
    this.read.set(name, model);
    return model;
  }
}

const atTimes = new WeakMap<TableModel, Map<string, Prices>>();

/** The prices of a model at a time. The same object for as long as no price changes. */
export function pricesAt(model: TableModel, atMs: number): Prices | null {
  const active = model.changes.filter((change) => isActive(change, atMs));
  if (active.length === 0 || model.prices === null) return model.prices;
  const key = active.map((change) => model.changes.indexOf(change)).join();
  const known = atTimes.get(model) ?? new Map<string, Prices>();
  const prices =
    known.get(key) ?? active.reduce((before, change) => mergePrices(before, change.prices) ?? before, model.prices);
  atTimes.set(model, known.set(key, prices));
  return prices;
}

/** The name itself; without its date; and the base of a fine-tuned model, `ft:base:organization::id`. */
function namesOf(model: string): string[] {
  const [prefix, base] = model.split(":");
  const names = prefix === "ft" && base !== undefined ? [model, `ft:${base}`] : [model];
  return [...new Set(names.flatMap((name) => [name, name.replace(SNAPSHOT_DATE, "")]))];
}

type Maker<T> = (date: string, sources: Readonly<Record<string, string>>, models: ReadonlyMap<string, Entry>) => T;

function tableOf<T>(given: unknown, make: Maker<T>): T {
  if (!isRecord(given) || !isRecord(given.models)) {
    throw new TableError(["The file is not a model table. A table has the fields `date`, `sources` and `models`."]);
  }
  const { date, sources, models } = given;
  const day = typeof date === "string" && /^20\d\d-\d\d-\d\d$/.test(date) ? new Date(`${date}T00:00:00Z`) : null;
  if (!day || Number.isNaN(day.getTime())) throw new TableError(["`date` must be a day such as 2026-11-19."]);
  const names = Object.keys(models);
  if (names.length === 0) throw new TableError(["`models` has no entries."]);
  if (names.length > MODELS_MAX) throw new TableError([`\`models\` has more than ${MODELS_MAX} entries.`]);
  const versions = Object.entries(isRecord(sources) ? sources : {}).slice(0, 20);
  const texts = versions.map(([name, version]) => [name, String(version).slice(0, 40)]);
  return make(String(date), Object.fromEntries(texts), new Map(Object.entries(models)) as ReadonlyMap<string, Entry>);
}

function jsonOrFault(text: string): string {
  try {
    JSON.parse(text);
    return text;
  } catch {
    throw new TableError(["The file is not JSON."]);
  }
}

const FIELDS: ReadonlySet<string> = new Set(["context", "output", "can", "cannot", "free", "prices", "changes"]);

function faultsOf(name: string, entry: unknown): string[] {
  const shown = JSON.stringify(name.slice(0, 80));
  if (name.length > NAME_CHARS_MAX || !/^[^/]+\/./.test(name)) return [`${shown}: the name must be \`provider/model\``];
  if (!isRecord(entry)) return [`${shown}: must be an object`];
  const faults: string[] = [];
  for (const field of Object.keys(entry)) {
    if (!FIELDS.has(field)) faults.push(`Unknown field \`${field.slice(0, 40)}\``);
  }
  for (const field of ["context", "output"]) {
    if (entry[field] !== undefined && !isTokens(entry[field])) faults.push(`\`${field}\` must be a number of tokens`);
  }
  for (const field of ["can", "cannot"]) {
    if (entry[field] !== undefined && typeof entry[field] !== "string") faults.push(`\`${field}\` must be words`);
  }
  if (entry.free !== undefined && entry.free !== true) faults.push("`free` must be true if it is stated");
  if (entry.free === true && entry.prices !== undefined) faults.push("a free model must not have prices");
  if (entry.prices !== undefined) readTablePrices(entry.prices, faults);
  if (entry.changes !== undefined) readPriceChanges(entry.changes, faults);
  return faults.map((fault) => `${shown}: ${fault}`);
}

const isTokens = (value: unknown): boolean =>
  typeof value === "number" && Number.isInteger(value) && value > 0 && value <= TOKENS_MAX;

function readModel(entry: Entry): TableModel {
  return {
    context: isTokens(entry.context) ? Number(entry.context) : null,
    output: isTokens(entry.output) ? Number(entry.output) : null,
    can: wordsOf(entry.can),
    cannot: wordsOf(entry.cannot),
    prices: entry.free === true ? FREE : readTablePrices(entry.prices, []),
    changes: readPriceChanges(entry.changes, []),
  };
}

const wordsOf = (text: unknown): ReadonlySet<string> => new Set(typeof text === "string" ? text.split(" ") : []);

const FREE: Prices = { input: { base: 0n, tiers: [] }, output: { base: 0n, tiers: [] } };
