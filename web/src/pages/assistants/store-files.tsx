import { ActionIcon, Box, Group, Progress, Text, Title } from "@mantine/core";
import { IconFileText, IconTrash } from "@tabler/icons-react";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useEffect, useState } from "react";
import type { KeyApi } from "../../api/key-api.ts";
import { ActionsHeader } from "../../components/actions-header.tsx";
import type { Column } from "../../components/column.ts";
import { CursorTable } from "../../components/cursor-table.tsx";
import { EmptyState } from "../../components/empty-state.tsx";
import { formatBytes } from "../../components/format-bytes.ts";
import { Time } from "../../components/time.tsx";
import { isoOf } from "../../components/unix-time.ts";
import { useCursorQuery } from "../../components/use-cursor-query.ts";
import { AddFilesButton } from "./add-files-button.tsx";
import { keyOf } from "./keys.ts";
import type { StoredFile, StoreFile, VectorStore } from "./records.ts";
import { RemoveDialog } from "./remove-dialog.tsx";
import { FileStatus } from "./store-status.tsx";
import { UploadButton } from "./upload-button.tsx";
import { UploadList } from "./upload-list.tsx";
import { useUploads } from "./use-uploads.ts";

interface StoreFilesProps {
  readonly api: KeyApi;
  readonly store: VectorStore;
  readonly path: string;
}

const READING_MS = 1000;

/** The files of a store: what is ready, what is still being read, what could not be. */
export function StoreFiles({ api, store, path }: StoreFilesProps) {
  const client = useQueryClient();
  const [going, setGoing] = useState<StoreFile | null>(null);
  const renew = () => client.invalidateQueries({ queryKey: keyOf(api, "vector-stores", store.id) });
  const { uploads, start } = useUploads(api, async ({ id }) => {
    await api.post(`${path}/files`, { file_id: id });
    await renew();
  });
  const query = useCursorQuery<StoreFile>(api, {
    key: keyOf(api, "vector-stores", store.id, "files"),
    path: `${path}/files`,
    refetchMs: (files) => (files.some(({ status }) => status === "in_progress") ? READING_MS : false),
  });
  const { completed, in_progress: reading, total } = store.file_counts;
  // biome-ignore lint/correctness/useExhaustiveDependencies: once the last of them has been read, the store is read once more.
  useEffect(() => void renew(), [query.rows?.some(({ status }) => status === "in_progress")]);
  return (
    <section aria-label="Files">
      <Group justify="space-between" mb="sm">
        <Title order={2}>Files</Title>
        <Group gap="sm">
          <AddFilesButton api={api} path={path} onAdded={renew} />
          <UploadButton onFiles={(files) => void start(files)} />
        </Group>
      </Group>
      <UploadList uploads={uploads} />
      {reading > 0 && (
        <Box mb="md" role="status">
          <Text size="sm" mb={4}>
            {completed} of {total} files are ready; the others are being read.
          </Text>
          <Progress value={(completed / total) * 100} animated aria-label="Files that are ready" />
        </Box>
      )}
      <CursorTable
        label="Files of this store"
        columns={columnsOf(api, setGoing)}
        query={query}
        rowKey={({ id }) => id}
        empty={
          <EmptyState icon={IconFileText} title="No files in it yet">
            Upload some, or add ones that the team has uploaded before. They can be searched as soon as they are read.
          </EmptyState>
        }
      />
      <RemoveDialog
        api={api}
        target={going && { path: `${path}/files/${going.id}`, name: "this file" }}
        lists={["vector-stores"]}
        action="Take out"
        onClose={() => setGoing(null)}
      >
        It is not found in this store any more. The file itself stays with the team.
      </RemoveDialog>
    </section>
  );
}

const columnsOf = (api: KeyApi, onRemove: (file: StoreFile) => void): readonly Column<StoreFile>[] => [
  { name: "name", header: "Name", cell: ({ id }) => <FileName api={api} id={id} /> },
  { name: "status", header: "State", cell: (file) => <FileStatus file={file} /> },
  {
    name: "size",
    header: "Size here",
    isFigure: true,
    from: "sm",
    cell: (file) => <span className="figures">{formatBytes(file.usage_bytes)}</span>,
  },
  { name: "made", header: "Put in", from: "sm", cell: (file) => <Time at={isoOf(file.created_at)} as="ago" /> },
  {
    name: "actions",
    header: <ActionsHeader />,
    isFigure: true,
    width: 60,
    cell: (file) => (
      <ActionIcon variant="subtle" color="gray" aria-label="Take the file out" onClick={() => onRemove(file)}>
        <IconTrash size={18} stroke={1.6} />
      </ActionIcon>
    ),
  },
];

/** A store knows its files by their ids alone. */
function FileName({ api, id }: { api: KeyApi; id: string }) {
  const file = useQuery({
    queryKey: keyOf(api, "files", "one", id),
    queryFn: ({ signal }) => api.get<StoredFile>(`/v1/files/${id}`, {}, signal),
    staleTime: Number.POSITIVE_INFINITY,
  });
  return (
    <Text inherit miw={110} {...(file.data ? {} : { c: "dimmed" })}>
      {file.data?.filename ?? id}
    </Text>
  );
}
