import Type from "typebox";
import type { Users } from "../../accounts/users.ts";
import { Password } from "../../contract/users.ts";
import { json } from "../../http/reply.ts";
import { route } from "../../http/route.ts";

export const changePassword = (users: Users) =>
  route({
    method: "POST",
    paths: ["/api/auth/password/change"],
    tag: "Account",
    summary: "Change one's own password; all other sessions end",
    auth: "session",
    body: Type.Object({ currentPassword: Password, newPassword: Password }),
    success: Type.Object({ success: Type.Boolean() }),
    errors: ["invalid_request", "permission", "rate_limit"],
    async handle({ caller, body, connection }) {
      await users.changePassword(caller, body.currentPassword, body.newPassword, connection.remoteAddress);
      return json({ success: true });
    },
  });
