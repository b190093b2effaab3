import { Button, Card, Group, Table, Text, Title } from "@mantine/core";
import { IconPlus } from "@tabler/icons-react";
import { useState } from "react";
import { ErrorState } from "../../components/error-state.tsx";
import { FallbackDialog } from "./fallback-dialog.tsx";
import { KeptIn } from "./kept-in.tsx";
import { RuleActions } from "./rule-actions.tsx";
import { type FallbackView, fallbackPath, groupName, useFallbacks, WHEN } from "./use-rules.ts";

/** Who stands in for whom, and a way to set it. */
export function FallbacksCard({ groups }: { groups: readonly string[] }) {
  const { data, error } = useFallbacks();
  const [edited, setEdited] = useState<FallbackView | "new" | null>(null);
  return (
    <Card component="section" aria-label="Fallbacks">
      <Group justify="space-between" mb={4}>
        <Title order={2}>Fallbacks</Title>
        <Button size="xs" leftSection={<IconPlus size={14} />} onClick={() => setEdited("new")}>
          New fallback
        </Button>
      </Group>
      <Text size="sm" c="dimmed" mb="sm">
        Who is asked when a group fails, in their order. What is set here holds for the next call, in place of what the
        configuration file says of the same group.
      </Text>
      {error && <ErrorState error={error} />}
      {data?.data.length === 0 && (
        <Text c="dimmed">No fallbacks yet. With one, callers get an answer while a group is down.</Text>
      )}
      {data && data.data.length > 0 && (
        <Table.ScrollContainer minWidth={0}>
          <Table aria-label="Fallbacks">
            <Table.Thead>
              <Table.Tr>
                <Table.Th>Group</Table.Th>
                <Table.Th visibleFrom="md">When</Table.Th>
                <Table.Th>Stand in</Table.Th>
                <Table.Th visibleFrom="sm">Kept in</Table.Th>
                <Table.Th />
              </Table.Tr>
            </Table.Thead>
            <Table.Tbody>
              {data.data.map((one) => (
                <Table.Tr key={`${one.kind} ${one.group}`}>
                  <Table.Td className="wraps">{groupName(one.group)}</Table.Td>
                  <Table.Td visibleFrom="md">{WHEN[one.kind]}</Table.Td>
                  <Table.Td className="wraps">{inWords(one.targets)}</Table.Td>
                  <Table.Td visibleFrom="sm">
                    <KeptIn source={one.source} file={one.configured && inWords(one.configured)} />
                  </Table.Td>
                  <Table.Td>
                    <RuleActions
                      name={`${groupName(one.group)}, when ${WHEN[one.kind]}`}
                      what="fallback of"
                      path={fallbackPath(one)}
                      source={one.source}
                      isOverriding={one.configured !== null}
                      onEdit={() => setEdited(one)}
                    />
                  </Table.Td>
                </Table.Tr>
              ))}
            </Table.Tbody>
          </Table>
        </Table.ScrollContainer>
      )}
      {edited && (
        <FallbackDialog fallback={edited === "new" ? null : edited} groups={groups} onClose={() => setEdited(null)} />
      )}
    </Card>
  );
}

const inWords = (targets: readonly string[]): string => targets.join(", then ") || "nobody";
