import Type from "typebox";
import type { AuditLog } from "../../accounts/audit-log.ts";
import type { LoggedEntry } from "../../accounts/records.ts";
import { type Connection, route } from "../../http/route.ts";
import { csvLine } from "../../lib/csv.ts";
import {
  AuditQuery,
  AuditRecord,
  auditRecord,
  OperatorAuditQuery,
  OperatorAuditRecord,
  operatorAuditRecord,
  readAuditFilter,
} from "./audit-record.ts";

type Cell = string | number | null;

/** What of an entry is shown, and in which order. */
interface Shown {
  readonly columns: readonly string[];
  readonly record: (entry: LoggedEntry) => { readonly [column: string]: Cell | object };
}

const TO_OPERATORS: Shown = { columns: Object.keys(OperatorAuditRecord.properties), record: operatorAuditRecord };
const TO_ORGANIZATIONS: Shown = { columns: Object.keys(AuditRecord.properties), record: auditRecord };

interface Format {
  readonly type: string;
  readonly head: (shown: Shown) => string;
  readonly line: (shown: Shown, entry: LoggedEntry) => string;
}

const FORMATS: Readonly<Record<"csv" | "jsonl", Format>> = {
  csv: {
    type: "text/csv; charset=utf-8; header=present",
    head: ({ columns }) => csvLine(columns),
    line({ columns, record }, entry) {
      const values = record(entry);
      return csvLine(columns.map((column) => cellOf(values[column] ?? null)));
    },
  },
  jsonl: {
    type: "application/jsonl; charset=utf-8",
    head: () => "",
    line: ({ record }, entry) => `${JSON.stringify(record(entry))}\n`,
  },
};

const cellOf = (value: Cell | object): Cell =>
  typeof value === "object" && value !== null ? JSON.stringify(value) : value;

const FORMAT = { format: Type.Optional(Type.Enum(["csv", "jsonl"])) };
const DESCRIPTION = "Everything that the filter lets through, the newest first: CSV, or one JSON object a line.";

export const exportAuditLog = (log: AuditLog) =>
  route({
    method: "GET",
    paths: ["/api/admin/audit-logs/export"],
    tag: "Administration",
    summary: "Export who changed what",
    description: DESCRIPTION,
    auth: "admin",
    query: Type.Object({ ...OperatorAuditQuery.properties, ...FORMAT }),
    success: "text/csv",
    otherTypes: ["application/jsonl"],
    errors: ["invalid_request"],
    handle: ({ query, connection }) =>
      download(log.entries(readAuditFilter(query)), TO_OPERATORS, query.format ?? "csv", connection),
  });

export const exportOrganizationAuditLog = (log: AuditLog) =>
  route({
    method: "GET",
    paths: ["/api/gw/organizations/{id}/audit-logs/export"],
    tag: "Organizations",
    summary: "Export who changed what in an organization, as one of its owners or admins",
    description: DESCRIPTION,
    auth: "session",
    scope: "audit:read",
    params: Type.Object({ id: Type.String() }),
    query: Type.Object({ ...AuditQuery.properties, ...FORMAT }),
    success: "text/csv",
    otherTypes: ["application/jsonl"],
    errors: ["invalid_request", "not_found"],
    async handle({ caller, params, query, connection }) {
      const entries = await log.entriesOf(caller, params.id, readAuditFilter(query));
      return download(entries, TO_ORGANIZATIONS, query.format ?? "csv", connection);
    },
  });

function download(
  entries: AsyncGenerator<readonly LoggedEntry[]>,
  shown: Shown,
  format: keyof typeof FORMATS,
  connection: Connection,
): Response {
  connection.keepOpen();
  return new Response(stream(entries, shown, FORMATS[format]), {
    headers: {
      "content-type": FORMATS[format].type,
      "content-disposition": `attachment; filename="audit-log.${format}"`,
      "x-content-type-options": "nosniff",
    },
  });
}

/** Reads on only when the client has taken what was read. */
function stream(
  batches: AsyncGenerator<readonly LoggedEntry[]>,
  shown: Shown,
  { head, line }: Format,
): ReadableStream<Uint8Array<ArrayBuffer>> {
  const encoder = new TextEncoder();
  let begun = false;
  return new ReadableStream<Uint8Array<ArrayBuffer>>(
    {
      async pull(controller) {
        const { value, done } = await batches.next();
        const entries: readonly LoggedEntry[] = value ?? [];
        const text = (begun ? "" : head(shown)) + entries.map((entry) => line(shown, entry)).join("");
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
