import type { Static } from "typebox";
import { eitherOf } from "../../contract/either-of.ts";
import { refuseOtherNames } from "../../contract/limits.ts";
import type { AdminOrganizationBody, OwnSettingsFields } from "../../contract/organizations.ts";

type Body = Pick<
  Static<typeof AdminOrganizationBody>,
  | "budget"
  | "softBudget"
  | "soft_budget"
  | "budgetWindow"
  | "budget_window"
  | "storePrompts"
  | "store_prompts"
  | "allowedIps"
  | "allowed_ips"
  | "metadata"
>;

/** What the people of an organization set for themselves, whichever spelling the body has. */
export function organizationSettings(body: Body) {
  refuseOtherNames(body);
  return {
    budget: body.budget,
    softBudget: eitherOf(body.softBudget, body.soft_budget),
    budgetWindow: eitherOf(body.budgetWindow, body.budget_window),
    storePrompts: eitherOf(body.storePrompts, body.store_prompts),
    allowedIps: eitherOf(body.allowedIps, body.allowed_ips),
    metadata: body.metadata,
  };
}

/** All that they set, also of a new one. */
export const ownSettings = (body: OwnSettingsFields) => ({
  billingEmail: eitherOf(body.billingEmail, body.billing_email),
  timezone: body.timezone,
  dataRetentionDays: eitherOf(body.dataRetentionDays, body.data_retention_days),
  ...organizationSettings(body),
});
