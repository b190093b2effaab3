import { Drawer, Group, List, Stack, Text, Title } from "@mantine/core";
import { IconFileAlert } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import type { KeyApi } from "../../api/key-api.ts";
import { Breakable } from "../../components/breakable.tsx";
import { ErrorState } from "../../components/error-state.tsx";
import { Facts } from "../../components/facts.tsx";
import { Time } from "../../components/time.tsx";
import { isoOf } from "../../components/unix-time.ts";
import { BatchState, isUnderWay } from "./batch-status.tsx";
import { FileDownload } from "./file-download.tsx";
import { keyOf } from "./keys.ts";
import type { Batch } from "./records.ts";

const LOOKING_MS = 1500;

interface BatchDrawerProps {
  readonly api: KeyApi;
  readonly batchId: string;
  readonly names: ReadonlyMap<string, string>;
  readonly onClose: () => void;
}

/** One batch, with its files and all that is wrong with it. */
export function BatchDrawer({ api, batchId, names, onClose }: BatchDrawerProps) {
  const { data, error, refetch } = useQuery({
    queryKey: keyOf(api, "batches", batchId),
    enabled: batchId !== "",
    queryFn: ({ signal }) => api.get<Batch>(`/v1/batches/${encodeURIComponent(batchId)}`, {}, signal),
    refetchInterval: ({ state }) => (state.data && isUnderWay(state.data) ? LOOKING_MS : false),
  });
  return (
    <Drawer
      opened={batchId !== ""}
      onClose={onClose}
      position="right"
      size="lg"
      title="Batch"
      closeButtonProps={{ "aria-label": "Close" }}
    >
      {error && !data && <ErrorState error={error} onRetry={() => void refetch()} />}
      {data && <Details api={api} batch={data} name={names.get(data.input_file_id)} />}
    </Drawer>
  );
}

function Details({ api, batch, name }: { api: KeyApi; batch: Batch; name: string | undefined }) {
  return (
    <Stack gap="lg">
      <Stack gap={6}>
        <Title order={2} className="wraps">
          <Breakable>{name ?? batch.id}</Breakable>
        </Title>
        <BatchState batch={batch} />
      </Stack>
      <Facts
        items={[
          ["Batch", <Breakable key="id">{batch.id}</Breakable>],
          ["Calls", <Breakable key="calls">{batch.endpoint}</Breakable>],
          ["Made", <Time key="made" at={isoOf(batch.created_at)} />],
          ["Begun", batch.in_progress_at === null ? undefined : <Time key="begun" at={isoOf(batch.in_progress_at)} />],
          ["Ended", endOf(batch) === null ? undefined : <Time key="ended" at={isoOf(endOf(batch))} />],
        ]}
      />
      <Files api={api} batch={batch} name={name ?? `${batch.id}.jsonl`} />
      <Faults batch={batch} />
    </Stack>
  );
}

const endOf = ({ completed_at, failed_at, expired_at, cancelled_at }: Batch): number | null =>
  completed_at ?? failed_at ?? expired_at ?? cancelled_at;

function Files({ api, batch, name }: { api: KeyApi; batch: Batch; name: string }) {
  const { input_file_id, output_file_id, error_file_id } = batch;
  return (
    <section aria-label="Files">
      <Title order={3} mb="xs">
        Files
      </Title>
      <File api={api} id={input_file_id} name={name} what="Calls" />
      {output_file_id && <File api={api} id={output_file_id} name={`${batch.id}_output.jsonl`} what="Answers" />}
      {error_file_id && <File api={api} id={error_file_id} name={`${batch.id}_error.jsonl`} what="Failures" />}
    </section>
  );
}

function File({ api, id, name, what }: { api: KeyApi; id: string; name: string; what: string }) {
  return (
    <Group justify="space-between" wrap="nowrap">
      <Text size="sm" className="wraps">
        {what}: <Breakable>{name}</Breakable>
      </Text>
      <FileDownload
        api={api}
        id={id}
        name={name}
        {...(what === "Failures" ? { icon: <IconFileAlert size={18} stroke={1.6} /> } : {})}
      />
    </Group>
  );
}

function Faults({ batch }: { batch: Batch }) {
  const faults = batch.errors?.data ?? [];
  if (faults.length === 0) return null;
  return (
    <section aria-label="Faults">
      <Title order={3} mb="xs">
        What is wrong with its file
      </Title>
      <List size="sm" spacing={6} className="wraps">
        {faults.map(({ line, message }, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: they stay in their order, and two may say the same.
          <List.Item key={index}>
            {line === null ? "" : `Line ${line}: `}
            {message}
          </List.Item>
        ))}
      </List>
    </section>
  );
}
