import { once } from "node:events";
import { type CsvCell, csvLine } from "../lib/csv.ts";
import type { Page } from "./api.ts";
import type { CliError } from "./cli-error.ts";
import { inFlags } from "./in-flags.ts";

export const FORMATS = ["table", "json", "jsonl", "csv"] as const;
type Format = (typeof FORMATS)[number];

export interface OutputFlags {
  readonly output?: Format;
  readonly json?: boolean;
  readonly quiet?: boolean;
  readonly debug?: boolean;
}

type Cell = string | number | null;

/** A heading and how a row fills it. */
export type Columns<T> = Readonly<Record<string, (row: T) => Cell>>;

/** Data goes to stdout, everything else to stderr. Tables and colours are for terminals only. */
export class Output {
  /** Without a terminal and a wish it is tabs between the fields, for other programs. */
  readonly format: Format | "tabs";
  readonly quiet: boolean;
  private readonly debugging: boolean;
  /** Whether the list has pages after the one that was shown. */
  private goesOn = false;
  /** The rows of the page before, as JSON; null before the first one. */
  private before: ReadonlySet<string> | null = null;

  constructor(flags: OutputFlags) {
    this.format = flags.output ?? (flags.json ? "json" : process.stdout.isTTY ? "table" : "tabs");
    this.quiet = flags.quiet === true;
    this.debugging = flags.debug === true;
  }

  /** Whether programs want answers as the server gives them, and errors alike. */
  get json(): boolean {
    return this.format === "json" || this.format === "jsonl";
  }

  /** Whether lists are for a person to read. */
  get isTable(): boolean {
    return this.format === "table" && !this.quiet;
  }

  /** Whether ids or one value are all that is wanted; a format that was asked for is kept to. */
  get isBare(): boolean {
    return this.quiet && (this.format === "table" || this.format === "tabs");
  }

  /** Whether a list is wanted from its beginning to its end, and there is more of it. */
  get wantsNextPage(): boolean {
    return this.goesOn && (this.format === "jsonl" || this.format === "csv");
  }

  /** One page, in the format that is wanted. */
  list<T extends { readonly id: unknown }>(page: Page<T>, columns: Columns<T>): void {
    const { page: number, totalPages, total } = page.meta;
    this.goesOn = number < totalPages;
    if (this.format === "json") {
      this.data(JSON.stringify(page));
      return;
    }
    if (this.format === "jsonl" || this.format === "csv") {
      this.rows(page.data, columns);
      return;
    }
    const rows = page.data.map((row) => this.cellsOf(row, columns));
    if (this.isTable) this.table(Object.keys(columns), rows);
    else for (const row of rows) this.data(row.join("\t"));
    if (this.goesOn) this.note(`Page ${number} of ${totalPages}, ${total} in all; --page ${number + 1} goes on.`);
  }

  /** All that there is, where it comes in one piece. */
  listAll<T extends { readonly id: unknown }>(data: readonly T[], columns: Columns<T>): void {
    const total = data.length;
    this.list({ data, meta: { page: 1, pageSize: total, total, totalPages: 1 } }, columns);
  }

  /** Rows as they come in, below those that came before. */
  stream<T extends { readonly id: unknown }>(rows: readonly T[], columns: Columns<T>): void {
    if (this.json) for (const row of rows) this.data(JSON.stringify(row));
    else if (this.format === "csv") this.rows(rows, columns);
    else for (const row of rows) this.data(this.cellsOf(row, columns).join("\t"));
  }

  /** One thing: the API's own shape, one value, or a line for each field. */
  record(whole: object, fields: Readonly<Record<string, Cell>>, quietly: string | number): void {
    if (this.json) this.data(JSON.stringify(whole));
    else if (this.format === "csv") this.csv([Object.keys(fields), Object.values(fields)]);
    else if (this.isBare) this.data(clean(String(quietly)));
    else this.fields(fields);
  }

  /** What a command did, for people; with --json the answer that says so. */
  done(whole: object, sentence: string): void {
    if (this.json) this.data(JSON.stringify(whole));
    else this.note(sentence);
  }

  data(line: string): void {
    process.stdout.write(`${line}\n`);
  }

  /** A line that others had a part in. */
  line(text: string, isLoud = false): void {
    this.data(isLoud ? bold(clean(text), process.stdout) : clean(text));
  }

  note(line: string): void {
    if (!this.quiet && !this.json) process.stderr.write(`${clean(line)}\n`);
  }

  /** What a person has to know for the command to go on; shown whatever the flags say. */
  tell(line: string): void {
    process.stderr.write(`${clean(line)}\n`);
  }

  debug(line: string): void {
    if (this.debugging) process.stderr.write(`${clean(line)}\n`);
  }

  error(error: CliError): void {
    const { message, code, requestId, hint } = error;
    if (this.json) {
      process.stderr.write(`${JSON.stringify({ error: message, code, requestId })}\n`);
      return;
    }
    process.stderr.write(`${bold("turnpike:", process.stderr)} ${clean(inFlags(message))}\n`);
    if (hint !== null) process.stderr.write(`${clean(hint)}\n`);
    if (requestId !== null && this.debugging) process.stderr.write(`Request ${clean(requestId)}\n`);
  }

  /** Waits for whoever reads us: a list may be larger than memory. */
  async drained(): Promise<void> {
    if (process.stdout.writableNeedDrain) await once(process.stdout, "drain");
  }

  private cellsOf<T extends { readonly id: unknown }>(row: T, columns: Columns<T>): readonly string[] {
    const shown = this.isBare ? [() => String(row.id)] : Object.values(columns);
    return shown.map((fill) => clean(String(fill(row) ?? "-")));
  }

  /** Rows that come in while a list is read move others on to the next page; those are not told twice. */
  private rows<T>(data: readonly T[], columns: Columns<T>): void {
    const rows = data.map((row) => ({ row, text: JSON.stringify(row) }));
    const fresh = rows.filter(({ text }) => !this.before?.has(text));
    if (this.format === "jsonl") for (const { text } of fresh) this.data(text);
    else {
      if (this.before === null) this.csv([Object.keys(columns)]);
      this.csv(fresh.map(({ row }) => Object.values(columns).map((fill) => fill(row))));
    }
    this.before = new Set(rows.map(({ text }) => text));
  }

  private fields(fields: Readonly<Record<string, Cell>>): void {
    const width = Math.max(...Object.keys(fields).map((name) => name.length)) + 2;
    for (const [name, value] of Object.entries(fields)) {
      this.data(bold(name.padEnd(width), process.stdout) + clean(String(value ?? "-")));
    }
  }

  private csv(lines: readonly (readonly Cell[])[]): void {
    for (const cells of lines) process.stdout.write(csvLine(cells.map(csvCell)));
  }

  private table(headings: readonly string[], rows: readonly (readonly string[])[]): void {
    if (rows.length === 0) {
      this.note("Nothing yet.");
      return;
    }
    const widths = headings.map((heading, at) =>
      rows.reduce((most, row) => Math.max(most, width(row[at] ?? "")), width(heading)),
    );
    const isNumber = headings.map((_, at) => rows.some((row) => AMOUNT.test(row[at] ?? "")));
    const padded = (cell: string, at: number): string => {
      const blank = " ".repeat((widths[at] ?? 0) - width(cell));
      return isNumber[at] ? blank + cell : cell + blank;
    };
    const folds = foldColumns(widths, process.stdout.columns || Number.POSITIVE_INFINITY);
    const line = (cells: readonly string[]): string =>
      folds
        .map((fold, nth) => (nth === 0 ? "" : INDENT) + fold.map((at) => padded(cells[at] ?? "", at)).join(GAP))
        .map((text) => text.trimEnd())
        .join("\n");
    this.data(bold(line(headings), process.stdout));
    for (const row of rows) this.data(line(row));
  }
}

/** What stands on the right: numbers and money, and the dash where there is none. */
const AMOUNT = /^-?\$?\d+(\.\d+)?$/;
const GAP = "  ";
const INDENT = "    ";

/** Which columns stand on which line of a row: one that has no room any more begins a line, so that nothing is cut. */
function foldColumns(widths: readonly number[], room: number): readonly (readonly number[])[] {
  const folds: number[][] = [[]];
  let used = 0;
  for (const [at, wide] of widths.entries()) {
    const fold = folds.at(-1) ?? [];
    if (fold.length === 0 || used + GAP.length + wide <= room) {
      used += (fold.length === 0 ? 0 : GAP.length) + wide;
      fold.push(at);
    } else {
      folds.push([at]);
      used = INDENT.length + wide;
    }
  }
  return folds;
}

/** Spreadsheets count with amounts, which are USD; the sign would make texts of them. */
function csvCell(cell: Cell): CsvCell {
  if (typeof cell !== "string") return cell;
  return AMOUNT.test(cell) ? { digits: cell.replace("$", "") } : clean(cell);
}

const width = (text: string): number => Bun.stringWidth(text);

/** Names come from other people: what steers a terminal is taken out of them. */
export const clean = (text: string): string => text.replace(/[\p{Cc}\u202a-\u202e\u2066-\u2069]/gu, " ");

const bold = (text: string, stream: { readonly isTTY?: boolean }): string =>
  stream.isTTY && !process.env.NO_COLOR && process.env.TERM !== "dumb" ? `\u001b[1m${text}\u001b[22m` : text;
