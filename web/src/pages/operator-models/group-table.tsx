import { Card, Group, Table, Text, Title } from "@mantine/core";
import { AppLink } from "../../components/app-link.tsx";
import type { Fallback, FallbackKind, RoutedGroup } from "./routing.ts";
import { StateBadge } from "./state-badge.tsx";
import { tellApart } from "./tell-apart.ts";

const KINDS: Readonly<Record<FallbackKind, string>> = {
  general: "",
  context: " (prompts that are too long)",
  content: " (refused content)",
};

/** The same as the drawing, in words. */
export const GroupTable = ({ groups }: { groups: readonly RoutedGroup[] }) => (
  <Card component="section" aria-label="Groups">
    <Title order={2} mb="sm">
      Groups
    </Title>
    <Table.ScrollContainer minWidth={0}>
      <Table>
        <Table.Thead>
          <Table.Tr>
            <Table.Th>Group</Table.Th>
            <Table.Th visibleFrom="sm">Also called</Table.Th>
            <Table.Th>Deployments</Table.Th>
            <Table.Th visibleFrom="sm">Stand in for it</Table.Th>
            <Table.Th visibleFrom="md">One is chosen by</Table.Th>
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {groups.map(({ name, aliases, deployments, fallbacks }) => (
            <Table.Tr key={name}>
              <Table.Td className="wraps">
                <AppLink to="/operator/models" search={{ search: name }} size="sm">
                  {name}
                </AppLink>
              </Table.Td>
              <Table.Td visibleFrom="sm" className="wraps">
                {aliases.join(", ") || <Nothing />}
              </Table.Td>
              <Table.Td>
                {deployments.length === 0 && <Nothing />}
                <Deployments of={deployments} />
              </Table.Td>
              <Table.Td visibleFrom="sm" className="wraps">
                {fallbacks.length === 0 ? <Nothing /> : fallbacks.map(inWords).join(", then ")}
              </Table.Td>
              <Table.Td visibleFrom="md">{deployments[0]?.strategy ?? <Nothing />}</Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </Table.ScrollContainer>
  </Card>
);

function Deployments({ of: deployments }: { of: RoutedGroup["deployments"] }) {
  const apart = tellApart(deployments);
  return (
    <Group gap={6}>
      {deployments.map((one) => (
        <Group key={one.id} gap={4}>
          <StateBadge deployment={one} />
          {apart.has(one.id) && (
            <Text span size="xs" className="wraps">
              {apart.get(one.id)}
            </Text>
          )}
        </Group>
      ))}
    </Group>
  );
}

const inWords = ({ group, kind }: Fallback): string => `${group}${KINDS[kind]}`;

const Nothing = () => (
  <Text span size="sm" c="dimmed">
    –
  </Text>
);
