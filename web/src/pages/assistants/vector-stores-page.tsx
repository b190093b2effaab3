import { ActionIcon, Button, Text } from "@mantine/core";
import { IconDatabaseSearch, IconPlus, IconTrash } from "@tabler/icons-react";
import { useNavigate } from "@tanstack/react-router";
import { type ReactNode, useState } from "react";
import type { KeyApi } from "../../api/key-api.ts";
import { ActionsHeader } from "../../components/actions-header.tsx";
import { AppLink } from "../../components/app-link.tsx";
import type { Column } from "../../components/column.ts";
import { CursorTable } from "../../components/cursor-table.tsx";
import { EmptyState } from "../../components/empty-state.tsx";
import { formatBytes } from "../../components/format-bytes.ts";
import { KeyedPage } from "../../components/keyed-page.tsx";
import { PageHeader } from "../../components/page-header.tsx";
import { Time } from "../../components/time.tsx";
import { isoOf } from "../../components/unix-time.ts";
import { useCursorQuery } from "../../components/use-cursor-query.ts";
import { keyOf } from "./keys.ts";
import { NewStoreDialog } from "./new-store-dialog.tsx";
import type { VectorStore } from "./records.ts";
import { RemoveDialog } from "./remove-dialog.tsx";
import { StoreStatus } from "./store-status.tsx";

const READING_MS = 1500;

export default function VectorStoresPage() {
  return <KeyedPage title="Vector stores">{(api, choice) => <Stores api={api} choice={choice} />}</KeyedPage>;
}

function Stores({ api, choice }: { api: KeyApi; choice: ReactNode }) {
  const navigate = useNavigate();
  const [isNew, setNew] = useState(false);
  const [going, setGoing] = useState<VectorStore | null>(null);
  const query = useCursorQuery<VectorStore>(api, {
    key: keyOf(api, "vector-stores"),
    path: "/v1/vector_stores",
    refetchMs: (stores) => (stores.some(({ status }) => status === "in_progress") ? READING_MS : false),
  });
  const open = ({ id }: VectorStore): void => void navigate({ to: `/vector-stores/${id}` });
  const newButton = (
    <Button leftSection={<IconPlus size={16} />} onClick={() => setNew(true)}>
      New vector store
    </Button>
  );
  return (
    <>
      <PageHeader
        title="Vector stores"
        about="Files that are searched together, by words and by meaning. Assistants look into them."
        actions={
          <>
            {choice}
            {newButton}
          </>
        }
      />
      <CursorTable
        label="Vector stores"
        columns={columnsOf(setGoing)}
        query={query}
        rowKey={({ id }) => id}
        onRow={open}
        empty={
          <EmptyState icon={IconDatabaseSearch} title="No vector stores yet" action={newButton}>
            Make one and put files in; then search in it here, or let an assistant do so.
          </EmptyState>
        }
      />
      <NewStoreDialog api={api} opened={isNew} onClose={() => setNew(false)} onMade={open} />
      <RemoveDialog
        api={api}
        target={going && { path: `/v1/vector_stores/${going.id}`, name: going.name ?? going.id }}
        lists={["vector-stores"]}
        onClose={() => setGoing(null)}
      >
        Its passages and vectors go for good, and assistants find nothing in it any more. The files themselves stay.
      </RemoveDialog>
    </>
  );
}

const columnsOf = (onRemove: (store: VectorStore) => void): readonly Column<VectorStore>[] => [
  {
    name: "name",
    header: "Name",
    cell: ({ id, name, description }) => (
      <>
        <AppLink to={`/vector-stores/${id}`} underline="hover">
          {name || id}
        </AppLink>
        {description && (
          <Text size="sm" c="dimmed" lineClamp={1}>
            {description}
          </Text>
        )}
      </>
    ),
  },
  { name: "files", header: "Files", cell: (store) => <StoreStatus store={store} /> },
  {
    name: "size",
    header: "Size",
    isFigure: true,
    from: "sm",
    cell: (store) => <span className="figures">{formatBytes(store.usage_bytes)}</span>,
  },
  { name: "model", header: "Vectors by", from: "md", cell: (store) => store.embedding_model ?? "—" },
  {
    name: "used",
    header: "Last used",
    from: "sm",
    cell: (store) => <Time at={isoOf(store.last_active_at)} as="ago" />,
  },
  {
    name: "actions",
    header: <ActionsHeader />,
    isFigure: true,
    width: 60,
    cell: (store) => (
      <ActionIcon
        variant="subtle"
        color="gray"
        aria-label={`Delete ${store.name || store.id}`}
        onClick={(event) => {
          event.stopPropagation();
          onRemove(store);
        }}
      >
        <IconTrash size={18} stroke={1.6} />
      </ActionIcon>
    ),
  },
];
