import Type from "typebox";
import type { Members } from "../../accounts/members.ts";
import { Done, toUserId } from "../../contract/organizations.ts";
import { json } from "../../http/reply.ts";
import { route } from "../../http/route.ts";

export const removeMember = (members: Members) =>
  route({
    method: "DELETE",
    paths: ["/api/gw/organizations/{id}/members/{userId}"],
    tag: "Organizations",
    summary: "Take a member out of an organization, or leave it",
    description:
      "Everybody may leave; taking others out needs the role admin or owner, and owners are taken out by owners only. " +
      "The last owner stays, which is a 409. The member also leaves the organization's teams.",
    auth: "session",
    params: Type.Object({ id: Type.String(), userId: Type.String() }),
    success: Done,
    errors: ["permission", "not_found", "conflict"],
    async handle({ caller, params, connection }) {
      const actor = { caller, address: connection.remoteAddress };
      await members.remove({ actor, organizationId: params.id, userId: toUserId(params.userId) });
      return json({ success: true });
    },
  });
