import { AuditLog } from "../accounts/audit-log.ts";
import { Budgets } from "../accounts/budgets.ts";
import { Connect } from "../accounts/connect.ts";
import { Credits } from "../accounts/credits.ts";
import { DeviceLogIn } from "../accounts/device-log-in.ts";
import { EmailVerification } from "../accounts/email-verification.ts";
import { EndUserRules } from "../accounts/end-user-rules.ts";
import { EndUsers } from "../accounts/end-users.ts";
import { type FirstStart, firstStart } from "../accounts/first-start.ts";
import { Impersonation } from "../accounts/impersonation.ts";
import { Invitations } from "../accounts/invitations.ts";
import { FRESH_ALONE_MS, KeyVerifier } from "../accounts/key-verifier.ts";
import { Keys } from "../accounts/keys.ts";
import { LetterThrottle } from "../accounts/letter-throttle.ts";
import { LoginThrottle } from "../accounts/login-throttle.ts";
import { ManagementTokens } from "../accounts/management-tokens.ts";
import { Members } from "../accounts/members.ts";
import { OperatorOrganizations } from "../accounts/operator-organizations.ts";
import { BillingAddresses } from "../accounts/organizations/billing-addresses.ts";
import { Organizations } from "../accounts/organizations.ts";
import { PasskeySignIn } from "../accounts/passkey-sign-in.ts";
import { PasskeyTickets } from "../accounts/passkey-tickets.ts";
import { Passkeys } from "../accounts/passkeys.ts";
import { PasswordResets } from "../accounts/password-resets.ts";
import { Passwords } from "../accounts/passwords.ts";
import type { ApiKey } from "../accounts/records.ts";
import { RefusedSignIns } from "../accounts/refused-sign-ins.ts";
import { ScheduledRotation } from "../accounts/scheduled-rotation.ts";
import { deriveSecrets } from "../accounts/secrets.ts";
import { SessionTokens } from "../accounts/session-tokens.ts";
import { Sessions } from "../accounts/sessions.ts";
import { SignUpThrottle } from "../accounts/sign-up-throttle.ts";
import { SingleSignOn } from "../accounts/single-sign-on.ts";
import { Teams } from "../accounts/teams.ts";
import { TwoFactor } from "../accounts/two-factor.ts";
import { Users } from "../accounts/users.ts";
import type { Config } from "../config/config.ts";
import { HostCookie } from "../http/host-cookie.ts";
import { requireOrigin } from "../http/own-origin.ts";
import type { Route } from "../http/route.ts";
import { SessionCookie } from "../http/session-cookie.ts";
import type { Clock } from "../lib/clock.ts";
import { hmacHex } from "../lib/hmac.ts";
import type { Logger } from "../lib/log.ts";
import { Mailer } from "../mail/mailer.ts";
import type { Deliverer } from "../outbox/outbox.ts";
import { impersonate } from "../routes/admin/impersonate.ts";
import { adminKeyRoutes } from "../routes/admin/keys.ts";
import { adminOrganizationRoutes } from "../routes/admin/organizations.ts";
import { adminTeamRoutes } from "../routes/admin/teams.ts";
import { userRoutes } from "../routes/admin/users.ts";
import { auditRoutes } from "../routes/audit/audit-routes.ts";
import { authRoutes } from "../routes/auth/auth-routes.ts";
import { endUserRoutes } from "../routes/end-users/end-user-routes.ts";
import { gatewayAdminRoutes } from "../routes/gateway-admin/gateway-admin-routes.ts";
import { invitationRoutes } from "../routes/invitations/invitation-routes.ts";
import { keyRoutes } from "../routes/keys/key-routes.ts";
import { currentKey } from "../routes/openrouter/current-key.ts";
import { routerKeys } from "../routes/openrouter/router-keys.ts";
import { organizationRoutes } from "../routes/organizations/organization-routes.ts";
import { teamRoutes } from "../routes/teams/team-routes.ts";
import type { Storage } from "../storage/open.ts";
import type { WorkerBus } from "../workers/worker-bus.ts";
import { IssuerOfConfig } from "./issuer-of-config.ts";
import type { LiveConfig } from "./live-config.ts";
import { mailDeliverer } from "./mail-deliverer.ts";

export interface Accounts {
  readonly verifier: KeyVerifier;
  readonly endUserRules: EndUserRules;
  readonly sessions: Sessions;
  readonly keys: Keys;
  readonly rotation: ScheduledRotation;
  readonly sealingKey: Uint8Array;
  readonly managementTokens: ManagementTokens;
  readonly cookie: SessionCookie;
  readonly credits: Credits;
  readonly routes: readonly Route[];
  /** What brings messages of accounts to where they belong, by the first word of their topic. */
  readonly deliverers: Readonly<Record<string, Deliverer>>;
  /** Makes what the very first start makes; null when that was done before. */
  firstStart(initial: Config): Promise<FirstStart | null>;
}

interface AccountSecrets {
  readonly secret: string;
  readonly masterKey: string;
}

interface AccountSurroundings extends AccountSecrets {
  readonly passwords?: Passwords;
  readonly credited: (organizationId: string) => void;
  readonly workerBus: WorkerBus;
  readonly log: Logger;
  readonly publicUrl: () => string;
}

/** People, what belongs to them, and the routes by which they reach it. */
export function composeAccounts(
  live: LiveConfig,
  { accounts: stores, usage, budgets: spending }: Pick<Storage, "accounts" | "usage" | "budgets">,
  clock: Clock,
  { secret, masterKey, passwords = new Passwords(), credited, workerBus, log, publicUrl }: AccountSurroundings,
): Accounts {
  const secrets = deriveSecrets(secret);
  // The data folder of SQLite is one server's alone.
  const freshMs = live.config.databaseUrl === null ? FRESH_ALONE_MS : undefined;
  const verifier = new KeyVerifier(stores.keys, secrets.keyPepper, masterKey, clock, freshMs);
  const endUserRules = new EndUserRules(stores.endUsers, clock, () => live.config.limits.endUserBudget, freshMs);
  const tokens = new SessionTokens(secrets.sessionKey, clock);
  const throttle = new LoginThrottle(clock);
  const codeThrottle = new LoginThrottle(clock, "codes");
  const twoFactor = new TwoFactor({ stores, passwords, throttle, codeThrottle, clock, ...secrets });
  const refused = new RefusedSignIns(stores, clock);
  const sessions = new Sessions({ stores, passwords, tokens, twoFactor, throttle, refused, clock });
  const impersonation = new Impersonation({ stores, sessions, clock });
  const deviceLogIn = new DeviceLogIn({
    stores,
    sessions,
    clock,
    throttle: codeThrottle,
    codePepper: secrets.codePepper,
  });
  // Read once: cookies are named by it and passkeys bound to it, which a reload does not change half of.
  const { publicUrl: setUrl } = live.config.server;
  const publicUrlOf = (request: Request): string => setUrl ?? requireOrigin(request);
  const issuers = new IssuerOfConfig(live, clock);
  const singleSignOn = new SingleSignOn({
    stores,
    sessions,
    refused,
    clock,
    sealingKey: secrets.sealingKey,
    issuer: () => issuers.current(),
  });
  const ticketCookie = new HostCookie("turnpike-sign-on", setUrl);
  const passkeyCookie = new HostCookie("turnpike-passkey", setUrl);
  const cookie = new SessionCookie({
    publicUrl: setUrl,
    csrfTokenOf: (sessionId) => hmacHex(secrets.csrfKey, sessionId),
  });
  const isGuardrail = (name: string): boolean => live.config.guardrails.some((one) => one.name === name);
  const { sealingKey } = secrets;
  const membersOf = (name: string) => live.catalog.membersOf(name);
  const createsUnknownUsers = () => live.config.accounts.createUnknownUsers;
  const keys = new Keys({ stores, clock, verifier, sealingKey, membersOf, isGuardrail, createsUnknownUsers });
  const rotation = new ScheduledRotation({ stores, clock, log, verifier, sealingKey });
  const connect = new Connect({ stores, keys, clock, codePepper: secrets.codePepper });
  const managementTokens = new ManagementTokens({ stores, clock, verifier });
  const forgetAll = (): void => verifier.forgetAll();
  const users = new Users({ stores, passwords, throttle, clock, forgetAll });
  const budgets = new Budgets({
    stores,
    clock,
    forgetAll: () => {
      forgetAll();
      endUserRules.forgetAll();
    },
  });
  const endUsers = new EndUsers({ stores, clock, forget: (of, id) => endUserRules.forget(of, id) });
  const operator = new OperatorOrganizations({ stores, clock });
  const forgetTeam = (teamId: string): void => verifier.forgetTeam(teamId);
  const mailer = new Mailer(() => live.config.mail);
  const letterThrottle = new LetterThrottle(clock);
  const letters = { isMailed: () => mailer.isConfigured, throttle: letterThrottle };
  const billingAddresses = new BillingAddresses({ stores, clock, sealingKey, ...letters });
  const organizations = new Organizations({
    stores,
    clock,
    forgetTeam,
    billingAddresses,
    ownedMax: () => live.config.accounts.organizationsPerUser,
  });
  const members = new Members({ stores, clock, forgetTeam, createsUnknownUsers });
  const teams = new Teams({ stores, clock, forgetTeam, isGuardrail, createsUnknownUsers });
  const invitations = new Invitations({ stores, clock, ...letters });
  const passwordResets = new PasswordResets({ stores, passwords, clock, ...letters });
  const verification = new EmailVerification({ stores, clock, ...letters });
  const tickets = new PasskeyTickets({ stores, clock, sealingKey });
  const { codePepper } = secrets;
  // Apart from the others, which anybody may ask for: nobody is kept from a passkey by those.
  const passkeyLetters = new LetterThrottle(clock);
  const told = { isMailed: letters.isMailed, letters: passkeyLetters };
  const passkeys = new Passkeys({ stores, passwords, twoFactor, throttle, clock, tickets, codePepper, ...told });
  const passkeyThrottle = new LoginThrottle(clock, "passkeys");
  const passkeySignIn = new PasskeySignIn({
    stores,
    sessions,
    tickets,
    throttle: passkeyThrottle,
    refused,
    clock,
    codePepper,
  });
  const isOpen = () => live.config.accounts.allowSignUp;
  const credit = () => live.config.accounts.signUpCredit;
  const signUpThrottle = new SignUpThrottle(clock, () => live.config.accounts.signUpsPerHour);
  workerBus.broadcastMethod("key changed", verifier, "forget", (key) => [hashesOf(key)]);
  workerBus.broadcastMethod("team changed", verifier, "forgetTeam");
  workerBus.broadcastMethod("any key changed", verifier, "forgetAll");
  workerBus.broadcastMethod("end user changed", endUserRules, "forget");
  workerBus.broadcastMethod("any end user changed", endUserRules, "forgetAll");
  workerBus.broadcastMethod("unknown key", verifier.throttle, "note");
  workerBus.broadcastMethod("unknown code", connect.throttle, "note");
  workerBus.broadcastMethod("letter", letterThrottle, "admit");
  workerBus.broadcastMethod("invitation letter", letterThrottle, "admitInvitation");
  workerBus.broadcastMethod("passkey letter", passkeyLetters, "admit");
  workerBus.broadcastMethod("sign-up", signUpThrottle, "admit");
  for (const [name, guessed] of [
    ["password", throttle],
    ["code", codeThrottle],
    ["passkey", passkeyThrottle],
  ] as const) {
    workerBus.broadcastMethod(`wrong ${name}`, guessed, "failed");
    workerBus.broadcastMethod(`right ${name}`, guessed, "succeeded");
  }
  const signUp = { stores, passwords, sessions, clock, isOpen, verification, credit, throttle: signUpThrottle };
  return {
    verifier,
    endUserRules,
    sessions,
    keys,
    rotation,
    sealingKey,
    managementTokens,
    cookie,
    credits: new Credits({ stores, clock, forgetTeam, credited }),
    routes: [
      ...authRoutes({
        ...{
          sessions,
          impersonation,
          users,
          twoFactor,
          managementTokens,
          organizations,
          signUp,
          passwordResets,
          verification,
          deviceLogIn,
          connect,
          singleSignOn,
          passkeys,
          passkeySignIn,
        },
        ...{ cookie, ticketCookie, passkeyCookie, clock, publicUrl, publicUrlOf },
      }),
      ...organizationRoutes({ organizations, members, billingAddresses }),
      ...teamRoutes({ teams, invitations, clock, publicUrl, spending, stores }),
      ...endUserRoutes({ endUsers, stores }),
      ...invitationRoutes({ invitations, clock, publicUrl }),
      ...keyRoutes({ keys, usage, spending, stores, clock }),
      ...routerKeys({ keys, teams, usage, spending, stores, clock }),
      currentKey({ keys, usage, spending, stores, clock }),
      ...userRoutes(users, { twoFactor, passkeys, stores }),
      impersonate(impersonation, { cookie, clock }),
      ...auditRoutes(new AuditLog(stores), stores),
      ...adminOrganizationRoutes(organizations),
      ...adminTeamRoutes({ teams, spending, stores, clock }),
      ...adminKeyRoutes({ keys, usage, spending, stores, clock }),
      ...gatewayAdminRoutes({
        keys,
        teams,
        organizations,
        members,
        users,
        budgets,
        endUsers,
        operator,
        stores,
        usage,
        spending,
        clock,
      }),
    ],
    deliverers: {
      mail: mailDeliverer({
        mailer,
        publicUrl,
        invitations,
        passwordResets,
        verification,
        passkeys,
        billingAddresses,
      }),
    },
    firstStart: ({ admin, demo }) =>
      firstStart(stores, passwords, clock, {
        adminEmail: admin.email,
        adminPassword: admin.password,
        demo,
        secretFingerprint: secrets.fingerprint,
        hashKey: (key) => verifier.hash(key),
      }),
  };
}

/** What a key is remembered by: no more of it goes to other workers. */
const hashesOf = ({ hash, previousHash }: Pick<ApiKey, "hash" | "previousHash">) => ({ hash, previousHash });
