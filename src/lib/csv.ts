/** What a spreadsheet would take for a formula, also behind spaces. */
const FORMULA = /^\s*[=+\-@]|^[\t\r\n]/;
const NEEDS_QUOTES = /[",\r\n]/;

/** A line of CSV as RFC 4180 has it. Text that a spreadsheet would run is made plain text by a quotation mark before it. */
export const csvLine = (cells: readonly (string | number | null)[]): string => `${cells.map(cellOf).join(",")}\r\n`;

function cellOf(value: string | number | null): string {
  if (value === null) return "";
  if (typeof value === "number") return String(value);
  const plain = FORMULA.test(value) ? `'${value}` : value;
  return NEEDS_QUOTES.test(plain) ? `"${plain.replaceAll('"', '""')}"` : plain;
}
