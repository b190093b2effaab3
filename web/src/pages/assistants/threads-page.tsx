import { ActionIcon, Button, Text } from "@mantine/core";
import { IconMessageCircle, IconPlus, IconTrash } from "@tabler/icons-react";
import { useNavigate } from "@tanstack/react-router";
import { type ReactNode, useState } from "react";
import type { KeyApi } from "../../api/key-api.ts";
import { ActionsHeader } from "../../components/actions-header.tsx";
import { AppLink } from "../../components/app-link.tsx";
import type { Column } from "../../components/column.ts";
import { CursorTable } from "../../components/cursor-table.tsx";
import { EmptyState } from "../../components/empty-state.tsx";
import { KeyedPage } from "../../components/keyed-page.tsx";
import { PageHeader } from "../../components/page-header.tsx";
import { Time } from "../../components/time.tsx";
import { isoOf } from "../../components/unix-time.ts";
import { useCursorQuery } from "../../components/use-cursor-query.ts";
import { keyOf } from "./keys.ts";
import type { Thread } from "./records.ts";
import { RemoveDialog } from "./remove-dialog.tsx";
import { titleOf, useStartThread } from "./use-start-thread.ts";

export default function ThreadsPage() {
  return <KeyedPage title="Threads">{(api, choice) => <Threads api={api} choice={choice} />}</KeyedPage>;
}

function Threads({ api, choice }: { api: KeyApi; choice: ReactNode }) {
  const navigate = useNavigate();
  const [going, setGoing] = useState<Thread | null>(null);
  const begin = useStartThread(api);
  const query = useCursorQuery<Thread>(api, { key: keyOf(api, "threads"), path: "/v1/threads" });
  const newButton = (
    <Button leftSection={<IconPlus size={16} />} loading={begin.isPending} onClick={() => begin.mutate(null)}>
      New thread
    </Button>
  );
  return (
    <>
      <PageHeader
        title="Threads"
        about="Conversations with assistants: those of the team, also of its programs."
        actions={
          <>
            {choice}
            {newButton}
          </>
        }
      />
      <CursorTable
        label="Threads"
        columns={columnsOf(setGoing)}
        query={query}
        rowKey={({ id }) => id}
        onRow={({ id }) => void navigate({ to: `/threads/${id}` })}
        empty={
          <EmptyState icon={IconMessageCircle} title="No threads yet" action={newButton}>
            Begin one here, or from an <AppLink to="/assistants">assistant</AppLink> that you want to talk to.
          </EmptyState>
        }
      />
      <RemoveDialog
        api={api}
        target={going && { path: `/v1/threads/${going.id}`, name: "this thread" }}
        lists={["threads"]}
        onClose={() => setGoing(null)}
      >
        Its messages, its runs and their steps go for good.
      </RemoveDialog>
    </>
  );
}

const columnsOf = (onRemove: (thread: Thread) => void): readonly Column<Thread>[] => [
  {
    name: "title",
    header: "Thread",
    cell: (thread) => (
      <>
        <AppLink to={`/threads/${thread.id}`} underline="hover">
          {titleOf(thread)}
        </AppLink>
        <Text size="xs" c="dimmed">
          {thread.id}
        </Text>
      </>
    ),
  },
  { name: "made", header: "Begun", cell: (thread) => <Time at={isoOf(thread.created_at)} as="ago" /> },
  {
    name: "actions",
    header: <ActionsHeader />,
    isFigure: true,
    width: 60,
    cell: (thread) => (
      <ActionIcon
        variant="subtle"
        color="gray"
        aria-label={`Delete ${titleOf(thread, thread.id)}`}
        onClick={(event) => {
          event.stopPropagation();
          onRemove(thread);
        }}
      >
        <IconTrash size={18} stroke={1.6} />
      </ActionIcon>
    ),
  },
];
