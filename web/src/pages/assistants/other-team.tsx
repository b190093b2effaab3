import { Text } from "@mantine/core";

/** A link that somebody of another team has sent opens nothing with a key of this one. */
export const OtherTeam = ({ hasChoice }: { hasChoice: boolean }) => (
  <Text size="sm">
    {hasChoice
      ? "A key shows what belongs to its own team. If this is another team's, choose a key of that team above."
      : "Your key shows what belongs to its own team. If this is another team's, make a key in that team."}
  </Text>
);
