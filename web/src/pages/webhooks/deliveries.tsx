import { Badge, Button, Center, Drawer, Group, Loader, Pagination, Stack, Text } from "@mantine/core";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import type { DeliveryRecord, EndpointRecord } from "../../../../src/contract/purchases.ts";
import { apiGet, apiPost } from "../../api/client.ts";
import type { Paged } from "../../api/paged.ts";
import { Breakable } from "../../components/breakable.tsx";
import { CodeBlock } from "../../components/code-block.tsx";
import { ErrorState } from "../../components/error-state.tsx";
import { notifyDone } from "../../components/notify.ts";
import { Time } from "../../components/time.tsx";
import { useOrganizationKey } from "../../session/session.ts";
import { eventName } from "./events.ts";

const COLORS = { pending: "orange", delivered: "pine", failed: "red", retrying: "orange" } as const;
const REFRESH_MS = 5_000;
const PAGE_SIZE = 10;

/** What was sent to a webhook, the newest first, with a way to send it once more. */
export const Deliveries = ({ endpointId, onClose }: { endpointId: string | null; onClose: () => void }) => (
  <Drawer
    opened={endpointId !== null}
    onClose={onClose}
    position="right"
    size="lg"
    title="Deliveries"
    closeButtonProps={{ "aria-label": "Close" }}
  >
    {endpointId !== null && <List endpointId={endpointId} />}
  </Drawer>
);

function List({ endpointId }: { endpointId: string }) {
  const key = useOrganizationKey();
  const [page, setPage] = useState(1);
  const one = `/api/webhook-endpoints/${encodeURIComponent(endpointId)}`;
  const path = `${one}/deliveries`;
  const endpoint = useQuery({
    queryKey: [...key, "webhooks", endpointId],
    queryFn: ({ signal }) => apiGet<EndpointRecord>(one, {}, signal),
  });
  const { data, error, refetch } = useQuery({
    queryKey: [...key, "webhooks", endpointId, "deliveries", page],
    queryFn: ({ signal }) => apiGet<Paged<DeliveryRecord>>(path, { page, pageSize: PAGE_SIZE }, signal),
    refetchInterval: REFRESH_MS,
  });
  if (error && !data) return <ErrorState error={error} onRetry={() => void refetch()} />;
  if (!data) {
    return (
      <Center py="xl">
        <Loader aria-label="Loading" />
      </Center>
    );
  }
  return (
    <Stack>
      <Text size="sm" c="dimmed" className="wraps">
        <Breakable>{endpoint.data?.url ?? " "}</Breakable>
      </Text>
      {data.data.length === 0 && (
        <Text c="dimmed">Nothing was sent yet. The next event that this webhook is for stands here.</Text>
      )}
      {data.data.map((one) => (
        <Delivery key={one.id} path={path} delivery={one} />
      ))}
      {data.meta.totalPages > 1 && <Pagination total={data.meta.totalPages} value={page} onChange={setPage} />}
    </Stack>
  );
}

function Delivery({ path, delivery }: { path: string; delivery: DeliveryRecord }) {
  const client = useQueryClient();
  const key = useOrganizationKey();
  const replay = useMutation({
    mutationFn: () => apiPost(`${path}/${delivery.id}/replay`),
    onSuccess() {
      notifyDone("It is sent once more.");
      return client.invalidateQueries({ queryKey: [...key, "webhooks"] });
    },
  });
  const { attempts, responseStatus, error, nextAttemptAt } = delivery;
  const status = delivery.status === "failed" && nextAttemptAt !== null ? "retrying" : delivery.status;
  return (
    <Stack gap={6}>
      <Group justify="space-between" wrap="nowrap">
        <Group gap="xs">
          <Text fw={560}>{eventName(delivery.type)}</Text>
          <Badge variant="light" color={COLORS[status]} tt="none">
            {status}
          </Badge>
        </Group>
        <Button
          size="xs"
          variant="default"
          loading={replay.isPending}
          onClick={() => replay.mutate()}
          aria-label={`Send again: ${eventName(delivery.type)}`}
        >
          Send again
        </Button>
      </Group>
      <Text size="sm" c="dimmed" className="wraps">
        <Time at={delivery.createdAt} size="sm" />, {attempts} {attempts === 1 ? "try" : "tries"}
        {responseStatus !== null && `, answered ${responseStatus}`}
        {error !== null && `. ${error}`}
        {status === "retrying" && (
          <>
            {" "}
            Next try: <Time at={nextAttemptAt} size="sm" />
          </>
        )}
      </Text>
      <CodeBlock code={JSON.stringify(delivery.payload, null, 2)} label="Copy what was sent" />
    </Stack>
  );
}
