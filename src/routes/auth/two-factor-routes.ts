import Type from "typebox";
import type { TwoFactor } from "../../accounts/two-factor.ts";
import { OneTimeCode, Password } from "../../contract/users.ts";
import { json } from "../../http/reply.ts";
import { type Route, route } from "../../http/route.ts";

const shared = { method: "POST", tag: "Account", auth: "session" } as const;
const Proof = Type.Object({ password: Type.Optional(Password), code: Type.Optional(OneTimeCode) });
const RecoveryCodes = Type.Object({ recoveryCodes: Type.Array(Type.String()) });

export const twoFactorRoutes = (twoFactor: TwoFactor): Route[] => [
  route({
    ...shared,
    paths: ["/api/auth/2fa/setup"],
    summary: "Get a secret for an app that shows codes",
    description:
      "Shown this once. The second factor is asked for from when `/api/auth/2fa/enable` was given a code of it.",
    success: Type.Object({ secret: Type.String(), uri: Type.String() }),
    errors: ["conflict"],
    handle: async ({ caller, connection }) => json(await twoFactor.setUp(caller, connection.remoteAddress)),
  }),
  route({
    ...shared,
    paths: ["/api/auth/2fa/enable"],
    summary: "Switch the second factor on, with a first code and the password; gives the recovery codes",
    description:
      "Who has no password leaves it out, and must have signed in within the last ten minutes. All other sessions end.",
    body: Type.Object({ code: OneTimeCode, password: Type.Optional(Password) }),
    success: RecoveryCodes,
    errors: ["invalid_request", "conflict", "permission", "rate_limit"],
    handle: async ({ caller, body, connection }) =>
      json({ recoveryCodes: await twoFactor.enable(caller, body, connection.remoteAddress) }),
  }),
  route({
    ...shared,
    paths: ["/api/auth/2fa/disable"],
    summary: "Switch the second factor off, with the password or a code",
    body: Proof,
    success: Type.Object({ success: Type.Boolean() }),
    errors: ["invalid_request", "conflict", "permission", "not_found", "rate_limit"],
    async handle({ caller, body, connection }) {
      await twoFactor.disable(caller, body, connection.remoteAddress);
      return json({ success: true });
    },
  }),
  route({
    ...shared,
    paths: ["/api/auth/2fa/recovery-codes"],
    summary: "Get new recovery codes, with the password or a code; the old ones end",
    body: Proof,
    success: RecoveryCodes,
    errors: ["invalid_request", "conflict", "permission", "rate_limit"],
    handle: async ({ caller, body, connection }) =>
      json({ recoveryCodes: await twoFactor.renewCodes(caller, body, connection.remoteAddress) }),
  }),
];
