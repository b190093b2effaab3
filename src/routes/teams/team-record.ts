import type { TeamWithCounts } from "../../accounts/store.ts";
import type { TeamPerson } from "../../accounts/teams.ts";
import { limitsView, memberLimitsView } from "../../contract/limits.ts";
import type { TeamMemberRecord, TeamRecord } from "../../contract/organizations.ts";
import { isoTime } from "../../contract/users.ts";
import { memberRecord } from "../organizations/member-record.ts";

export const teamRecord = ({ team, membersCount, keysCount }: TeamWithCounts): TeamRecord => ({
  id: team.id,
  name: team.name,
  organizationId: team.organizationId,
  status: team.status,
  blocked: team.status === "blocked",
  blockedReason: team.blockedReason,
  ...limitsView(team),
  models: [...team.models],
  modelAliases: { ...team.modelAliases },
  guardrails: [...team.guardrails],
  tags: [...team.tags],
  metadata: { ...team.metadata },
  membersCount,
  keysCount,
  createdAt: isoTime(team.createdAt),
  updatedAt: isoTime(team.updatedAt),
});

/** Somebody in a team, with what they may spend there. */
export const teamMemberRecord = (person: TeamPerson): TeamMemberRecord => ({
  ...memberRecord(person),
  ...memberLimitsView(person),
});
