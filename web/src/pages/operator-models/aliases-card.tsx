import { Button, Card, Group, Table, Text, Title } from "@mantine/core";
import { IconPlus } from "@tabler/icons-react";
import { useState } from "react";
import { ErrorState } from "../../components/error-state.tsx";
import { AliasDialog } from "./alias-dialog.tsx";
import { KeptIn } from "./kept-in.tsx";
import { RuleActions } from "./rule-actions.tsx";
import { type AliasView, aliasPath, useAliases } from "./use-rules.ts";

/** Other names of groups, and a way to set them. */
export function AliasesCard({ groups }: { groups: readonly string[] }) {
  const { data, error } = useAliases();
  const [edited, setEdited] = useState<AliasView | "new" | null>(null);
  return (
    <Card component="section" aria-label="Aliases">
      <Group justify="space-between" mb={4}>
        <Title order={2}>Aliases</Title>
        <Button size="xs" leftSection={<IconPlus size={14} />} onClick={() => setEdited("new")}>
          New alias
        </Button>
      </Group>
      <Text size="sm" c="dimmed" mb="sm">
        Other names that callers may use for a group. What is set here holds for the next call, in place of what the
        configuration file says of the same name.
      </Text>
      {error && <ErrorState error={error} />}
      {data?.data.length === 0 && (
        <Text c="dimmed">No aliases yet. One lets callers keep a name while the model behind it changes.</Text>
      )}
      {data && data.data.length > 0 && (
        <Table.ScrollContainer minWidth={0}>
          <Table aria-label="Aliases">
            <Table.Thead>
              <Table.Tr>
                <Table.Th>Alias</Table.Th>
                <Table.Th>Stands for</Table.Th>
                <Table.Th visibleFrom="md">In lists of models</Table.Th>
                <Table.Th visibleFrom="sm">Kept in</Table.Th>
                <Table.Th />
              </Table.Tr>
            </Table.Thead>
            <Table.Tbody>
              {data.data.map((one) => (
                <Table.Tr key={one.alias}>
                  <Table.Td className="wraps">{one.alias}</Table.Td>
                  <Table.Td className="wraps">{one.model}</Table.Td>
                  <Table.Td visibleFrom="md">{one.hidden ? "hidden" : "shown"}</Table.Td>
                  <Table.Td visibleFrom="sm">
                    <KeptIn source={one.source} file={one.configured?.model ?? null} />
                  </Table.Td>
                  <Table.Td>
                    <RuleActions
                      name={one.alias}
                      what="alias"
                      path={aliasPath(one.alias)}
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
        <AliasDialog alias={edited === "new" ? null : edited} groups={groups} onClose={() => setEdited(null)} />
      )}
    </Card>
  );
}
