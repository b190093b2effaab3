import type { Organizations } from "../../accounts/organizations.ts";
import { OrganizationRecord, UpdateOrganizationBody } from "../../contract/organizations.ts";
import { json } from "../../http/reply.ts";
import { route } from "../../http/route.ts";
import { namedOrganization } from "./named-organization.ts";
import { organizationRecord } from "./organization-record.ts";
import { ownSettings } from "./organization-settings.ts";

export const updateOrganization = (organizations: Organizations) =>
  route({
    method: "PUT",
    paths: ["/api/gw/organizations"],
    tag: "Organizations",
    summary: "Change an organization",
    description:
      "Needs the role admin or owner. Without `id` it is the organization of the `x-organization-id` header, else the " +
      "active one. What is left out stays as it is; null empties `billingEmail` and `dataRetentionDays`.",
    auth: "session",
    body: UpdateOrganizationBody,
    success: OrganizationRecord,
    errors: ["invalid_request", "permission", "not_found"],
    async handle({ caller, body, request, connection }) {
      const seen = await organizations.update({
        actor: { caller, address: connection.remoteAddress },
        named: body.id ?? namedOrganization(request),
        changes: { name: body.name, ...ownSettings(body) },
      });
      return json(organizationRecord(seen));
    },
  });
