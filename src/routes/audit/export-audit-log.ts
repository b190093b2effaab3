import Type from "typebox";
import type { AuditLog } from "../../accounts/audit-log.ts";
import type { AuditEntry } from "../../accounts/records.ts";
import { route } from "../../http/route.ts";
import { csvLine } from "../../lib/csv.ts";
import { AuditRecord, auditRecord, OperatorAuditQuery, readAuditFilter } from "./audit-record.ts";

const COLUMNS = Object.keys(AuditRecord.properties);

interface Format {
  readonly type: string;
  readonly head: string;
  readonly line: (entry: AuditEntry) => string;
}

const FORMATS: Readonly<Record<"csv" | "jsonl", Format>> = {
  csv: {
    type: "text/csv; charset=utf-8; header=present",
    head: csvLine(COLUMNS),
    line: (entry) => {
      const { details, ...plain } = auditRecord(entry);
      const cells: Readonly<Record<string, string | number | null>> = { ...plain, details: JSON.stringify(details) };
      return csvLine(COLUMNS.map((column) => cells[column] ?? null));
    },
  },
  jsonl: {
    type: "application/jsonl; charset=utf-8",
    head: "",
    line: (entry) => `${JSON.stringify(auditRecord(entry))}\n`,
  },
};

export const exportAuditLog = (log: AuditLog) =>
  route({
    method: "GET",
    paths: ["/api/admin/audit-logs/export"],
    tag: "Administration",
    summary: "Export who changed what",
    description: "Everything that the filter lets through, the newest first: CSV, or one JSON object a line.",
    auth: "admin",
    query: Type.Object({
      ...OperatorAuditQuery.properties,
      format: Type.Optional(Type.Enum(["csv", "jsonl"])),
    }),
    success: "text/csv",
    errors: ["invalid_request"],
    handle({ query, connection }) {
      const format = query.format ?? "csv";
      const { type } = FORMATS[format];
      connection.keepOpen();
      return new Response(stream(log.entries(readAuditFilter(query)), FORMATS[format]), {
        headers: {
          "content-type": type,
          "content-disposition": `attachment; filename="audit-log.${format}"`,
          "x-content-type-options": "nosniff",
        },
      });
    },
  });

/** Reads on only when the client has taken what was read. */
function stream(
  batches: AsyncGenerator<readonly AuditEntry[]>,
  { head, line }: Format,
): ReadableStream<Uint8Array<ArrayBuffer>> {
  const encoder = new TextEncoder();
  let begun = false;
  return new ReadableStream<Uint8Array<ArrayBuffer>>(
    {
      async pull(controller) {
        const { value, done } = await batches.next();
        const text = (begun ? "" : head) + (value ?? []).map(line).join("");
        begun = true;
        if (text !== "") controller.enqueue(encoder.encode(text));
        if (done) controller.close();
      },
      async cancel() {
        await batches.return(undefined);
      },
    },
    { highWaterMark: 0 },
  );
}
