import type { Connect } from "../../accounts/connect.ts";
import type { EmailVerification } from "../../accounts/email-verification.ts";
import type { Impersonation } from "../../accounts/impersonation.ts";
import type { ManagementTokens } from "../../accounts/management-tokens.ts";
import type { Organizations } from "../../accounts/organizations.ts";
import type { PasswordResets } from "../../accounts/password-resets.ts";
import type { Sessions } from "../../accounts/sessions.ts";
import type { SignUpDeps } from "../../accounts/sign-up.ts";
import type { TwoFactor } from "../../accounts/two-factor.ts";
import type { Users } from "../../accounts/users.ts";
import type { Route } from "../../http/route.ts";
import { changePassword } from "./change-password.ts";
import { connectRoutes } from "./connect-routes.ts";
import { devicePage } from "./device-page.ts";
import { type DeviceDeps, deviceRoutes } from "./device-routes.ts";
import { fallbackLogIn } from "./fallback-log-in.ts";
import { listSessions } from "./list-sessions.ts";
import { logOut } from "./log-out.ts";
import { managementTokenRoutes } from "./management-token-routes.ts";
import { currentUser } from "./me.ts";
import { type OidcDeps, oidcRoutes } from "./oidc-routes.ts";
import { type PasskeyRouteDeps, passkeyRoutes } from "./passkey-routes.ts";
import { passwordResetRoutes } from "./password-reset.ts";
import { refreshToken } from "./refresh.ts";
import { revokeSession } from "./revoke-session.ts";
import { signUpRoute } from "./sign-up.ts";
import { stopImpersonation } from "./stop-impersonation.ts";
import { logIn } from "./token.ts";
import { twoFactorRoutes } from "./two-factor-routes.ts";
import { verifyEmailRoutes } from "./verify-email.ts";

export interface AuthDeps extends OidcDeps, DeviceDeps, PasskeyRouteDeps {
  readonly sessions: Sessions;
  readonly impersonation: Impersonation;
  readonly users: Users;
  readonly twoFactor: TwoFactor;
  readonly managementTokens: ManagementTokens;
  readonly organizations: Organizations;
  readonly signUp: SignUpDeps;
  readonly connect: Connect;
  readonly passwordResets: PasswordResets;
  readonly verification: EmailVerification;
  readonly publicUrl: () => string;
}

/** Who somebody is: signing up, logging in and out, and the sessions in between. */
export const authRoutes = (deps: AuthDeps): Route[] => [
  signUpRoute(deps.signUp, deps),
  logIn(deps.sessions, deps),
  refreshToken(deps.sessions, deps),
  logOut(deps.sessions, deps),
  currentUser(deps.twoFactor, deps.organizations, deps.verification, deps),
  listSessions(deps.sessions),
  revokeSession(deps.sessions),
  stopImpersonation(deps.impersonation, deps),
  changePassword(deps.users),
  ...managementTokenRoutes(deps.managementTokens),
  ...passwordResetRoutes(deps.passwordResets, deps.publicUrl),
  ...verifyEmailRoutes(deps.verification),
  ...twoFactorRoutes(deps.twoFactor),
  ...passkeyRoutes(deps),
  ...oidcRoutes(deps),
  ...deviceRoutes(deps),
  ...connectRoutes(deps.connect),
  ...fallbackLogIn(deps.sessions, deps),
  ...devicePage(deps.sessions, deps.deviceLogIn),
];
