import Type from "typebox";
import type { AuditLog } from "../../accounts/audit-log.ts";
import { PagedList, PageQuery, paged, pageOf } from "../../contract/paging.ts";
import { json } from "../../http/reply.ts";
import { type Route, route } from "../../http/route.ts";
import {
  AuditQuery,
  AuditRecord,
  auditRecord,
  NamedAuditRecord,
  OperatorAuditQuery,
  operatorAuditRecord,
  readAuditFilter,
} from "./audit-record.ts";
import { exportAuditLog, exportOrganizationAuditLog } from "./export-audit-log.ts";
import { type NamingStores, nameEntries } from "./name-entries.ts";

/** Who changed what. */
export const auditRoutes = (log: AuditLog, stores: NamingStores): Route[] => [
  route({
    method: "GET",
    paths: ["/api/admin/audit-logs"],
    tag: "Administration",
    summary: "Read who changed what",
    auth: "admin",
    query: Type.Object({ ...PageQuery.properties, ...OperatorAuditQuery.properties }),
    success: PagedList(NamedAuditRecord),
    errors: ["invalid_request"],
    async handle({ query }) {
      const page = pageOf(query);
      const { rows, total } = await log.list(readAuditFilter(query), page);
      const names = await nameEntries(stores, rows);
      const named = rows.map((row, at) => ({ ...operatorAuditRecord(row), ...names[at] }));
      return json(paged(named, page, total));
    },
  }),
  exportAuditLog(log),
  exportOrganizationAuditLog(log),
  route({
    method: "GET",
    paths: ["/api/gw/organizations/{id}/audit-logs"],
    tag: "Organizations",
    summary: "Read who changed what in an organization, as one of its owners or admins",
    auth: "session",
    scope: "audit:read",
    params: Type.Object({ id: Type.String() }),
    query: Type.Object({ ...PageQuery.properties, ...AuditQuery.properties }),
    success: PagedList(AuditRecord),
    errors: ["invalid_request", "not_found"],
    async handle({ caller, params, query }) {
      const page = pageOf(query);
      const { rows, total } = await log.listOf(caller, params.id, readAuditFilter(query), page);
      return json(paged(rows.map(auditRecord), page, total));
    },
  }),
];
