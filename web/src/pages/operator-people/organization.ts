import type { ApiKeyRecord } from "../../../../src/contract/keys.ts";
import type { OrganizationRecord, TeamRecord } from "../../../../src/contract/organizations.ts";

/** An organization as operators see it. */
export type AdminOrganization = Omit<OrganizationRecord, "role"> & { readonly budgetId: string | null };

export type AdminTeam = TeamRecord & { readonly organizationName: string; readonly budgetId: string | null };

export type AdminKey = ApiKeyRecord & {
  readonly teamName: string;
  readonly organizationName: string;
  readonly budgetId: string | null;
};

export const ORGANIZATIONS_KEY = ["operator", "organizations"] as const;
export const TEAMS_KEY = ["operator", "teams"] as const;
export const KEYS_KEY = ["operator", "keys"] as const;
