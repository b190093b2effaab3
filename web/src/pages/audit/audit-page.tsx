import { Button, Group, Text, Tooltip } from "@mantine/core";
import { IconClock, IconHistory, IconShieldCheck } from "@tabler/icons-react";
import type { Column } from "../../components/column.ts";
import { DataTable } from "../../components/data-table.tsx";
import { EmptyState } from "../../components/empty-state.tsx";
import { ExportLogMenu } from "../../components/export-log-menu.tsx";
import { PageHeader } from "../../components/page-header.tsx";
import { Time } from "../../components/time.tsx";
import { useOpened } from "../../components/use-opened.ts";
import { usePagedQuery, useTable } from "../../components/use-table.ts";
import { useOrganization, useOrganizationKey } from "../../session/session.ts";
import type { AuditEntry } from "./audit-entry.ts";
import { AuditFilterBar, askedFor, FILTERS, isFiltered } from "./audit-filters.tsx";
import { EntryDrawer } from "./entry-drawer.tsx";
import { type Names, useNames } from "./use-names.ts";
import { actionWords } from "./words.ts";

/** The filters, and which entry is open. */
const STATE = { ...FILTERS, entry: "" };

/** Who changed what in the organization, for its owners and admins. */
export default function AuditPage() {
  const organization = useOrganization();
  const key = useOrganizationKey();
  const names = useNames();
  const table = useTable(STATE);
  const { open, close } = useOpened((entry, how) => table.set({ entry, page: table.state.page }, how));
  const filter = askedFor(table.state);
  const path = `/api/gw/organizations/${organization?.id}/audit-logs`;
  const query = usePagedQuery<AuditEntry>(table, { key: [...key, "audit"], path, query: filter });
  return (
    <>
      <PageHeader
        title="Audit log"
        about={`Who changed what in ${organization?.name}, the latest first. Each entry is sealed together with the one before it: whoever runs this installation can prove that none was changed or removed.`}
        actions={<ExportLogMenu path={`${path}/export`} filter={filter} />}
      />
      <AuditFilterBar state={table.state} set={table.set} names={names} />
      <DataTable
        label="Audit log"
        columns={columnsOf(names)}
        query={query}
        table={table}
        rowKey={({ id }) => id}
        onRow={({ id }) => open(id)}
        empty={
          isFiltered(table.state) ? (
            <EmptyState
              icon={IconHistory}
              title="Nothing fits"
              action={<Button onClick={() => table.set(FILTERS)}>Show all</Button>}
            >
              No change fits all of these filters. An id has to be whole.
            </EmptyState>
          ) : (
            <EmptyState icon={IconHistory} title="Nothing was changed yet">
              Keys, teams, members, settings and payments: every change of them will stand here.
            </EmptyState>
          )
        }
      />
      <EntryDrawer
        entry={query.data?.data.find(({ id }) => id === table.state.entry) ?? null}
        names={names}
        onClose={close}
        onTarget={(target) => table.set({ ...STATE, target })}
      />
    </>
  );
}

const columnsOf = (names: Names): readonly Column<AuditEntry>[] => [
  { name: "at", header: "When", isWhole: true, cell: ({ at }) => <Time at={at} size="sm" /> },
  {
    name: "who",
    header: "Who",
    from: "sm",
    cell: (entry) => (
      <Text size="sm" className="code">
        {names.who(entry)}
      </Text>
    ),
  },
  {
    name: "what",
    header: "What",
    cell: (entry) => (
      <>
        <Text size="sm" fw={560}>
          {actionWords(entry.action)}
        </Text>
        <Text size="xs" c="dimmed" hiddenFrom="sm">
          {names.who(entry)}
        </Text>
      </>
    ),
  },
  {
    name: "target",
    header: "To",
    cell: (entry) => <Text size="sm">{names.target(entry)}</Text>,
  },
  { name: "address", header: "Address", isWhole: true, from: "lg", cell: ({ address }) => address ?? "" },
  { name: "seal", header: "Seal", isWhole: true, from: "md", cell: ({ hash }) => <Seal hash={hash} /> },
];

const Seal = ({ hash }: { hash: string | null }) => (
  <Tooltip label={hash ?? "About a second after the change"} multiline maw={320} className="wraps">
    <Group gap={4} wrap="nowrap">
      {hash === null ? <IconClock size={16} stroke={1.6} /> : <IconShieldCheck size={16} stroke={1.6} />}
      <Text size="sm">{hash === null ? "not yet" : "sealed"}</Text>
    </Group>
  </Tooltip>
);
