import Type from "typebox";
import type { Members } from "../../accounts/members.ts";
import { MemberRecord, toUserId, UpdateMemberBody } from "../../contract/organizations.ts";
import { json } from "../../http/reply.ts";
import { route } from "../../http/route.ts";
import { memberRecord } from "./member-record.ts";

export const updateMember = (members: Members) =>
  route({
    method: "PATCH",
    paths: ["/api/gw/organizations/{id}/members/{userId}"],
    tag: "Organizations",
    summary: "Change the role of a member",
    description:
      "Needs the role admin or owner. Only an owner makes or unmakes owners; the last owner stays one, which is a 409.",
    auth: "session",
    params: Type.Object({ id: Type.String(), userId: Type.String() }),
    body: UpdateMemberBody,
    success: MemberRecord,
    errors: ["permission", "not_found", "conflict"],
    async handle({ caller, params, body, connection }) {
      const member = await members.setRole({
        actor: { caller, address: connection.remoteAddress },
        organizationId: params.id,
        userId: toUserId(params.userId),
        role: body.role,
      });
      return json(memberRecord(member));
    },
  });
