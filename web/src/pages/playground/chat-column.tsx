import { ActionIcon, Autocomplete, Box, Group, Text, Tooltip } from "@mantine/core";
import { IconRefresh, IconX } from "@tabler/icons-react";
import speech from "../../components/speech.module.css";
import { SpokenText } from "../../components/spoken-text.tsx";
import type { PlatformModel } from "../../components/use-models.ts";
import { AnswerView } from "./answer-view.tsx";
import { type Column, type Entry, openCalls } from "./conversation.ts";
import classes from "./playground.module.css";
import { ToolCallView } from "./tool-calls.tsx";

interface ChatColumnProps {
  readonly column: Column;
  /** Counts from 1; columns are told apart by it. */
  readonly place: number;
  readonly models: readonly PlatformModel[];
  readonly onModel: (model: string) => void;
  readonly onAgain: () => void;
  readonly onTool: (callId: string, name: string, text: string) => void;
  /** Undefined for the only one. */
  readonly onRemove: (() => void) | undefined;
}

export function ChatColumn({ column, place, models, onModel, onAgain, onTool, onRemove }: ChatColumnProps) {
  const { entries } = column;
  const isAnswered = entries.at(-1)?.kind === "answer";
  return (
    <section className={classes.column} aria-label={`Conversation ${place}`}>
      <Group className={classes.head} gap="xs" wrap="nowrap">
        <Autocomplete
          flex={1}
          size="sm"
          aria-label={`Model ${place}`}
          placeholder="Choose or type a model"
          data={models.map(({ id }) => id)}
          value={column.model}
          onChange={onModel}
          limit={100}
          maxDropdownHeight={320}
        />
        {isAnswered && (
          <Tooltip label="Ask again">
            <ActionIcon variant="subtle" color="gray" onClick={onAgain} aria-label={`Ask model ${place} again`}>
              <IconRefresh size={16} stroke={1.6} />
            </ActionIcon>
          </Tooltip>
        )}
        {onRemove && (
          <ActionIcon variant="subtle" color="gray" onClick={onRemove} aria-label={`Remove model ${place}`}>
            <IconX size={16} stroke={1.6} />
          </ActionIcon>
        )}
      </Group>
      <Box className={classes.log} role="log" aria-label={`Answers of model ${place}`} tabIndex={0}>
        {entries.length === 0 && (
          <Text c="dimmed" ta="center" my="auto">
            Ask something below.
          </Text>
        )}
        {entries.map((entry) => (
          <EntryView key={entry.id} entry={entry} entries={entries} onTool={onTool} />
        ))}
      </Box>
    </section>
  );
}

interface EntryViewProps {
  readonly entry: Entry;
  readonly entries: readonly Entry[];
  readonly onTool: ChatColumnProps["onTool"];
}

function EntryView({ entry, entries, onTool }: EntryViewProps) {
  if (entry.kind === "question") {
    return (
      <div className={speech.question}>
        {entry.images.map((url, at) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: pictures of a question never change.
          <img key={at} src={url} alt={`Attached ${at + 1}`} className={classes.thumbnail} />
        ))}
        <div className={speech.text}>
          <SpokenText text={entry.text} />
        </div>
      </div>
    );
  }
  if (entry.kind === "result") {
    return (
      <Text size="sm" c="dimmed" className={speech.text}>
        {entry.name} answered: {entry.text}
      </Text>
    );
  }
  const open = openCalls(entries).map(({ id }) => id);
  const isOver = entry.state === "done";
  return (
    <div>
      <AnswerView answer={entry} />
      {entry.toolCalls.map((toolCall) => (
        <ToolCallView
          key={toolCall.id}
          toolCall={toolCall}
          onResult={
            isOver && entries.includes(entry) && open.includes(toolCall.id)
              ? (text) => onTool(toolCall.id, toolCall.name, text)
              : undefined
          }
        />
      ))}
    </div>
  );
}
