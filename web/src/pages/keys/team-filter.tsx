import { Select } from "@mantine/core";
import type { TeamChoice } from "../../session/team-choice.tsx";

/** In the address: all teams, whatever is chosen in the corner. */
const ALL = "all";

/** Whose keys are shown: the address comes before the choice in the corner, so that a link shows the same to everybody. */
export const askedTeam = (asked: string, corner: TeamChoice["team"]): string | undefined =>
  asked === ALL ? undefined : asked === "" ? corner?.id : asked;

interface TeamFilterProps {
  readonly choice: TeamChoice;
  /** As it stands in the address. */
  readonly asked: string;
  readonly onAsk: (asked: string) => void;
}

/** On a phone the choice in the corner is out of sight: here it is said, and changed for this page. */
export function TeamFilter({ choice: { team, teams }, asked, onAsk }: TeamFilterProps) {
  const shown = askedTeam(asked, team) ?? ALL;
  if (teams.length < 2 && shown === ALL) return null;
  const isListed = shown === ALL || teams.some(({ id }) => id === shown);
  return (
    <Select
      aria-label="Team"
      data={[
        { value: ALL, label: "All teams" },
        ...teams.map(({ id, name }) => ({ value: id, label: name })),
        ...(isListed ? [] : [{ value: shown, label: "a team that is not listed" }]),
      ]}
      value={shown}
      onChange={(chosen) => onAsk(chosen === (team?.id ?? ALL) ? "" : (chosen ?? ""))}
      allowDeselect={false}
      searchable={teams.length > 10}
      w={{ base: "100%", xs: 200 }}
    />
  );
}
