import { ActionIcon, Badge, Button, Group, Text, Tooltip } from "@mantine/core";
import { IconMessageCircle, IconPlus, IconRobot, IconTrash } from "@tabler/icons-react";
import { type MouseEvent, type ReactNode, useState } from "react";
import type { KeyApi } from "../../api/key-api.ts";
import { ActionsHeader } from "../../components/actions-header.tsx";
import type { Column } from "../../components/column.ts";
import { CursorTable } from "../../components/cursor-table.tsx";
import { EmptyState } from "../../components/empty-state.tsx";
import { KeyedPage } from "../../components/keyed-page.tsx";
import { PageHeader } from "../../components/page-header.tsx";
import { Time } from "../../components/time.tsx";
import { isoOf } from "../../components/unix-time.ts";
import { useCursorQuery } from "../../components/use-cursor-query.ts";
import { AssistantDialog } from "./assistant-dialog.tsx";
import { keyOf } from "./keys.ts";
import type { Assistant, Tool } from "./records.ts";
import { RemoveDialog } from "./remove-dialog.tsx";
import { useStartThread } from "./use-start-thread.ts";

export default function AssistantsPage() {
  return <KeyedPage title="Assistants">{(api, choice) => <Assistants api={api} choice={choice} />}</KeyedPage>;
}

function Assistants({ api, choice }: { api: KeyApi; choice: ReactNode }) {
  const [open, setOpen] = useState<Assistant | "new" | null>(null);
  const [going, setGoing] = useState<Assistant | null>(null);
  const talk = useStartThread(api);
  const query = useCursorQuery<Assistant>(api, { key: keyOf(api, "assistants"), path: "/v1/assistants" });
  const newButton = (
    <Button leftSection={<IconPlus size={16} />} onClick={() => setOpen("new")}>
      New assistant
    </Button>
  );
  return (
    <>
      <PageHeader
        title="Assistants"
        about="A model with instructions and tools, which the whole team can talk to."
        actions={
          <>
            {choice}
            {newButton}
          </>
        }
      />
      <CursorTable
        label="Assistants"
        columns={columnsOf({ onTalk: ({ id }) => talk.mutate(id), onRemove: setGoing })}
        query={query}
        rowKey={({ id }) => id}
        onRow={setOpen}
        empty={
          <EmptyState icon={IconRobot} title="No assistants yet" action={newButton}>
            Make one: choose a model, tell it how to behave, and give it files to look into.
          </EmptyState>
        }
      />
      <AssistantDialog api={api} target={open} onClose={() => setOpen(null)} />
      <RemoveDialog
        api={api}
        target={going && { path: `/v1/assistants/${going.id}`, name: going.name ?? going.id }}
        lists={["assistants"]}
        onClose={() => setGoing(null)}
      >
        Nobody can run it any more. Threads that it has spoken in stay.
      </RemoveDialog>
    </>
  );
}

interface Actions {
  readonly onTalk: (assistant: Assistant) => void;
  readonly onRemove: (assistant: Assistant) => void;
}

const toolName = (tool: Tool): string => (tool.type === "function" ? tool.function.name : "file search");
/** The row behind the button opens something else. */
const alone = (act: () => void) => (event: MouseEvent) => {
  event.stopPropagation();
  act();
};

const columnsOf = ({ onTalk, onRemove }: Actions): readonly Column<Assistant>[] => [
  {
    name: "name",
    header: "Name",
    cell: ({ id, name, description }) => (
      <>
        <Text fw={560}>{name || id}</Text>
        {description && (
          <Text size="sm" c="dimmed" lineClamp={1}>
            {description}
          </Text>
        )}
      </>
    ),
  },
  { name: "model", header: "Model", from: "sm", cell: ({ model }) => model },
  {
    name: "tools",
    header: "Tools",
    from: "md",
    cell: ({ tools }) => (
      <Group gap={4}>
        {tools.map((tool) => (
          <Badge key={toolName(tool)} color={tool.type === "function" ? "gray" : "pine"}>
            {toolName(tool)}
          </Badge>
        ))}
      </Group>
    ),
  },
  { name: "made", header: "Made", from: "sm", cell: (assistant) => <Time at={isoOf(assistant.created_at)} as="ago" /> },
  {
    name: "actions",
    header: <ActionsHeader />,
    isFigure: true,
    width: 150,
    cell: (assistant) => (
      <Group gap={4} justify="flex-end" wrap="nowrap">
        <Button
          size="xs"
          variant="default"
          leftSection={<IconMessageCircle size={14} />}
          aria-label={`Talk to ${assistant.name || assistant.id}`}
          onClick={alone(() => onTalk(assistant))}
        >
          Talk
        </Button>
        <Tooltip label="Delete">
          <ActionIcon
            variant="subtle"
            color="gray"
            aria-label={`Delete ${assistant.name || assistant.id}`}
            onClick={alone(() => onRemove(assistant))}
          >
            <IconTrash size={18} stroke={1.6} />
          </ActionIcon>
        </Tooltip>
      </Group>
    ),
  },
];
