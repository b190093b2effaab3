import Type from "typebox";
import type { Organizations } from "../../accounts/organizations.ts";
import { OrganizationRecord } from "../../contract/organizations.ts";
import { json } from "../../http/reply.ts";
import { route } from "../../http/route.ts";
import { organizationRecord } from "./organization-record.ts";

export const getOrganization = (organizations: Organizations) =>
  route({
    method: "GET",
    paths: ["/api/gw/organizations/{id}"],
    tag: "Organizations",
    summary: "Show an organization",
    auth: "session",
    scope: "organization:read",
    params: Type.Object({ id: Type.String() }),
    success: OrganizationRecord,
    errors: ["not_found"],
    async handle({ caller, params }) {
      return json(organizationRecord(await organizations.get({ caller, organizationId: params.id })));
    },
  });
