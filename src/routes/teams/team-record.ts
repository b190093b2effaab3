import type { TeamWithCounts } from "../../accounts/store.ts";
import type { TeamRecord } from "../../contract/organizations.ts";
import { isoTime } from "../../contract/users.ts";

export const teamRecord = ({ team, membersCount, keysCount }: TeamWithCounts): TeamRecord => ({
  id: team.id,
  name: team.name,
  organizationId: team.organizationId,
  status: team.status,
  blocked: team.status === "blocked",
  blockedReason: team.blockedReason,
  budget: null,
  models: [...team.models],
  membersCount,
  keysCount,
  createdAt: isoTime(team.createdAt),
  updatedAt: isoTime(team.updatedAt),
});
