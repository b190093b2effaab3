import type { Kysely } from "kysely";
import type { AccountStores } from "../../accounts/store.ts";
import { outboxWriter } from "../outbox/outbox-store.ts";
import type { Tables } from "../tables.ts";
import { inTransaction } from "../transaction.ts";
import { auditStore } from "./audit.ts";
import { budgetStore } from "./budgets.ts";
import { connectGrantStore } from "./connect-grants.ts";
import { credentialStore } from "./credentials.ts";
import { creditStore } from "./credits.ts";
import { deploymentSwitchStore } from "./deployment-switches.ts";
import { deploymentStore } from "./deployments.ts";
import { deviceLoginStore } from "./device-logins.ts";
import { endUserStore } from "./end-users.ts";
import { identityStore } from "./identities.ts";
import { invitationStore } from "./invitations.ts";
import { keyStore } from "./keys.ts";
import { linkTokenStore } from "./link-tokens.ts";
import { managementTokenStore } from "./management-tokens.ts";
import { operatorRuleStore } from "./operator-rules.ts";
import { organizationMemberStore } from "./organization-members.ts";
import { organizationStore } from "./organizations.ts";
import { passkeyStore } from "./passkeys.ts";
import { sessionStore } from "./sessions.ts";
import { settingStore } from "./settings.ts";
import { spentChallengeStore } from "./spent-challenges.ts";
import { teamMemberStore } from "./team-members.ts";
import { teamStore } from "./teams.ts";
import { twoFactorStore } from "./two-factors.ts";
import { userStore } from "./users.ts";

export function accountStores(db: Kysely<Tables>): AccountStores {
  return {
    users: userStore(db),
    sessions: sessionStore(db),
    organizations: organizationStore(db),
    organizationMembers: organizationMemberStore(db),
    teams: teamStore(db),
    teamMembers: teamMemberStore(db),
    keys: keyStore(db),
    budgets: budgetStore(db),
    endUsers: endUserStore(db),
    invitations: invitationStore(db),
    linkTokens: linkTokenStore(db),
    outbox: outboxWriter(db),
    audit: auditStore(db),
    settings: settingStore(db),
    twoFactors: twoFactorStore(db),
    identities: identityStore(db),
    deviceLogins: deviceLoginStore(db),
    connectGrants: connectGrantStore(db),
    passkeys: passkeyStore(db),
    spentChallenges: spentChallengeStore(db),
    managementTokens: managementTokenStore(db),
    deployments: deploymentStore(db),
    deploymentSwitches: deploymentSwitchStore(db),
    operatorRules: operatorRuleStore(db),
    credentials: credentialStore(db),
    credits: creditStore(db),
    transaction: (work) => inTransaction(db, (transaction) => work(accountStores(transaction))),
  };
}
