import Type from "typebox";
import type { TwoFactor } from "../../accounts/two-factor.ts";
import { UserView } from "../../contract/users.ts";
import { json } from "../../http/reply.ts";
import { route } from "../../http/route.ts";

export const currentUser = (twoFactor: TwoFactor) =>
  route({
    method: "GET",
    paths: ["/api/auth/me"],
    tag: "Account",
    summary: "Tell who is logged in",
    auth: "session",
    success: Type.Object({ user: Type.Object({ ...UserView.properties, twoFactorEnabled: Type.Boolean() }) }),
    errors: [],
    async handle({ caller: { userId: id, email, name, role } }) {
      return json({ user: { id, email, name, role, twoFactorEnabled: await twoFactor.isOn(id) } });
    },
  });
