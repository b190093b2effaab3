import type { Page } from "./api.ts";
import type { CliError } from "./cli-error.ts";
import { inFlags } from "./in-flags.ts";

export interface OutputFlags {
  readonly json?: boolean;
  readonly quiet?: boolean;
  readonly debug?: boolean;
}

/** A heading and how a row fills it. */
export type Columns<T> = Readonly<Record<string, (row: T) => string | number | null>>;

/** Data goes to stdout, everything else to stderr. Tables and colours are for terminals only. */
export class Output {
  readonly json: boolean;
  readonly quiet: boolean;
  private readonly debugging: boolean;

  constructor(flags: OutputFlags) {
    this.json = flags.json === true;
    this.quiet = flags.quiet === true;
    this.debugging = flags.debug === true;
  }

  /** Whether lists are for a person to read. */
  get isTable(): boolean {
    return process.stdout.isTTY === true && !this.quiet && !this.json;
  }

  /** One page: the API's own shape, only the ids, a table, or tabs between the fields for other programs. */
  list<T extends { readonly id: unknown }>(page: Page<T>, columns: Columns<T>): void {
    if (this.json) {
      this.data(JSON.stringify(page));
      return;
    }
    const shown = this.quiet ? [(row: T) => String(row.id)] : Object.values(columns);
    const rows = page.data.map((row) => shown.map((fill) => clean(String(fill(row) ?? "-"))));
    if (this.isTable) this.table(Object.keys(columns), rows);
    else for (const row of rows) this.data(row.join("\t"));
    const { page: number, totalPages, total } = page.meta;
    if (number < totalPages)
      this.note(`Page ${number} of ${totalPages}, ${total} in all; --page ${number + 1} goes on.`);
  }

  /** One thing: the API's own shape, one value, or a line for each field. */
  record(whole: object, fields: Readonly<Record<string, string | number | null>>, quietly: string | number): void {
    if (this.json || this.quiet) {
      this.data(this.json ? JSON.stringify(whole) : clean(String(quietly)));
      return;
    }
    const width = Math.max(...Object.keys(fields).map((name) => name.length)) + 2;
    for (const [name, value] of Object.entries(fields)) {
      this.data(bold(name.padEnd(width), process.stdout) + clean(String(value ?? "-")));
    }
  }

  /** What a command did, for people; with --json the answer that says so. */
  done(whole: object, sentence: string): void {
    if (this.json) this.data(JSON.stringify(whole));
    else this.note(sentence);
  }

  data(line: string): void {
    process.stdout.write(`${line}\n`);
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

  private table(headings: readonly string[], rows: readonly (readonly string[])[]): void {
    if (rows.length === 0) {
      this.note("Nothing yet.");
      return;
    }
    const widths = headings.map((heading, at) =>
      Math.max(...[heading, ...rows.map((row) => row[at] ?? "")].map(width)),
    );
    const isNumber = headings.map((_, at) => rows.some((row) => AMOUNT.test(row[at] ?? "")));
    const line = (cells: readonly string[]) =>
      cells
        .map((cell, at) => {
          const blank = " ".repeat((widths[at] ?? 0) - width(cell));
          return isNumber[at] ? blank + cell : cell + blank;
        })
        .join("  ")
        .trimEnd();
    this.data(bold(line(headings), process.stdout));
    for (const row of rows) this.data(line(row));
  }
}

/** What stands on the right: numbers and money, and the dash where there is none. */
const AMOUNT = /^-?\$?\d+(\.\d+)?$/;

const width = (text: string): number => Bun.stringWidth(text);

/** Names come from other people: what steers a terminal is taken out of them. */
export const clean = (text: string): string => text.replace(/[\p{Cc}\u202a-\u202e\u2066-\u2069]/gu, " ");

const bold = (text: string, stream: { readonly isTTY?: boolean }): string =>
  stream.isTTY && !process.env.NO_COLOR && process.env.TERM !== "dumb" ? `\u001b[1m${text}\u001b[22m` : text;
