import { ActionIcon, Group, Select, Tooltip } from "@mantine/core";
import { IconFiles, IconTrash } from "@tabler/icons-react";
import { type ReactNode, useState } from "react";
import type { KeyApi } from "../../api/key-api.ts";
import { useSearchState } from "../../app/use-search-state.ts";
import { ActionsHeader } from "../../components/actions-header.tsx";
import type { Column } from "../../components/column.ts";
import { CursorTable } from "../../components/cursor-table.tsx";
import { EmptyState } from "../../components/empty-state.tsx";
import { formatBytes } from "../../components/format-bytes.ts";
import { KeyedPage } from "../../components/keyed-page.tsx";
import { PageHeader } from "../../components/page-header.tsx";
import { Time } from "../../components/time.tsx";
import { isoOf } from "../../components/unix-time.ts";
import { useCursorQuery } from "../../components/use-cursor-query.ts";
import { FileDownload } from "./file-download.tsx";
import { keyOf } from "./keys.ts";
import type { StoredFile } from "./records.ts";
import { RemoveDialog } from "./remove-dialog.tsx";
import { UploadButton } from "./upload-button.tsx";
import { UploadList } from "./upload-list.tsx";
import { useUploads } from "./use-uploads.ts";

const PURPOSES = [
  { value: "assistants", label: "Assistants and search" },
  { value: "vision", label: "Vision" },
  { value: "user_data", label: "User data" },
  { value: "batch", label: "Batch" },
  { value: "batch_output", label: "Answers of a batch" },
  { value: "fine-tune", label: "Fine-tuning" },
  { value: "evals", label: "Evaluations" },
];
/** Nobody uploads these. */
const MADE_HERE: ReadonlySet<string> = new Set(["", "batch_output"]);
const wordOf = (purpose: string): string => PURPOSES.find(({ value }) => value === purpose)?.label ?? purpose;

export default function FilesPage() {
  return <KeyedPage title="Files">{(api, choice) => <Files api={api} choice={choice} />}</KeyedPage>;
}

const STATE = { purpose: "" };

function Files({ api, choice }: { api: KeyApi; choice: ReactNode }) {
  const [{ purpose }, set] = useSearchState(STATE);
  const [going, setGoing] = useState<StoredFile | null>(null);
  const { uploads, start } = useUploads(api);
  const query = useCursorQuery<StoredFile>(api, {
    key: keyOf(api, "files"),
    path: "/v1/files",
    query: { purpose },
  });
  const upload = (files: readonly File[]) => void start(files, MADE_HERE.has(purpose) ? "assistants" : purpose);
  return (
    <>
      <PageHeader
        title="Files"
        about="What the team has uploaded: for assistants to search, for models to see, for batches and training; and the answers of batches."
        actions={
          <>
            {choice}
            <Select
              aria-label="Purpose"
              placeholder="Every purpose"
              data={PURPOSES}
              value={purpose || null}
              onChange={(value) => set({ purpose: value ?? "" })}
              clearable
              clearButtonProps={{ "aria-label": "Every purpose" }}
              w={210}
            />
            <UploadButton onFiles={upload} />
          </>
        }
      />
      <UploadList uploads={uploads} />
      <CursorTable
        label="Files"
        columns={columnsOf(api, setGoing)}
        query={query}
        rowKey={({ id }) => id}
        empty={
          <EmptyState
            icon={IconFiles}
            title={purpose === "" ? "No files yet" : "No file with this purpose"}
            action={<UploadButton onFiles={upload} variant="default" label="Choose files" />}
          >
            Upload text, Markdown, HTML, PDF or DOCX, then put it into a vector store to search in it.
          </EmptyState>
        }
      />
      <RemoveDialog
        api={api}
        target={going && { path: `/v1/files/${going.id}`, name: going.filename }}
        lists={["files", "vector-stores"]}
        onClose={() => setGoing(null)}
      >
        Its content goes for good, also out of every vector store.
      </RemoveDialog>
    </>
  );
}

const columnsOf = (api: KeyApi, onRemove: (file: StoredFile) => void): readonly Column<StoredFile>[] => [
  { name: "name", header: "Name", cell: ({ filename }) => filename },
  {
    name: "size",
    header: "Size",
    isFigure: true,
    cell: ({ bytes }) => <span className="figures">{formatBytes(bytes)}</span>,
  },
  { name: "purpose", header: "For", from: "sm", cell: ({ purpose }) => wordOf(purpose) },
  { name: "made", header: "Uploaded", from: "xs", cell: (file) => <Time at={isoOf(file.created_at)} as="ago" /> },
  {
    name: "ends",
    header: "Stays until",
    from: "md",
    cell: (file) => <Time at={isoOf(file.expires_at)} none="deleted" />,
  },
  {
    name: "actions",
    header: <ActionsHeader />,
    isFigure: true,
    width: 110,
    cell: (file) => (
      <Group gap={4} justify="flex-end" wrap="nowrap">
        <FileDownload api={api} id={file.id} name={file.filename} />
        <Tooltip label="Delete">
          <ActionIcon
            variant="subtle"
            color="gray"
            aria-label={`Delete ${file.filename}`}
            onClick={() => onRemove(file)}
          >
            <IconTrash size={18} stroke={1.6} />
          </ActionIcon>
        </Tooltip>
      </Group>
    ),
  },
];
