import type { Organizations } from "../../accounts/organizations.ts";
import { requiredOf } from "../../contract/either-of.ts";
import { ActivateOrganizationBody, OrganizationRecord } from "../../contract/organizations.ts";
import { json } from "../../http/reply.ts";
import { route } from "../../http/route.ts";
import { organizationRecord } from "./organization-record.ts";

export const activateOrganization = (organizations: Organizations) =>
  route({
    method: "POST",
    paths: ["/api/gw/organizations/active"],
    tag: "Organizations",
    summary: "Choose the organization that the session works in",
    description:
      "It stays chosen until the session ends. The header `x-organization-id` names another one for one call.",
    auth: "session",
    whileSeeingAs: true,
    body: ActivateOrganizationBody,
    success: OrganizationRecord,
    errors: ["not_found"],
    async handle({ caller, body, connection }) {
      const organizationId = requiredOf("organizationId", body.organizationId, body.organization_id);
      const actor = { caller, address: connection.remoteAddress };
      return json(organizationRecord(await organizations.activate({ actor, organizationId })));
    },
  });
