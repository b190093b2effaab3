/** What a spreadsheet would take for a formula, also behind spaces and, where people write so, in full width. */
const FORMULA = /^\s*[=+\-@|%＝＋－＠]|^[\t\r\n]/;
/** Of one separator or another: a spreadsheet may take a semicolon or a tab for one. */
const NEEDS_QUOTES = /[",;\t\r\n]/;

/** A line of CSV as RFC 4180 has it. Text that a spreadsheet would run is made plain text by a quotation mark before it. */
export const csvLine = (cells: readonly CsvCell[]): string => `${cells.map(cellOf).join(",")}\r\n`;

export type CsvCell = string | number | null | ExactNumber;

/** Digits that stay what they are, such as an amount that no float holds. */
export interface ExactNumber {
  readonly digits: string;
}

function cellOf(value: CsvCell): string {
  if (value === null) return "";
  if (typeof value === "object") return value.digits;
  if (typeof value === "number") return String(value);
  if (FORMULA.test(value)) return quoted(`'${value}`);
  return NEEDS_QUOTES.test(value) ? quoted(value) : value;
}

const quoted = (text: string): string => `"${text.replaceAll('"', '""')}"`;
