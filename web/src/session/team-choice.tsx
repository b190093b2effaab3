import { useLocalStorage } from "@mantine/hooks";
import type { TeamRecord } from "../../../src/contract/organizations.ts";
import { useOrganization, useTeams } from "./session.ts";

export interface TeamChoice {
  /** Null means all teams that the person sees. */
  readonly team: TeamRecord | null;
  readonly teams: readonly TeamRecord[];
  choose(teamId: string | null): void;
}

/** The team that pages with figures of one team begin with. Kept in this browser, for each organization. */
export function useTeamChoice(): TeamChoice {
  const organizationId = useOrganization()?.id ?? "none";
  const teams = useTeams().data?.data ?? [];
  const [chosen, setChosen] = useLocalStorage<string | null>({
    key: `turnpike-team-${organizationId}`,
    defaultValue: null,
  });
  return { teams, team: teams.find(({ id }) => id === chosen) ?? null, choose: setChosen };
}
