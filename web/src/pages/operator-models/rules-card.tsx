import { Button, Card, Group, Table, Text, Title } from "@mantine/core";
import { IconPlus } from "@tabler/icons-react";
import { type ReactNode, useState } from "react";
import { ErrorState } from "../../components/error-state.tsx";

interface RulesCardProps<Rule> {
  readonly title: string;
  /** What the button that sets another one says. */
  readonly add: string;
  readonly about: string;
  /** What is said where there is none yet. */
  readonly empty: string;
  readonly rules: readonly Rule[] | undefined;
  readonly error: Error | null;
  readonly head: ReactNode;
  /** A row of the table, with a way to change the rule. */
  readonly row: (rule: Rule, edit: () => void) => ReactNode;
  /** The dialog for a rule; null for one that is new. */
  readonly dialog: (rule: Rule | null, close: () => void) => ReactNode;
}

/** Rules of one kind that operators set while the program runs. */
export function RulesCard<Rule>({ title, add, about, empty, rules, error, head, row, dialog }: RulesCardProps<Rule>) {
  const [edited, setEdited] = useState<{ readonly rule: Rule | null } | null>(null);
  return (
    <Card component="section" aria-label={title}>
      <Group justify="space-between" mb={4}>
        <Title order={2}>{title}</Title>
        <Button size="xs" leftSection={<IconPlus size={14} />} onClick={() => setEdited({ rule: null })}>
          {add}
        </Button>
      </Group>
      <Text size="sm" c="dimmed" mb="sm">
        {about}
      </Text>
      {error && !rules && <ErrorState error={error} />}
      {rules?.length === 0 && <Text c="dimmed">{empty}</Text>}
      {rules && rules.length > 0 && (
        <Table.ScrollContainer minWidth={0}>
          <Table aria-label={title}>
            <Table.Thead>{head}</Table.Thead>
            <Table.Tbody>{rules.map((rule) => row(rule, () => setEdited({ rule })))}</Table.Tbody>
          </Table>
        </Table.ScrollContainer>
      )}
      {edited && dialog(edited.rule, () => setEdited(null))}
    </Card>
  );
}
