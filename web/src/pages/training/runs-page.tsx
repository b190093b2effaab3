import { Group, Progress, Select, Text } from "@mantine/core";
import { IconPlus, IconSchool } from "@tabler/icons-react";
import { useNavigate } from "@tanstack/react-router";
import type { RunRecord } from "../../../../src/contract/training.ts";
import { AppLink } from "../../components/app-link.tsx";
import { ButtonLink } from "../../components/button-link.tsx";
import type { Column } from "../../components/column.ts";
import { DataTable } from "../../components/data-table.tsx";
import { EmptyState } from "../../components/empty-state.tsx";
import { PageHeader } from "../../components/page-header.tsx";
import { Time } from "../../components/time.tsx";
import { usePagedQuery, useTable } from "../../components/use-table.ts";
import { useMaySee, useOrganizationKey } from "../../session/session.ts";
import { RunBadge } from "./run-badge.tsx";

const REFRESH_MS = 5_000;
const FILTERS = { status: "" };
const STATUSES = [
  { value: "queued", label: "waits" },
  { value: "running", label: "runs" },
  { value: "paused", label: "paused" },
  { value: "completed", label: "completed" },
  { value: "cancelled", label: "cancelled" },
];

const COLUMNS: readonly Column<RunRecord>[] = [
  {
    name: "name",
    header: "Run",
    cell: ({ id, name }) => (
      <AppLink to={`/training/runs/${id}`} fw={560} underline="hover" className="wraps">
        {name}
      </AppLink>
    ),
  },
  { name: "status", header: "Status", cell: ({ status }) => <RunBadge status={status} /> },
  {
    name: "rounds",
    header: "Rounds",
    width: 110,
    cell: ({ rounds, roundsDone }) => (
      <>
        <Text size="sm" className="figures">
          {roundsDone} of {rounds}
        </Text>
        <Progress value={(100 * roundsDone) / rounds} size="xs" aria-label={`${roundsDone} of ${rounds} rounds`} />
      </>
    ),
  },
  { name: "strategy", header: "Strategy", from: "sm", cell: ({ strategy }) => strategy },
  {
    name: "participants",
    header: "Participants",
    isFigure: true,
    from: "sm",
    cell: ({ participants }) => participants.length,
  },
  { name: "createdAt", header: "Started", from: "md", cell: ({ createdAt }) => <Time at={createdAt} as="ago" /> },
];

export default function RunsPage() {
  const table = useTable(FILTERS);
  const { status } = table.state;
  const query = usePagedQuery<RunRecord>(table, {
    key: [...useOrganizationKey(), "training", "runs"],
    path: "/api/training/runs",
    query: { status: status === "" ? undefined : status },
    refetchMs: REFRESH_MS,
  });
  const mayManage = useMaySee()("organization");
  const navigate = useNavigate();
  return (
    <>
      <PageHeader
        title="Training runs"
        about="Participants train one model together: their data stays where it is, and the server puts together what they send back."
        actions={
          mayManage && (
            <ButtonLink to="/training/new" leftSection={<IconPlus size={16} />}>
              New run
            </ButtonLink>
          )
        }
      />
      <Group mb="md">
        <Select
          aria-label="Status"
          placeholder="Any status"
          clearable
          clearButtonProps={{ "aria-label": "Any status" }}
          data={STATUSES}
          value={status || null}
          onChange={(value) => table.set({ status: value ?? "", page: "1" })}
        />
      </Group>
      <DataTable
        label="Training runs"
        columns={COLUMNS}
        query={query}
        table={table}
        rowKey={({ id }) => id}
        onRow={({ id }) => void navigate({ to: `/training/runs/${id}` as never })}
        empty={
          <EmptyState
            icon={IconSchool}
            title={status === "" ? "No runs yet" : "No such runs"}
            action={
              mayManage && status === "" ? (
                <ButtonLink to="/training/participants" variant="default">
                  Register participants
                </ButtonLink>
              ) : undefined
            }
          >
            {status !== ""
              ? "Choose another status to see others."
              : mayManage
                ? "Register who takes part, then start a run."
                : "Owners and admins of the organization start runs; they show here."}
          </EmptyState>
        }
      />
    </>
  );
}
