import Type from "typebox";
import type { PasswordResets } from "../../accounts/password-resets.ts";
import { LinkSecret } from "../../contract/invitations.ts";
import { Done, toUserId } from "../../contract/organizations.ts";
import { Email, Instant, isoTime, Password } from "../../contract/users.ts";
import { json } from "../../http/reply.ts";
import { type Route, route } from "../../http/route.ts";
import { linkTo } from "../../mail/letters.ts";

/** A new password without the old one. */
export const passwordResetRoutes = (resets: PasswordResets, publicUrl: () => string): Route[] => [
  route({
    method: "POST",
    paths: ["/api/auth/password/forgot"],
    tag: "Account",
    summary: "Ask for a link to a new password",
    description:
      "The answer is the same whether somebody has the address or not. `delivery` is `administrator` where no mail is sent: " +
      "then an administrator makes the link.",
    auth: "none",
    body: Type.Object({ email: Email }),
    success: Type.Object({ success: Type.Boolean(), delivery: Type.Enum(["mail", "administrator"]) }),
    errors: ["invalid_request", "rate_limit", "database"],
    async handle({ body, connection }) {
      return json({ success: true, delivery: await resets.request(body.email, connection.remoteAddress) });
    },
  }),
  route({
    method: "POST",
    paths: ["/api/auth/password/reset"],
    tag: "Account",
    summary: "Choose a new password with a link",
    description:
      "All sessions of the person end. The link is good once, for an hour. One that was mailed verifies the address; if nobody " +
      "had done so before, the second factor, passkeys and management tokens of the account end too.",
    auth: "none",
    body: Type.Object({ token: LinkSecret, password: Password }),
    success: Done,
    errors: ["invalid_request", "not_found", "database"],
    async handle({ body, connection }) {
      await resets.reset(body.token, body.password, connection.remoteAddress);
      return json({ success: true });
    },
  }),
  route({
    method: "POST",
    paths: ["/api/admin/users/{id}/password-reset"],
    tag: "Administration",
    summary: "Make a link to a new password, to be handed to the user",
    description: "It is shown this once, and is good once, for an hour. The password stays until it is used.",
    auth: "admin",
    params: Type.Object({ id: Type.String({ pattern: "^[1-9][0-9]{0,9}$" }) }),
    success: Type.Object({ resetUrl: Type.String(), expiresAt: Instant }),
    errors: ["not_found", "conflict"],
    async handle({ caller, params, connection }) {
      const { token, expiresAt } = await resets.makeLink(caller, toUserId(params.id), connection.remoteAddress);
      return json({ resetUrl: linkTo(publicUrl(), "passwordReset", token), expiresAt: isoTime(expiresAt) });
    },
  }),
];
