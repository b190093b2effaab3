import { accounts } from "./0001-accounts.ts";
import { limitsAndBudgets } from "./0002-limits-and-budgets.ts";
import { mail } from "./0003-mail.ts";
import { signIn } from "./0004-sign-in.ts";
import { models } from "./0005-models.ts";
import { ledger } from "./0006-ledger.ts";
import { usage } from "./0007-usage.ts";
import { billing } from "./0008-billing.ts";
import { idempotency } from "./0009-idempotency.ts";
import { guardrails } from "./0011-guardrails.ts";
import { deploymentSwitches } from "./0012-deployment-switches.ts";
import { budgetWindows } from "./0013-budget-windows.ts";
import { assistants } from "./0014-assistants.ts";
import { files } from "./0015-files.ts";
import { training } from "./0016-training.ts";
import { operatorRules } from "./0017-operator-rules.ts";
import { cheaperCheck } from "./0018-cheaper-check.ts";
import { keyRotation } from "./0019-key-rotation.ts";
import { managementTokens } from "./0020-management-tokens.ts";
import { auditChain } from "./0021-audit-chain.ts";
import { connect } from "./0022-connect.ts";
import { passkeys } from "./0023-passkeys.ts";
import { impersonation } from "./0024-impersonation.ts";
import { resetSpend } from "./0025-reset-spend.ts";
import { responses } from "./0026-responses.ts";
import { refundsAndSpend } from "./0027-refunds-and-spend.ts";
import { idempotencyOwner } from "./0028-idempotency-owner.ts";
import { batches } from "./0029-batches.ts";
import { backgroundResponses } from "./0030-background-responses.ts";
import { organizationZones } from "./0032-organization-zones.ts";
import { trainingRunLines } from "./0034-training-run-lines.ts";
import { largerSums } from "./0035-larger-sums.ts";
import { endUsers } from "./0036-end-users.ts";
import { conversations } from "./0037-conversations.ts";
import { billingAddresses } from "./0038-billing-addresses.ts";
import { chosenUserIds } from "./0039-chosen-user-ids.ts";
import { budgets } from "./0040-budgets.ts";
import { storageUsage } from "./0041-storage-usage.ts";
import type { Migration } from "./migration.ts";

/** They were added in another order than that of their numbers. */
const FIRST: readonly Migration[] = [
  accounts,
  limitsAndBudgets,
  mail,
  signIn,
  models,
  ledger,
  usage,
  billing,
  idempotency,
  guardrails,
  deploymentSwitches,
  budgetWindows,
  assistants,
  files,
  training,
  operatorRules,
].map((step) => ({ ...step, anyOrder: true }));

/** Written out rather than read from the folder, so that it survives bundling and a review sees it. */
export const migrations: readonly Migration[] = [
  ...FIRST,
  cheaperCheck,
  keyRotation,
  managementTokens,
  auditChain,
  connect,
  passkeys,
  impersonation,
  resetSpend,
  responses,
  refundsAndSpend,
  idempotencyOwner,
  batches,
  backgroundResponses,
  organizationZones,
  trainingRunLines,
  largerSums,
  endUsers,
  conversations,
  billingAddresses,
  chosenUserIds,
  budgets,
  storageUsage,
];
