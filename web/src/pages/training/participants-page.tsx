import { Badge, Button, Code, Group, Menu, Text } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import { IconBroadcast, IconPencil, IconPlus, IconTrash } from "@tabler/icons-react";
import { useState } from "react";
import type { ParticipantRecord } from "../../../../src/contract/training.ts";
import { apiDelete } from "../../api/client.ts";
import { pageFacts } from "../../api/page-facts.ts";
import { ActionsHeader } from "../../components/actions-header.tsx";
import { Breakable } from "../../components/breakable.tsx";
import type { Column } from "../../components/column.ts";
import { DataTable } from "../../components/data-table.tsx";
import { EmptyState } from "../../components/empty-state.tsx";
import { PageHeader } from "../../components/page-header.tsx";
import { RemovalDialog } from "../../components/remove-button.tsx";
import { RowMenu } from "../../components/row-menu.tsx";
import { Time } from "../../components/time.tsx";
import { usePagedQuery, useTable } from "../../components/use-table.ts";
import { useMaySee, useOrganizationKey } from "../../session/session.ts";
import { ParticipantDialog } from "./participant-dialog.tsx";
import { ProbeButton } from "./probe-button.tsx";

const FILTERS = {};

const COLUMNS: readonly Column<ParticipantRecord>[] = [
  {
    name: "name",
    header: "Participant",
    cell: ({ name, url }) => (
      <>
        <Text size="sm" fw={560} className="wraps">
          {name}
        </Text>
        <Text size="xs" c="dimmed" className="wraps">
          <Breakable>{url}</Breakable>
        </Text>
      </>
    ),
  },
  { name: "probe", header: "How it is", cell: ({ probe }) => <ProbeView probe={probe} /> },
  {
    name: "token",
    header: "Token",
    from: "md",
    cell: ({ hasToken }) => (hasToken ? "kept" : "none"),
  },
  {
    name: "maxExamples",
    header: "Counts at most",
    from: "lg",
    isFigure: true,
    cell: ({ maxExamples }) => (maxExamples === null ? "no limit" : maxExamples.toLocaleString()),
  },
];

const ProbeView = ({ probe }: Pick<ParticipantRecord, "probe">) =>
  probe === null ? (
    <Text size="sm" c="dimmed">
      not asked yet
    </Text>
  ) : (
    <>
      <Group gap={6}>
        <Badge color={probe.ok ? "pine" : "red"}>{probe.ok ? "answers" : "fails"}</Badge>
        <Time at={probe.at} as="ago" size="xs" c="dimmed" />
      </Group>
      <Text size="xs" c="dimmed" className="wraps" maw={360}>
        {probe.ok && probe.datasets.length > 0 ? `${probe.detail}; data: ${probe.datasets.join(", ")}` : probe.detail}
      </Text>
    </>
  );

export default function ParticipantsPage() {
  const key = [...useOrganizationKey(), "training", "participants"];
  const table = useTable(FILTERS);
  const query = usePagedQuery<ParticipantRecord>(table, { key, path: "/api/training/participants" });
  const mayManage = useMaySee()("organization");
  const [isOpen, dialog] = useDisclosure();
  const [changed, setChanged] = useState<ParticipantRecord | null>(null);
  const [removed, setRemoved] = useState<ParticipantRecord | null>(null);
  const actions: Column<ParticipantRecord> = {
    name: "actions",
    header: <ActionsHeader />,
    isFigure: true,
    cell: (row) => (
      <Group gap="xs" justify="flex-end" wrap="nowrap">
        <ProbeButton participant={row} queryKey={key} />
        <RowMenu label={`What to do with ${row.name}`}>
          <Menu.Item leftSection={<IconPencil size={16} />} onClick={() => setChanged(row)}>
            Change
          </Menu.Item>
          <Menu.Item
            c="var(--mantine-color-error)"
            leftSection={<IconTrash size={16} />}
            onClick={() => setRemoved(row)}
          >
            Remove
          </Menu.Item>
        </RowMenu>
      </Group>
    ),
  };
  return (
    <>
      <PageHeader
        title="Participants"
        about="Who trains for this organization, and where it is reached. Each keeps its data to itself."
        actions={
          mayManage && (
            <Button leftSection={<IconPlus size={16} />} onClick={dialog.open}>
              Register a participant
            </Button>
          )
        }
      />
      <DataTable
        label="Participants"
        columns={mayManage ? [...COLUMNS, actions] : COLUMNS}
        query={query}
        table={table}
        rowKey={({ id }) => id}
        empty={
          <EmptyState icon={IconBroadcast} title="No participants yet">
            {mayManage ? (
              <>
                Start one where its data is (<Code>{pageFacts.command} participant</Code>, or one of the SDKs), then
                register its address here.
              </>
            ) : (
              "Owners and admins of the organization register them."
            )}
          </EmptyState>
        }
      />
      <ParticipantDialog opened={isOpen} onClose={dialog.close} participant={null} queryKey={key} />
      {changed && (
        <ParticipantDialog
          key={changed.id}
          opened
          onClose={() => setChanged(null)}
          participant={changed}
          queryKey={key}
        />
      )}
      {removed && (
        <RemovalDialog
          opened
          onClose={() => setRemoved(null)}
          name={removed.name}
          what="participant"
          queryKey={key}
          remove={() => apiDelete(`/api/training/participants/${removed.id}`)}
        >
          Its address and token are forgotten. Runs that have ended keep what it sent.
        </RemovalDialog>
      )}
    </>
  );
}
