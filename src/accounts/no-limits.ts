import type { Limits } from "./records.ts";

/** What a new organization, team, key or budget begins with. */
export const NO_LIMITS: Limits = {
  budget: null,
  softBudget: null,
  budgetWindow: null,
  rpmLimit: null,
  tpmLimit: null,
  parallelLimit: null,
};
