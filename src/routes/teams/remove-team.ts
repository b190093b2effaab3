import Type from "typebox";
import type { Teams } from "../../accounts/teams.ts";
import { Done } from "../../contract/organizations.ts";
import { json } from "../../http/reply.ts";
import { route } from "../../http/route.ts";

export const removeTeam = (teams: Teams) =>
  route({
    method: "DELETE",
    paths: ["/api/gw/teams/{id}"],
    tag: "Teams",
    summary: "Delete a team with its keys",
    description: "Needs the role admin or owner in the organization. Its members stay in the organization.",
    auth: "session",
    scope: "teams:write",
    params: Type.Object({ id: Type.String() }),
    success: Done,
    errors: ["permission", "not_found"],
    async handle({ caller, params, connection }) {
      await teams.remove({ actor: { caller, address: connection.remoteAddress }, teamId: params.id });
      return json({ success: true });
    },
  });
