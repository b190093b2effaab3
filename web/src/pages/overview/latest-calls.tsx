import { Box, Card, Group, Skeleton, Stack, Table, Text, Title } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import type { CallRecord } from "../../../../src/contract/usage-records.ts";
import { apiGet } from "../../api/client.ts";
import { AppLink } from "../../components/app-link.tsx";
import { CallStatus } from "../../components/call-status.tsx";
import { ErrorState } from "../../components/error-state.tsx";
import { formatMs } from "../../components/format-ms.ts";
import { Money } from "../../components/money.tsx";
import { Time } from "../../components/time.tsx";
import { useOrganizationKey } from "../../session/session.ts";

const REFRESH_MS = 15_000;
const ROWS = 10;

/** What was called last, each with a way to the rest of it. */
export function LatestCalls({ teamId }: { teamId: string | undefined }) {
  const key = useOrganizationKey();
  const calls = useQuery({
    queryKey: [...key, "logs", "latest", teamId],
    // An empty cursor asks for the first page without counting all others.
    queryFn: ({ signal }) =>
      apiGet<{ data: CallRecord[] }>(`/api/gw/logs?cursor=&pageSize=${ROWS}&teamId=${teamId ?? ""}`, {}, signal),
    refetchInterval: REFRESH_MS,
  });
  return (
    <Card component="section" aria-label="Latest calls">
      <Group justify="space-between" mb="sm">
        <Title order={2}>Latest calls</Title>
        <AppLink to="/logs" size="sm">
          All calls
        </AppLink>
      </Group>
      {calls.error && !calls.data && <ErrorState error={calls.error} onRetry={() => void calls.refetch()} />}
      {calls.isPending && (
        <Stack gap="sm">
          <Skeleton height={28} />
          <Skeleton height={28} />
          <Skeleton height={28} />
        </Stack>
      )}
      {calls.data?.data.length === 0 && (
        <Text c="dimmed">No calls yet. They stand here a moment after they are made.</Text>
      )}
      {calls.data && calls.data.data.length > 0 && (
        <Table.ScrollContainer minWidth={0}>
          <Table aria-label="Latest calls" horizontalSpacing="xs">
            <Table.Tbody>
              {calls.data.data.map((call) => (
                <Table.Tr key={call.id}>
                  <Table.Td>
                    <AppLink to="/logs" search={{ call: call.id }} size="sm">
                      <Time at={call.createdAt} as="ago" className="figures" />
                    </AppLink>
                  </Table.Td>
                  <Table.Td className="wraps">
                    {call.requestedModel}
                    {call.status !== "succeeded" && (
                      <Box hiddenFrom="sm">
                        <CallStatus status={call.status} />
                      </Box>
                    )}
                  </Table.Td>
                  <Table.Td visibleFrom="sm" className="wraps">
                    {call.apiKeyName}
                  </Table.Td>
                  <Table.Td visibleFrom="sm">
                    <CallStatus status={call.status} />
                  </Table.Td>
                  <Table.Td visibleFrom="md" ta="right" className="figures">
                    {formatMs(call.latencyMs)}
                  </Table.Td>
                  <Table.Td ta="right">
                    <Money nano={call.cost} />
                  </Table.Td>
                </Table.Tr>
              ))}
            </Table.Tbody>
          </Table>
        </Table.ScrollContainer>
      )}
    </Card>
  );
}
