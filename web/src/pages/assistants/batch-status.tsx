import { Badge, Group, Loader, Text } from "@mantine/core";
import { counted } from "../../components/counted.ts";
import type { Batch } from "./records.ts";

const LOOKS: Readonly<Record<Batch["status"], { color: string; word: string }>> = {
  validating: { color: "blue", word: "being read" },
  in_progress: { color: "blue", word: "under way" },
  finalizing: { color: "blue", word: "being written" },
  completed: { color: "pine", word: "completed" },
  failed: { color: "red", word: "failed" },
  expired: { color: "orange", word: "out of time" },
  cancelling: { color: "gray", word: "stopping" },
  cancelled: { color: "gray", word: "cancelled" },
};

const ENDED: ReadonlySet<Batch["status"]> = new Set(["completed", "failed", "expired", "cancelled"]);

export const isUnderWay = ({ status }: Batch): boolean => !ENDED.has(status);

/** What a batch is at, and how many of its calls are answered. */
export function BatchState({ batch }: { batch: Batch }) {
  const { total, completed, failed } = batch.request_counts;
  return (
    <Group gap={6}>
      <Badge color={LOOKS[batch.status].color} miw="max-content">
        {LOOKS[batch.status].word}
      </Badge>
      {isUnderWay(batch) && <Loader size={14} aria-label="It is carried out" />}
      {total > 0 && (
        <Text size="sm" className="figures">
          {completed + failed} of {total}
        </Text>
      )}
      {failed > 0 && (
        <Badge color="red" miw="max-content">
          {failed} failed
        </Badge>
      )}
    </Group>
  );
}

/** The same with the first thing that is wrong with its file; all of them stand with the batch. */
export function BatchStatus({ batch }: { batch: Batch }) {
  const [fault, ...others] = batch.errors?.data ?? [];
  return (
    <>
      <BatchState batch={batch} />
      {fault && (
        <Text size="sm" c="dimmed" mt={4}>
          {fault.line === null ? "" : `Line ${fault.line}: `}
          {fault.message}
          {others.length > 0 && ` And ${counted(others.length, "more fault")}.`}
        </Text>
      )}
    </>
  );
}
