import { Group, Menu, Text, UnstyledButton, VisuallyHidden } from "@mantine/core";
import { IconCheck, IconSelector } from "@tabler/icons-react";
import { useOrganization, useOrganizations, useSwitchOrganization } from "../session/session.ts";
import { useTeamChoice } from "../session/team-choice.tsx";
import classes from "./organization-switcher.module.css";

/** In which organization, and in which of its teams, somebody works. */
export function OrganizationSwitcher() {
  const organization = useOrganization();
  const all = useOrganizations().data?.data ?? [];
  const { team, teams, choose } = useTeamChoice();
  const change = useSwitchOrganization();
  if (!organization) return null;
  return (
    <Menu position="bottom-start" width={260}>
      <Menu.Target>
        <UnstyledButton className={classes.button}>
          <Group justify="space-between" wrap="nowrap">
            <div className={classes.names}>
              <Text size="sm" fw={600} truncate>
                {organization.name}
              </Text>
              <Text size="xs" c="dimmed" truncate>
                {team?.name ?? "All teams"}
              </Text>
            </div>
            <VisuallyHidden>Change the organization or the team</VisuallyHidden>
            <IconSelector size={16} stroke={1.6} className={classes.icon} />
          </Group>
        </UnstyledButton>
      </Menu.Target>
      <Menu.Dropdown mah={420} className={classes.list}>
        <Menu.Label>Team</Menu.Label>
        <Choice label="All teams" isChosen={team === null} onChoose={() => choose(null)} />
        {teams.map(({ id, name }) => (
          <Choice key={id} label={name} isChosen={team?.id === id} onChoose={() => choose(id)} />
        ))}
        {all.length > 1 && <Menu.Label>Organization</Menu.Label>}
        {all.length > 1 &&
          all.map(({ id, name }) => (
            <Choice key={id} label={name} isChosen={organization.id === id} onChoose={() => change.mutate(id)} />
          ))}
      </Menu.Dropdown>
    </Menu>
  );
}

const Choice = ({ label, isChosen, onChoose }: { label: string; isChosen: boolean; onChoose: () => void }) => (
  <Menu.Item onClick={onChoose} rightSection={isChosen ? <IconCheck size={14} aria-label="chosen" /> : null}>
    <span className="wraps">{label}</span>
  </Menu.Item>
);
