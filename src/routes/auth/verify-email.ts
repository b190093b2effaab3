import Type from "typebox";
import type { EmailVerification } from "../../accounts/email-verification.ts";
import { LinkSecret } from "../../contract/invitations.ts";
import { Done } from "../../contract/organizations.ts";
import { json } from "../../http/reply.ts";
import { type Route, route } from "../../http/route.ts";

export const verifyEmailRoutes = (verification: EmailVerification): Route[] => [
  route({
    method: "POST",
    paths: ["/api/auth/verify-email"],
    tag: "Account",
    summary: "Show with a mailed link that the address of one's account is one's own",
    auth: "session",
    body: Type.Object({ token: LinkSecret }),
    success: Done,
    errors: ["permission", "not_found"],
    async handle({ caller, body, connection }) {
      await verification.confirm(caller, body.token, connection.remoteAddress);
      return json({ success: true });
    },
  }),
  route({
    method: "POST",
    paths: ["/api/auth/verify-email/resend"],
    tag: "Account",
    summary: "Mail the link to one's own address again",
    auth: "session",
    success: Done,
    errors: ["conflict", "rate_limit"],
    async handle({ caller, connection }) {
      await verification.resend(caller, connection.remoteAddress);
      return json({ success: true });
    },
  }),
];
