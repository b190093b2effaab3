import Type from "typebox";
import type { TwoFactor } from "../../accounts/two-factor.ts";
import { UserView } from "../../contract/users.ts";
import { json } from "../../http/reply.ts";
import { route } from "../../http/route.ts";
import type { SessionAnswers } from "./answer-session.ts";

export const currentUser = (twoFactor: TwoFactor, { cookie }: SessionAnswers) =>
  route({
    method: "GET",
    paths: ["/api/auth/me"],
    tag: "Account",
    summary: "Tell who is logged in",
    auth: "session",
    success: Type.Object({
      user: Type.Object({ ...UserView.properties, emailVerified: Type.Boolean(), twoFactorEnabled: Type.Boolean() }),
      csrfToken: Type.Optional(Type.String()),
    }),
    errors: [],
    async handle({ caller: { userId: id, email, name, role, sessionId, emailVerified }, request }) {
      const user = { id, email, name, role, emailVerified, twoFactorEnabled: await twoFactor.isOn(id) };
      const isBrowser = !request.headers.has("authorization");
      return json(isBrowser ? { user, csrfToken: cookie.csrfTokenOf(sessionId) } : { user });
    },
  });
