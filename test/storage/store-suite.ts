import type { Backend } from "../../src/storage/backend.ts";
import { StoreBench } from "./store-bench.ts";
import { auditSuite } from "./suites/audit.ts";
import { budgetSuite } from "./suites/budgets.ts";
import { invitationSuite } from "./suites/invitations.ts";
import { keptAnswerSuite } from "./suites/kept-answers.ts";
import { keyListSuite } from "./suites/key-list.ts";
import { keySuite } from "./suites/keys.ts";
import { modelSuite } from "./suites/models.ts";
import { organizationSuite } from "./suites/organizations.ts";
import { outboxSuite } from "./suites/outbox.ts";
import { removalSuite } from "./suites/removals.ts";
import { sessionSuite } from "./suites/sessions.ts";
import { settingSuite } from "./suites/settings.ts";
import { signInSuite } from "./suites/sign-in.ts";
import { statementSuite } from "./suites/statements.ts";
import { teamSuite } from "./suites/teams.ts";
import { trainingSuite } from "./suites/training.ts";
import { transactionSuite } from "./suites/transactions.ts";
import { userSuite } from "./suites/users.ts";
import { valueSuite } from "./suites/values.ts";

/** What every implementation of the account stores guarantees. */
export function accountStoreSuite(kind: Backend["kind"]): void {
  const bench = new StoreBench(kind);
  userSuite(bench);
  sessionSuite(bench);
  organizationSuite(bench);
  teamSuite(bench);
  keySuite(bench);
  keyListSuite(bench);
  budgetSuite(bench);
  invitationSuite(bench);
  outboxSuite(bench);
  auditSuite(bench);
  settingSuite(bench);
  statementSuite(bench);
  signInSuite(bench);
  modelSuite(bench);
  removalSuite(bench);
  keptAnswerSuite(bench);
  trainingSuite(bench);
  transactionSuite(bench);
  valueSuite(bench);
}
