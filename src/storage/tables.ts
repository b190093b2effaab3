import type { Generated } from "kysely";
import type {
  ApiKey,
  AuditEntry,
  Organization,
  OrganizationMember,
  Session,
  Team,
  TeamMember,
  User,
} from "../accounts/records.ts";

/** Columns as the program sees them; `migrations/` has them as the databases do. */
export type Tables = {
  users: Omit<User, "id"> & { id: Generated<number> };
  organizations: Organization;
  organizationMembers: OrganizationMember;
  teams: WithText<Team, "models">;
  teamMembers: TeamMember;
  apiKeys: WithText<ApiKey, "models" | "allowedIps" | "tags" | "metadata">;
  sessions: Session;
  auditLog: WithText<AuditEntry, "details">;
  settings: { name: string; value: string };
};

/** Lists and objects are JSON in a text column, since neither database has a type for them that the other knows. */
type WithText<T, Columns extends keyof T> = Omit<T, Columns> & Record<Columns, string>;
