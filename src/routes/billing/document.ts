import Type from "typebox";
import { page } from "../../http/reply.ts";
import { csvLine } from "../../lib/csv.ts";
import { escapeHtml } from "../../lib/html.ts";
import { toPdf } from "./document-pdf.ts";
import { type Cell, isFigure, type PaperDocument, type PaperTable } from "./paper-document.ts";

const FORMATS = ["html", "pdf", "csv", "json"] as const;
export const FormatQuery = Type.Object({
  format: Type.Optional(Type.Enum(FORMATS, { description: "`json` unless told." })),
});
type DocumentFormat = (typeof FORMATS)[number];

export function reply(document: PaperDocument, format: DocumentFormat): Response {
  if (format === "html") return page(toHtml(document));
  if (format === "json") return Response.json(document.json);
  const [type, content] =
    format === "pdf"
      ? ["application/pdf", toPdf(document)]
      : ["text/csv; charset=utf-8", document.csv.map(csvLine).join("")];
  return new Response(content, {
    headers: {
      "content-type": type,
      "content-disposition": `attachment; filename="${document.fileName}.${format}"`,
      "x-content-type-options": "nosniff",
    },
  });
}

const toHtml = ({ seller, title, facts, tables }: PaperDocument): string => `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escapeHtml(title)}</title>
<style>
body { font: 14px/1.5 system-ui, sans-serif; max-width: 50rem; margin: 2rem auto; padding: 0 1rem; color: #1c1c1c; }
table { border-collapse: collapse; width: 100%; margin-bottom: 2rem; }
th, td { border-bottom: 1px solid #ddd; padding: .3rem .5rem; text-align: left; vertical-align: top; }
th.number, td.number { text-align: right; font-variant-numeric: tabular-nums; }
tfoot td { font-weight: bold; }
address { font-style: normal; }
@media print { body { margin: 0; } }
</style>
</head>
<body>
${seller.length > 0 ? `<address>${seller.map(escapeHtml).join("<br>\n")}</address>` : ""}
<h1>${escapeHtml(title)}</h1>
<table>
${facts.map(([name, value]) => `<tr><th scope="row">${escapeHtml(name)}</th><td>${escapeHtml(value)}</td></tr>`).join("\n")}
</table>
${tables.map(toTable).join("\n")}
</body>
</html>
`;

function toTable({ title, columns, rows, total }: PaperTable): string {
  const toRow = (row: readonly Cell[], tag: string, end: string): string => {
    const cells = columns.map(({ kind }, at) => {
      const side = isFigure(kind) ? ' class="number"' : "";
      return `<${tag}${side}>${escapeHtml(String(row[at] ?? ""))}</${end}>`;
    });
    return `<tr>${cells.join("")}</tr>`;
  };
  const names = columns.map(({ name }) => name);
  return `<h2>${escapeHtml(title)}</h2>
<table>
<thead>${toRow(names, 'th scope="col"', "th")}</thead>
<tbody>
${rows.map((row) => toRow(row, "td", "td")).join("\n")}
</tbody>
${total ? `<tfoot>${toRow(total, "td", "td")}</tfoot>` : ""}
</table>`;
}
