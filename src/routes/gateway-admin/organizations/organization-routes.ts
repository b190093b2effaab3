import Type from "typebox";
import type { Authority } from "../../../accounts/authority.ts";
import type { OrganizationChanges } from "../../../accounts/organization-settings.ts";
import { visibleTeams } from "../../../accounts/visible-teams.ts";
import { ALWAYS_NAMED, refuseNulls, refuseUnserved, TRUE_OR_FALSE } from "../../../contract/gateway-admin/fields.ts";
import {
  DeleteOrganizationsBody,
  NewOrganizationBody,
  OrganizationInfoQuery,
  OrganizationListQuery,
  type OrganizationSettingsFields,
  UNSERVED_OF_ORGANIZATIONS,
  UpdateOrganizationFieldsBody,
} from "../../../contract/gateway-admin/organizations.ts";
import { json } from "../../../http/reply.ts";
import { type Route, route } from "../../../http/route.ts";
import type { GatewayAdminDeps } from "../admin-deps.ts";
import { actorOf, authorityOf } from "../authority-of.ts";
import { ANY, EVERYTHING, OPERATORS } from "../shared.ts";
import { limitSettings, modelsOf } from "../wire-values.ts";
import { organizationMembers } from "./organization-members.ts";
import { organizationRow } from "./organization-row.ts";

const tag = "Organizations of the gateway";

export const gatewayOrganizationRoutes = (deps: GatewayAdminDeps): Route[] => [
  route({
    ...OPERATORS,
    tag,
    method: "POST",
    paths: ["/organization/new"],
    summary: "Create an organization",
    description:
      "It is invoiced unless `billing` says prepaid, and in the name of an administrator of this installation. The id of an " +
      "organization that was removed is refused where its books are kept: 409.",
    body: NewOrganizationBody,
    errors: ["invalid_request", "not_found", "conflict"],
    async handle({ body, caller, connection }) {
      refuseUnserved(body, UNSERVED_OF_ORGANIZATIONS);
      const made = await deps.operator.create({
        actor: actorOf({ caller, connection }),
        name: body.organization_alias,
        id: body.organization_id,
        settings: changesOf(body),
      });
      return json(await organizationRow(deps, made, null));
    },
  }),
  route({
    ...ANY,
    tag,
    method: "PATCH",
    paths: ["/organization/update"],
    summary: "Change an organization and its limits",
    description:
      "What is left out stays as it is; null empties a field. Rates, models, billing and blocking are the operator's.",
    body: UpdateOrganizationFieldsBody,
    errors: ["invalid_request", "permission", "not_found"],
    async handle({ body, caller, connection }) {
      refuseUnserved(body, UNSERVED_OF_ORGANIZATIONS);
      refuseNulls(body, ["organization_alias"], ALWAYS_NAMED);
      refuseNulls(body, ["blocked"], TRUE_OR_FALSE);
      const actor = actorOf({ caller, connection });
      const changes = { name: body.organization_alias ?? undefined, ...changesOf(body) };
      const { organization } = await deps.organizations.update({ actor, named: body.organization_id, changes });
      return json(await organizationRow(deps, organization, null));
    },
  }),
  route({
    ...OPERATORS,
    tag,
    method: "DELETE",
    paths: ["/organization/delete"],
    summary: "Remove organizations",
    description: "With their teams and keys. All are looked up before the first one goes.",
    body: DeleteOrganizationsBody,
    success: Type.Array(OPERATORS.success),
    errors: ["not_found", "conflict"],
    async handle({ body, caller, connection }) {
      const actor = actorOf({ caller, connection });
      const rows = [];
      for (const organizationId of new Set(body.organization_ids)) {
        const { organization } = await deps.organizations.get({ caller: actor.caller, organizationId });
        rows.push(await organizationRow(deps, organization, null));
      }
      for (const { organization_id } of rows)
        await deps.organizations.remove({ actor, organizationId: organization_id });
      return json(rows);
    },
  }),
  route({
    ...ANY,
    tag,
    method: "GET",
    paths: ["/organization/info"],
    summary: "Show an organization",
    query: OrganizationInfoQuery,
    errors: ["permission", "not_found"],
    async handle({ query, caller }) {
      return json(await shown(deps, authorityOf(caller), query.organization_id));
    },
  }),
  route({
    ...ANY,
    tag,
    method: "GET",
    paths: ["/organization/list"],
    summary: "List organizations",
    description: "The operator sees all of them, a person their own.",
    query: OrganizationListQuery,
    success: Type.Array(ANY.success),
    errors: ["permission", "not_found"],
    async handle({ query, caller }) {
      const authority = authorityOf(caller);
      const wanted = query.org_alias?.toLowerCase() ?? "";
      if (query.org_id !== undefined) {
        const row = await shown(deps, authority, query.org_id);
        return json(row.organization_alias.toLowerCase().includes(wanted) ? [row] : []);
      }
      const { rows } =
        authority.kind === "operator"
          ? await deps.organizations.listAll(query.org_alias, EVERYTHING)
          : await deps.organizations.list({ caller: authority, page: EVERYTHING });
      const found = rows.filter(({ organization }) => organization.name.toLowerCase().includes(wanted));
      return json(await Promise.all(found.map(({ organization }) => shown(deps, authority, organization.id))));
    },
  }),
  ...organizationMembers(deps),
];

/** A member is shown the teams that they are in. */
async function shown(deps: GatewayAdminDeps, caller: Authority, organizationId: string) {
  const { organization } = await deps.organizations.get({ caller, organizationId });
  return organizationRow(deps, organization, await visibleTeams(deps.stores, caller, { organizationId }));
}

const changesOf = (body: OrganizationSettingsFields): OrganizationChanges => ({
  ...limitSettings(body),
  models: modelsOf(body.models),
  metadata: body.metadata,
  billing: body.billing,
  status: body.blocked == null ? undefined : body.blocked ? "blocked" : "active",
});
