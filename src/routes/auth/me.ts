import Type from "typebox";
import type { EmailVerification } from "../../accounts/email-verification.ts";
import type { Organizations } from "../../accounts/organizations.ts";
import type { TwoFactor } from "../../accounts/two-factor.ts";
import type { ActingAdmin } from "../../contract/caller.ts";
import { Instant, isoTime, UserView } from "../../contract/users.ts";
import { PROGRAM_VERSION } from "../../contract/version.ts";
import { json } from "../../http/reply.ts";
import { route } from "../../http/route.ts";
import type { SessionAnswers } from "./answer-session.ts";

export const currentUser = (
  twoFactor: TwoFactor,
  organizations: Organizations,
  verification: EmailVerification,
  { cookie, clock }: SessionAnswers,
) =>
  route({
    method: "GET",
    paths: ["/api/auth/me"],
    tag: "Account",
    summary: "Tell who is logged in",
    auth: "session",
    scope: "organization:read",
    success: Type.Object({
      user: Type.Object({ ...UserView.properties, emailVerified: Type.Boolean(), twoFactorEnabled: Type.Boolean() }),
      activeOrganizationId: Type.Union([Type.String(), Type.Null()], {
        description: "The organization that calls work in which name none.",
      }),
      impersonation: Type.Optional(
        Type.Object(
          {
            administrator: Type.Object({ id: Type.Integer(), email: Type.String(), name: Type.String() }),
            expiresAt: Instant,
            expiresIn: Type.Integer({
              minimum: 0,
              description: "Seconds until then, for who has another time of day.",
            }),
          },
          { description: "While an administrator sees the platform as this user: who it is, and until when." },
        ),
      ),
      sendsMail: Type.Boolean({ description: "Whether addresses can be verified: this installation sends mail." }),
      csrfToken: Type.Optional(Type.String()),
    }),
    errors: [],
    async handle({ caller, request }) {
      const { userId: id, email, name, role, sessionId, emailVerified } = caller;
      const user = { id, email, name, role, emailVerified, twoFactorEnabled: await twoFactor.isOn(id) };
      const isBrowser = !request.headers.has("authorization");
      const activeOrganizationId = await organizations.activeIdOf(caller);
      const told = {
        user,
        activeOrganizationId,
        ...(caller.actingAdmin ? { impersonation: impersonationOf(caller.actingAdmin, clock.nowMs()) } : {}),
        sendsMail: verification.isPossible(),
      };
      // Clients tell by it whether they are of the same version.
      const version = { "x-gw-version": PROGRAM_VERSION };
      return json(isBrowser ? { ...told, csrfToken: cookie.csrfTokenOf(sessionId) } : told, 200, version);
    },
  });

const impersonationOf = ({ userId: id, email, name, untilMs }: ActingAdmin, nowMs: number) => ({
  administrator: { id, email, name },
  expiresAt: isoTime(untilMs),
  expiresIn: Math.max(0, Math.ceil((untilMs - nowMs) / 1000)),
});
