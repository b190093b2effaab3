import { ActionIcon, Button, Group, Text, Tooltip } from "@mantine/core";
import { IconChecklist, IconFileAlert, IconPlayerStop, IconPlus } from "@tabler/icons-react";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { type ReactNode, useState } from "react";
import type { CursorList, KeyApi } from "../../api/key-api.ts";
import { useSearchState } from "../../app/use-search-state.ts";
import { ActionsHeader } from "../../components/actions-header.tsx";
import { Breakable } from "../../components/breakable.tsx";
import type { Column } from "../../components/column.ts";
import { ConfirmDialog } from "../../components/confirm-dialog.tsx";
import { CursorTable } from "../../components/cursor-table.tsx";
import { EmptyState } from "../../components/empty-state.tsx";
import { KeyedPage } from "../../components/keyed-page.tsx";
import { PageHeader } from "../../components/page-header.tsx";
import { Time } from "../../components/time.tsx";
import { isoOf } from "../../components/unix-time.ts";
import { useCursorQuery } from "../../components/use-cursor-query.ts";
import { useOpened } from "../../components/use-opened.ts";
import { BatchDrawer } from "./batch-drawer.tsx";
import { BatchStatus, isUnderWay } from "./batch-status.tsx";
import { FileDownload } from "./file-download.tsx";
import { keyOf } from "./keys.ts";
import { NewBatchDialog } from "./new-batch-dialog.tsx";
import type { Batch, StoredFile } from "./records.ts";

const LOOKING_MS = 1500;
const STATE = { batch: "" };

export default function BatchesPage() {
  return <KeyedPage title="Batches">{(api, choice) => <Batches api={api} choice={choice} />}</KeyedPage>;
}

function Batches({ api, choice }: { api: KeyApi; choice: ReactNode }) {
  const names = useFileNames(api);
  const [isNew, setNew] = useState(false);
  const [stopping, setStopping] = useState<Batch | null>(null);
  const [{ batch: opened }, set] = useSearchState(STATE);
  const { open, close } = useOpened((batch, how) => set({ batch }, how));
  const query = useCursorQuery<Batch>(api, {
    key: keyOf(api, "batches"),
    path: "/v1/batches",
    refetchMs: (batches) => (batches.some(isUnderWay) ? LOOKING_MS : false),
  });
  const newButton = (
    <Button leftSection={<IconPlus size={16} />} onClick={() => setNew(true)}>
      New batch
    </Button>
  );
  return (
    <>
      <PageHeader
        title="Batches"
        about="Files of calls that are carried out in the background within a day, each as a call of the key."
        actions={
          <>
            {choice}
            {newButton}
          </>
        }
      />
      <CursorTable
        label="Batches"
        columns={columnsOf(api, names, setStopping)}
        query={query}
        rowKey={({ id }) => id}
        onRow={({ id }) => open(id)}
        empty={
          <EmptyState icon={IconChecklist} title="No batches yet" action={newButton}>
            Upload a file with one call in each line; the answers come as a file, too.
          </EmptyState>
        }
      />
      <BatchDrawer api={api} batchId={opened} names={names} onClose={close} />
      <NewBatchDialog api={api} opened={isNew} onClose={() => setNew(false)} />
      <StopDialog api={api} batch={stopping} onClose={() => setStopping(null)} />
    </>
  );
}

/** What the newest files of calls are called. Of others a batch shows its id, as of one whose file is gone. */
function useFileNames(api: KeyApi): ReadonlyMap<string, string> {
  const { data } = useQuery({
    queryKey: keyOf(api, "files", "of batches"),
    queryFn: ({ signal }) => api.get<CursorList<StoredFile>>("/v1/files", { purpose: "batch", limit: 100 }, signal),
  });
  return new Map(data?.data.map(({ id, filename }) => [id, filename]));
}

function StopDialog({ api, batch, onClose }: { api: KeyApi; batch: Batch | null; onClose: () => void }) {
  const client = useQueryClient();
  const stop = useMutation({
    mutationFn: (id: string) => api.post<Batch>(`/v1/batches/${id}/cancel`, {}),
    onSettled: () => client.invalidateQueries({ queryKey: keyOf(api, "batches") }),
    onSuccess: onClose,
  });
  return (
    <ConfirmDialog
      opened={batch !== null}
      onClose={onClose}
      title="Stop this batch?"
      action="Stop"
      isPending={stop.isPending}
      onConfirm={() => batch && stop.mutate(batch.id)}
    >
      No further line is called. Calls that are under way come to their end and are paid for; what was answered is in
      its files.
    </ConfirmDialog>
  );
}

const columnsOf = (
  api: KeyApi,
  names: ReadonlyMap<string, string>,
  onStop: (batch: Batch) => void,
): readonly Column<Batch>[] => [
  {
    name: "batch",
    header: "Batch",
    cell: ({ id, endpoint, input_file_id }) => {
      const name = names.get(input_file_id);
      return (
        <>
          {name !== undefined && (
            <Text size="sm" fw={560} className="wraps">
              <Breakable>{name}</Breakable>
            </Text>
          )}
          <Text {...(name === undefined ? { size: "sm" } : { size: "xs", c: "dimmed" })} lineClamp={1} title={id}>
            {id}
          </Text>
          <Text size="xs" c="dimmed" className="code">
            <Breakable>{endpoint}</Breakable>
          </Text>
        </>
      );
    },
  },
  { name: "status", header: "Status", cell: (batch) => <BatchStatus batch={batch} /> },
  { name: "made", header: "Made", from: "sm", cell: (batch) => <Time at={isoOf(batch.created_at)} as="ago" /> },
  {
    name: "actions",
    header: <ActionsHeader />,
    isFigure: true,
    width: 110,
    cell: (batch) => (
      <Group gap={4} justify="flex-end" wrap="nowrap" onClick={(event) => event.stopPropagation()}>
        {batch.output_file_id && (
          <FileDownload
            api={api}
            id={batch.output_file_id}
            name={`${batch.id}_output.jsonl`}
            label="Download answers"
          />
        )}
        {batch.error_file_id && (
          <FileDownload
            api={api}
            id={batch.error_file_id}
            name={`${batch.id}_error.jsonl`}
            label="Download failures"
            icon={<IconFileAlert size={18} stroke={1.6} />}
          />
        )}
        {isUnderWay(batch) && batch.status !== "cancelling" && (
          <Tooltip label="Stop">
            <ActionIcon variant="subtle" color="gray" aria-label={`Stop ${batch.id}`} onClick={() => onStop(batch)}>
              <IconPlayerStop size={18} stroke={1.6} />
            </ActionIcon>
          </Tooltip>
        )}
      </Group>
    ),
  },
];
