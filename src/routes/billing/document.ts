import Type from "typebox";
import { page } from "../../http/reply.ts";
import { type CsvCell, csvLine } from "../../lib/csv.ts";
import { escapeHtml } from "../../lib/html.ts";

export const FormatQuery = Type.Object({
  format: Type.Optional(Type.Enum(["html", "csv", "json"], { description: "`json` unless told." })),
});
export type DocumentFormat = "html" | "csv" | "json";

type Cell = string | number;

/** Something to file away: a title, facts by name, and tables. */
export interface PaperDocument {
  readonly title: string;
  readonly fileName: string;
  readonly facts: readonly (readonly [string, string])[];
  readonly tables: readonly {
    readonly title: string;
    readonly columns: readonly string[];
    readonly rows: readonly (readonly Cell[])[];
  }[];
  /** The rows of the spreadsheet, headings first. */
  readonly csv: readonly (readonly CsvCell[])[];
  readonly json: unknown;
}

export function reply(document: PaperDocument, format: DocumentFormat): Response {
  if (format === "html") return page(toHtml(document));
  if (format === "json") return Response.json(document.json);
  return new Response(document.csv.map(csvLine).join(""), {
    headers: {
      "content-type": "text/csv; charset=utf-8",
      "content-disposition": `attachment; filename="${document.fileName}.csv"`,
      "x-content-type-options": "nosniff",
    },
  });
}

const toHtml = ({ title, facts, tables }: PaperDocument): string => `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escapeHtml(title)}</title>
<style>
body { font: 14px/1.5 system-ui, sans-serif; max-width: 50rem; margin: 2rem auto; padding: 0 1rem; color: #1c1c1c; }
table { border-collapse: collapse; width: 100%; margin-bottom: 2rem; }
th, td { border-bottom: 1px solid #ddd; padding: .3rem .5rem; text-align: left; vertical-align: top; }
td.number { text-align: right; font-variant-numeric: tabular-nums; }
@media print { body { margin: 0; } }
</style>
</head>
<body>
<h1>${escapeHtml(title)}</h1>
<table>
${facts.map(([name, value]) => `<tr><th scope="row">${escapeHtml(name)}</th><td>${escapeHtml(value)}</td></tr>`).join("\n")}
</table>
${tables.map(toTable).join("\n")}
</body>
</html>
`;

const toTable = ({ title, columns, rows }: PaperDocument["tables"][number]): string => `<h2>${escapeHtml(title)}</h2>
<table>
<thead><tr>${columns.map((name) => `<th scope="col">${escapeHtml(name)}</th>`).join("")}</tr></thead>
<tbody>
${rows.map((row) => `<tr>${row.map(toCell).join("")}</tr>`).join("\n")}
</tbody>
</table>`;

const toCell = (cell: Cell): string => {
  const text = String(cell);
  return /^-?[0-9.]+$/.test(text) ? `<td class="number">${escapeHtml(text)}</td>` : `<td>${escapeHtml(text)}</td>`;
};
