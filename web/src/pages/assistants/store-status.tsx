import { Badge, Group, Loader, Text } from "@mantine/core";
import type { StoreFile, VectorStore } from "./records.ts";

/** How many files of a store can be searched, and what has become of the others. */
export const StoreStatus = ({ store: { status, file_counts: counts } }: { store: VectorStore }) => (
  <Group gap={6} wrap="nowrap">
    {status === "expired" && <Badge color="gray">expired</Badge>}
    {counts.in_progress > 0 && <Loader size={14} aria-label="Files are being read" />}
    <Text size="sm" className="figures">
      {counts.in_progress > 0 ? `${counts.completed} of ${counts.total}` : counts.completed}
    </Text>
    {counts.failed > 0 && <Badge color="red">{counts.failed} failed</Badge>}
  </Group>
);

const LOOKS: Readonly<Record<StoreFile["status"], { color: string; word: string }>> = {
  in_progress: { color: "blue", word: "being read" },
  completed: { color: "pine", word: "ready" },
  failed: { color: "red", word: "failed" },
  cancelled: { color: "gray", word: "cancelled" },
};

export const FileStatus = ({ file }: { file: StoreFile }) => (
  <>
    <Badge color={LOOKS[file.status].color}>{LOOKS[file.status].word}</Badge>
    {file.last_error && (
      <Text size="sm" c="dimmed" mt={4}>
        {file.last_error.message}
      </Text>
    )}
  </>
);
