import Type from "typebox";
import type { Users } from "../../accounts/users.ts";
import { requiredOf } from "../../contract/either-of.ts";
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
    body: Type.Object({
      currentPassword: Type.Optional(Password),
      current_password: Type.Optional(Password),
      newPassword: Type.Optional(Password),
      new_password: Type.Optional(Password),
    }),
    success: Type.Object({ success: Type.Boolean() }),
    errors: ["invalid_request", "permission", "rate_limit"],
    async handle({ caller, body, connection }) {
      const current = requiredOf("currentPassword", body.currentPassword, body.current_password);
      const next = requiredOf("newPassword", body.newPassword, body.new_password);
      await users.changePassword(caller, current, next, connection.remoteAddress);
      return json({ success: true });
    },
  });
