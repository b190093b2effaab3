import type { Sessions } from "../../accounts/sessions.ts";
import type { SignUpDeps } from "../../accounts/sign-up.ts";
import type { TwoFactor } from "../../accounts/two-factor.ts";
import type { Users } from "../../accounts/users.ts";
import type { Route } from "../../http/route.ts";
import { changePassword } from "./change-password.ts";
import { listSessions } from "./list-sessions.ts";
import { logOut } from "./log-out.ts";
import { currentUser } from "./me.ts";
import { refreshToken } from "./refresh.ts";
import { revokeSession } from "./revoke-session.ts";
import { signUpRoute } from "./sign-up.ts";
import { logIn } from "./token.ts";
import { twoFactorRoutes } from "./two-factor-routes.ts";

/** Who somebody is: signing up, logging in and out, and the sessions in between. */
export const authRoutes = (deps: {
  sessions: Sessions;
  users: Users;
  twoFactor: TwoFactor;
  signUp: SignUpDeps;
}): Route[] => [
  signUpRoute(deps.signUp),
  logIn(deps.sessions),
  refreshToken(deps.sessions),
  logOut(deps.sessions),
  currentUser(deps.twoFactor),
  listSessions(deps.sessions),
  revokeSession(deps.sessions),
  changePassword(deps.users),
  ...twoFactorRoutes(deps.twoFactor),
];
