import type { Organizations } from "../../accounts/organizations.ts";
import { CreateOrganizationBody, OrganizationRecord } from "../../contract/organizations.ts";
import { created } from "../../http/reply.ts";
import { route } from "../../http/route.ts";
import { organizationRecord } from "./organization-record.ts";
import { ownSettings } from "./organization-settings.ts";

export const createOrganizationRoute = (organizations: Organizations) =>
  route({
    method: "POST",
    paths: ["/api/gw/organizations"],
    tag: "Organizations",
    summary: "Create an organization",
    description: "Whoever creates it is its owner. It begins with the team `Default`.",
    auth: "session",
    body: CreateOrganizationBody,
    success: OrganizationRecord,
    successStatus: 201,
    errors: ["invalid_request", "conflict"],
    async handle({ caller, body, connection }) {
      const actor = { caller, address: connection.remoteAddress };
      const made = await organizations.create({ actor, name: body.name, settings: ownSettings(body) });
      return created(organizationRecord(made));
    },
  });
