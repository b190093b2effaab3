import { Button, Drawer, Stack, Table, Text, Title } from "@mantine/core";
import { CopyButton } from "../../components/copy-button.tsx";
import { Facts } from "../../components/facts.tsx";
import { Time } from "../../components/time.tsx";
import { type AuditEntry, changedFields, otherDetails } from "./audit-entry.ts";
import { FieldValue, fieldName } from "./field-value.tsx";
import type { Names } from "./use-names.ts";
import { actionWords } from "./words.ts";

interface EntryDrawerProps {
  readonly entry: AuditEntry | null;
  readonly names: Names;
  readonly onClose: () => void;
  /** Everything that happened to the same thing. */
  readonly onTarget: (targetId: string) => void;
}

/** One change, with all that the log has of it. */
export const EntryDrawer = ({ entry, names, onClose, onTarget }: EntryDrawerProps) => (
  <Drawer
    opened={entry !== null}
    onClose={onClose}
    title={<Text fw={600}>Change</Text>}
    closeButtonProps={{ "aria-label": "Close" }}
  >
    {entry && (
      <>
        <Details entry={entry} names={names} />
        <Button variant="default" mt="lg" onClick={() => onTarget(entry.targetId)}>
          All changes to it
        </Button>
      </>
    )}
  </Drawer>
);

function Details({ entry, names }: { entry: AuditEntry; names: Names }) {
  const changed = changedFields(entry);
  return (
    <Stack gap="lg">
      <Title order={2} className="wraps">
        {names.who(entry)} {actionWords(entry.action)}: {names.target(entry)}
      </Title>
      {changed.length > 0 && (
        <section aria-label="What changed">
          <Table layout="fixed" aria-label="What changed" highlightOnHover={false}>
            <Table.Thead>
              <Table.Tr>
                <Table.Th>Field</Table.Th>
                <Table.Th>Before</Table.Th>
                <Table.Th>After</Table.Th>
              </Table.Tr>
            </Table.Thead>
            <Table.Tbody>
              {changed.map(({ name, from, to }) => (
                <Table.Tr key={name}>
                  <Table.Td className="wraps">{fieldName(name)}</Table.Td>
                  <Table.Td className="wraps">
                    <FieldValue name={name} value={from} names={names} />
                  </Table.Td>
                  <Table.Td className="wraps">
                    <FieldValue name={name} value={to} names={names} />
                  </Table.Td>
                </Table.Tr>
              ))}
            </Table.Tbody>
          </Table>
        </section>
      )}
      <section aria-label="Facts">
        <Facts
          items={[
            ["When", <Time key="at" at={entry.at} />],
            ["From the address", entry.address ?? "this server itself"],
            ["Action", entry.action],
            [
              "Target's id",
              <span key="target">
                {entry.targetId} <CopyButton value={entry.targetId} label="Copy the target's id" />
              </span>,
            ],
            ...otherDetails(entry).map(
              ([name, value]) =>
                [fieldName(name), <FieldValue key={name} name={name} value={value} names={names} />] as const,
            ),
            ["Entry", entry.id],
            ["Seal", entry.hash ?? "not sealed yet; it takes about a second"],
          ]}
        />
      </section>
    </Stack>
  );
}
