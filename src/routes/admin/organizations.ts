import Type from "typebox";
import { asOperator } from "../../accounts/authority.ts";
import type { Organizations, SeenOrganization } from "../../accounts/organizations.ts";
import { eitherOf } from "../../contract/either-of.ts";
import { limitsOf } from "../../contract/limits.ts";
import { AdminOrganizationBody, OrganizationRecord } from "../../contract/organizations.ts";
import { PagedList, PageQuery, paged, pageOf } from "../../contract/paging.ts";
import { sortingOf, sortQuery } from "../../contract/sorting.ts";
import { json } from "../../http/reply.ts";
import { type Route, route } from "../../http/route.ts";
import { organizationRecord } from "../organizations/organization-record.ts";
import { organizationSettings } from "../organizations/organization-settings.ts";

const { role: _role, ...VIEW } = OrganizationRecord.properties;
const Record = Type.Object({ ...VIEW, budgetId: Type.Union([Type.String(), Type.Null()]) });
const BY_ID = { by: "id", direction: "asc" } as const;
const Path = Type.Object({ id: Type.String() });
const shared = { tag: "Administration", auth: "admin" } as const;

/** All organizations of this installation, and what they are allowed. */
export const adminOrganizationRoutes = (organizations: Organizations): Route[] => [
  route({
    ...shared,
    method: "GET",
    paths: ["/api/admin/organizations"],
    summary: "List organizations",
    query: Type.Object({
      ...PageQuery.properties,
      ...sortQuery(["name", "createdAt", "balance"], "by id"),
      search: Type.Optional(Type.String({ maxLength: 100, pattern: "^[^\\u0000]*$" })),
    }),
    success: PagedList(Record),
    errors: [],
    async handle({ query }) {
      const page = pageOf(query);
      const order = sortingOf(query, BY_ID);
      const { rows, total } = await organizations.listAll(query.search || undefined, page, order);
      return json(paged(rows.map(view), page, total));
    },
  }),
  route({
    ...shared,
    method: "GET",
    paths: ["/api/admin/organizations/{id}"],
    summary: "Show an organization",
    params: Path,
    success: Record,
    errors: ["not_found"],
    async handle({ caller, params }) {
      return json(view(await organizations.get({ caller: asOperator(caller), organizationId: params.id })));
    },
  }),
  route({
    ...shared,
    method: "PATCH",
    paths: ["/api/admin/organizations/{id}"],
    summary: "Change how an organization pays, what it may spend, or block it",
    description: "What is left out stays as it is; null empties a field. It holds for the very next call.",
    params: Path,
    body: AdminOrganizationBody,
    success: Record,
    errors: ["invalid_request", "not_found"],
    async handle({ caller, params, body, connection }) {
      const seen = await organizations.update({
        actor: { caller: asOperator(caller), address: connection.remoteAddress },
        named: params.id,
        changes: {
          name: body.name,
          models: body.models,
          billing: body.billing,
          status: body.status,
          budgetId: eitherOf(body.budgetId, body.budget_id),
          ...limitsOf(body),
          ...organizationSettings(body),
        },
      });
      return json(view(seen));
    },
  }),
];

/** As the operator sees it, who has no role in it. */
function view(seen: SeenOrganization): object {
  const { role: _, ...record } = organizationRecord(seen);
  return { ...record, budgetId: seen.organization.budgetId };
}
