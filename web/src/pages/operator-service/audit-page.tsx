import { Button, Drawer, Group, Text } from "@mantine/core";
import { IconHistory } from "@tabler/icons-react";
import { CodeBlock } from "../../components/code-block.tsx";
import type { Column } from "../../components/column.ts";
import { DataTable } from "../../components/data-table.tsx";
import { DayField } from "../../components/day-field.tsx";
import { EmptyState } from "../../components/empty-state.tsx";
import { ExportLogMenu } from "../../components/export-log-menu.tsx";
import { Facts } from "../../components/facts.tsx";
import { PageHeader } from "../../components/page-header.tsx";
import { SearchField } from "../../components/search-field.tsx";
import { Time } from "../../components/time.tsx";
import { useOpened } from "../../components/use-opened.ts";
import { usePagedQuery, useTable } from "../../components/use-table.ts";
import { CheckButton, CheckResult, useAuditCheck } from "./audit-check.tsx";
import classes from "./audit-page.module.css";
import { Person } from "./person.tsx";

interface AuditEntry {
  readonly id: string;
  readonly at: string;
  readonly actor: string;
  readonly userId: number | null;
  readonly action: string;
  readonly organizationId: string | null;
  readonly targetType: string;
  readonly targetId: string;
  readonly targetName: string | null;
  readonly details: Readonly<Record<string, unknown>>;
  readonly address: string | null;
  /** Both are null until the row is sealed. */
  readonly seq: number | null;
  readonly hash: string | null;
}

const FILTERS = { action: "", organizationId: "", userId: "", startDate: "", endDate: "" };
/** Beside them, which entry is open. */
const STATE = { ...FILTERS, entry: "" };

export default function AuditPage() {
  const table = useTable(STATE);
  const { open, close } = useOpened((entry, how) => table.set({ entry, page: table.state.page }, how));
  const { action, organizationId, userId, startDate, endDate } = table.state;
  const filter = { action, organizationId, userId, startDate, endDate };
  const query = usePagedQuery<AuditEntry>(table, {
    key: ["operator", "audit"],
    path: "/api/admin/audit-logs",
    query: filter,
  });
  const check = useAuditCheck();
  const isFiltered = Object.values(filter).some((value) => value !== "");
  return (
    <>
      <PageHeader
        title="Audit log"
        about="Who changed what, the latest first. It is written with the change itself, and each row is sealed together with the one before it."
        actions={
          <Group gap="sm">
            <CheckButton query={check} />
            <ExportLogMenu path="/api/admin/audit-logs/export" filter={filter} />
          </Group>
        }
      />
      <CheckResult query={check} />
      <Group mb="md" gap="sm" align="flex-end">
        <SearchField
          label="Action, such as api_key.create"
          value={action}
          onSearch={(text) => table.set({ action: text.trim() })}
        />
        <SearchField
          label="Organization's id"
          value={organizationId}
          onSearch={(text) => table.set({ organizationId: text.trim() })}
        />
        <DayField label="From, in UTC" value={startDate} onDay={(day) => table.set({ startDate: day })} />
        <DayField label="To, in UTC" value={endDate} onDay={(day) => table.set({ endDate: day })} />
        {isFiltered && (
          <Button variant="subtle" onClick={() => table.set(FILTERS)}>
            Clear
          </Button>
        )}
      </Group>
      <DataTable
        label="Audit log"
        columns={COLUMNS}
        query={query}
        table={table}
        rowKey={({ id }) => id}
        onRow={({ id }) => open(id)}
        empty={
          <EmptyState icon={IconHistory} title={isFiltered ? "Nothing fits" : "Nothing was changed yet"}>
            {isFiltered
              ? "The action has to be whole: api_key.create. Dates are days in UTC."
              : "Every change is written here."}
          </EmptyState>
        }
      />
      <EntryDrawer entry={query.data?.data.find(({ id }) => id === table.state.entry) ?? null} onClose={close} />
    </>
  );
}

const COLUMNS: readonly Column<AuditEntry>[] = [
  { name: "at", header: "When", isWhole: true, cell: ({ at }) => <Time at={at} size="sm" /> },
  {
    name: "actor",
    header: "Who",
    from: "sm",
    cell: ({ actor, userId }) => (
      <Text size="sm" className={classes.person}>
        <Person actor={actor} userId={userId} />
      </Text>
    ),
  },
  {
    name: "action",
    header: "What",
    isWhole: true,
    cell: ({ action, actor, userId }) => (
      <>
        <Text size="sm" fw={560}>
          {action}
        </Text>
        <Text size="xs" c="dimmed" hiddenFrom="sm" className="wraps">
          <Person actor={actor} userId={userId} />
        </Text>
      </>
    ),
  },
  {
    name: "target",
    header: "To",
    from: "md",
    cell: ({ targetType, targetId, targetName }) => (
      <Text size="sm" className="wraps">
        {targetType} {targetName ?? targetId}
      </Text>
    ),
  },
  { name: "address", header: "Address", isWhole: true, from: "lg", cell: ({ address }) => address ?? "" },
];

function EntryDrawer({ entry, onClose }: { entry: AuditEntry | null; onClose: () => void }) {
  return (
    <Drawer
      opened={entry !== null}
      onClose={onClose}
      title={entry?.action ?? ""}
      closeButtonProps={{ "aria-label": "Close" }}
    >
      {entry && (
        <>
          <Facts
            items={[
              ["When", <Time key="at" at={entry.at} />],
              ["Who", <Person key="who" actor={entry.actor} userId={entry.userId} />],
              ["Person's id", entry.userId ?? undefined],
              [
                "On behalf of",
                typeof entry.details.onBehalfOf === "number" ? (
                  <Person key="whom" actor="user" userId={entry.details.onBehalfOf} />
                ) : undefined,
              ],
              ["What", entry.action],
              ["To", `${entry.targetType} ${entry.targetId}`],
              ["Its name", entry.targetName ?? undefined],
              ["Organization's id", entry.organizationId ?? undefined],
              ["Address", entry.address ?? "this process itself"],
              ["Row", entry.seq ?? "not sealed yet"],
              ["Hash", entry.hash ?? undefined],
            ]}
          />
          <Text size="sm" fw={560} mt="md" mb="xs">
            Details
          </Text>
          <CodeBlock code={JSON.stringify(entry.details, null, 2)} label="Copy the details" />
        </>
      )}
    </Drawer>
  );
}
