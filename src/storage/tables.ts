import type { Generated } from "kysely";
import type { ApiKey, Organization, Session, Team, User } from "../accounts/records.ts";
import type { OrganizationMember, TeamMember } from "../accounts/store.ts";

/** Columns as the program sees them; `migrations/` has them as the databases do. */
export type Tables = {
  users: Omit<User, "id"> & { id: Generated<number> };
  organizations: Organization;
  organizationMembers: OrganizationMember;
  teams: WithModelsText<Team>;
  teamMembers: TeamMember;
  apiKeys: WithModelsText<ApiKey>;
  sessions: Session;
  settings: { name: string; value: string };
};

/** Lists are JSON in a text column, since neither database has a list type that the other knows. */
type WithModelsText<T> = Omit<T, "models"> & { models: string };
