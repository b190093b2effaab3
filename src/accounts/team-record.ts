import { newId } from "../lib/ids.ts";
import { NO_LIMITS } from "./no-limits.ts";
import type { Team } from "./records.ts";

/** A new team without limits. */
export const newTeamRecord = (organizationId: string, name: string, now: number): Team => ({
  id: newId(),
  organizationId,
  name,
  status: "active",
  blockedReason: null,
  models: [],
  modelAliases: {},
  modelLimits: {},
  furtherBudgets: [],
  memberBudget: null,
  memberBudgetWindow: null,
  memberRpmLimit: null,
  memberTpmLimit: null,
  ...NO_LIMITS,
  guardrails: [],
  tags: [],
  metadata: {},
  budgetId: null,
  createdAt: now,
  updatedAt: now,
});
