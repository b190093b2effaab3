import { useLocalStorage } from "@mantine/hooks";
import type { TeamRecord } from "../../../src/contract/organizations.ts";
import { useOrganization, useTeams } from "./session.ts";

export interface TeamChoice {
  /** Null means all teams that the person sees. */
  readonly team: TeamRecord | null;
  readonly teams: readonly TeamRecord[];
  /** Whose calls are told: " of the team Default", or nothing for those of the whole organization. Members see less than it. */
  readonly ofWhom: string;
  choose(teamId: string | null): void;
}

/** The team that pages with figures of one team begin with. Kept in this browser, for each organization. */
export function useTeamChoice(): TeamChoice {
  const organization = useOrganization();
  const teams = useTeams().data?.data ?? [];
  const [chosen, setChosen] = useLocalStorage<string | null>({
    key: `turnpike-team-${organization?.id ?? "none"}`,
    defaultValue: null,
  });
  const team = teams.find(({ id }) => id === chosen) ?? null;
  const ofWhom = team ? ` of the team ${team.name}` : organization?.role === "member" ? " of your teams" : "";
  return { teams, team, ofWhom, choose: setChosen };
}
