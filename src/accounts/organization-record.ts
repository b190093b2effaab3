import { newId, randomBase62 } from "../lib/ids.ts";
import { NO_LIMITS } from "./no-limits.ts";
import type { Organization } from "./records.ts";

/** A new organization without limits, which pays in advance. */
export const newOrganizationRecord = (ownerId: number, name: string, now: number): Organization => ({
  id: newId(),
  name,
  slug: slugOf(name),
  ownerId,
  billingEmail: null,
  billingEmailVerifiedAt: null,
  timezone: "UTC",
  dataRetentionDays: null,
  billing: "prepaid",
  status: "active",
  ...NO_LIMITS,
  models: [],
  allowedIps: [],
  metadata: {},
  storePrompts: false,
  budgetId: null,
  createdAt: now,
  updatedAt: now,
});

/** Readable, and different for two organizations of one name. */
function slugOf(name: string): string {
  const words = name
    .normalize("NFKD")
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, "-")
    .replace(/^-+|-+$/g, "")
    .slice(0, 40);
  return `${words || "organization"}-${randomBase62(6).toLowerCase()}`;
}
