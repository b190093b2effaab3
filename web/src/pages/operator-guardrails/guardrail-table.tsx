import { Button, Group, Stack, Table, Text } from "@mantine/core";
import { apiDelete } from "../../api/client.ts";
import { ActionsHeader } from "../../components/actions-header.tsx";
import { RemoveButton } from "../../components/remove-button.tsx";
import { GUARDRAILS_KEY, type GuardrailView, KIND_NAMES, KINDS, MODES } from "./guardrail.ts";

interface GuardrailTableProps {
  readonly guardrails: readonly GuardrailView[];
  readonly onTry: (name: string) => void;
  readonly onCopy: (view: GuardrailView) => void;
  readonly onEdit: (name: string) => void;
}

/** In the order in which they look. */
export const GuardrailTable = ({ guardrails, ...actions }: GuardrailTableProps) => (
  <Table.ScrollContainer minWidth={0}>
    <Table aria-label="Guardrails">
      <Table.Thead>
        <Table.Tr>
          <Table.Th>Name</Table.Th>
          <Table.Th visibleFrom="sm">Looks</Table.Th>
          <Table.Th visibleFrom="md">For</Table.Th>
          <Table.Th visibleFrom="sm">Does</Table.Th>
          <Table.Th visibleFrom="lg">Kept in</Table.Th>
          <Table.Th>
            <ActionsHeader />
          </Table.Th>
        </Table.Tr>
      </Table.Thead>
      <Table.Tbody>
        {guardrails.map((one) => (
          <Table.Tr key={`${one.source} ${one.name}`}>
            <Table.Td>
              <Stack gap={0}>
                <Text size="sm" fw={560} className="wraps">
                  {one.name}
                </Text>
                <Text size="xs" c="dimmed">
                  {KIND_NAMES[one.kind]}
                </Text>
                {/* What the columns say that a phone has no room for. */}
                <Text size="xs" c="dimmed" hiddenFrom="sm">
                  {does(one)} {looks(one)}
                </Text>
                <Text size="xs" c="dimmed" hiddenFrom="md">
                  for {looksFor(one)}
                </Text>
                {one.faults.map((fault) => (
                  <Text key={fault} size="xs" c="var(--mantine-color-error)">
                    {fault}
                  </Text>
                ))}
              </Stack>
            </Table.Td>
            <Table.Td visibleFrom="sm">{looks(one)}</Table.Td>
            <Table.Td visibleFrom="md">{looksFor(one)}</Table.Td>
            <Table.Td visibleFrom="sm">{does(one)}</Table.Td>
            <Table.Td visibleFrom="lg">{one.source === "database" ? "the database" : "the file"}</Table.Td>
            <Table.Td>
              <Actions one={one} {...actions} />
            </Table.Td>
          </Table.Tr>
        ))}
      </Table.Tbody>
    </Table>
  </Table.ScrollContainer>
);

const looks = ({ modes }: GuardrailView): string => modes.map((mode) => MODES[mode]).join(", ");
const looksFor = ({ defaultOn }: GuardrailView): string =>
  defaultOn ? "every call" : "calls, keys and teams that name it";
const does = ({ action }: GuardrailView): string => (action === "mask" ? "masks" : "refuses");

type ActionsProps = Omit<GuardrailTableProps, "guardrails"> & { readonly one: GuardrailView };

function Actions({ one, onTry, onCopy, onEdit }: ActionsProps) {
  const { name, kind, source } = one;
  const button = (words: string, act: () => void) => (
    <Button size="xs" variant="default" onClick={act} aria-label={`${words} ${name}`}>
      {words}
    </Button>
  );
  return (
    <Group gap="xs" justify="flex-end">
      {one.faults.length === 0 && button("Try", () => onTry(name))}
      {kind in KINDS &&
        (source === "database" ? button("Edit", () => onEdit(name)) : button("Copy", () => onCopy(one)))}
      {source === "database" && (
        <RemoveButton
          name={name}
          what="guardrail"
          queryKey={GUARDRAILS_KEY}
          remove={() => apiDelete(`/api/admin/guardrails/${encodeURIComponent(name)}`)}
        >
          It no longer looks at any call. Keys and teams that name it cannot call until it is taken off them.
        </RemoveButton>
      )}
    </Group>
  );
}
