import { Drawer, Group, Skeleton, Stack, Table, Text, Title } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import type { CallRecord } from "../../../../src/contract/usage-records.ts";
import { apiGet } from "../../api/client.ts";
import { CallStatus } from "../../components/call-status.tsx";
import { CodeBlock } from "../../components/code-block.tsx";
import { CopyButton } from "../../components/copy-button.tsx";
import { ErrorState } from "../../components/error-state.tsx";
import { Time } from "../../components/time.tsx";
import { useOrganizationKey } from "../../session/session.ts";
import { AttemptTimeline } from "./attempt-timeline.tsx";
import { CostTable, TokenTable } from "./call-sums.tsx";

type CallDetails = CallRecord & { readonly request: unknown; readonly response: unknown };

/** One call, with everything that is known of it. */
export function CallDrawer({ callId, onClose }: { callId: string | null; onClose: () => void }) {
  const key = useOrganizationKey();
  const call = useQuery({
    queryKey: [...key, "logs", "details", callId],
    enabled: callId !== null,
    queryFn: ({ signal }) => apiGet<CallDetails>(`/api/gw/logs/${encodeURIComponent(callId ?? "")}`, {}, signal),
  });
  return (
    <Drawer
      opened={callId !== null}
      onClose={onClose}
      title="Call"
      size="xl"
      closeButtonProps={{ "aria-label": "Close" }}
    >
      {call.error && !call.data && <ErrorState error={call.error} onRetry={() => void call.refetch()} />}
      {call.isPending && !call.error && <Skeleton height={480} />}
      {call.data && <Details call={call.data} />}
    </Drawer>
  );
}

const Details = ({ call }: { call: CallDetails }) => (
  <Stack gap="lg">
    <div>
      <Group gap="sm" mb={4}>
        <CallStatus status={call.status} />
        <Title order={2} className="wraps">
          {call.requestedModel}
        </Title>
      </Group>
      <Text size="sm" c="dimmed">
        <Time at={call.createdAt} /> · {call.endpoint} · {call.stream ? "streamed" : "whole"} · status {call.statusCode}
        {call.errorCode === null ? "" : ` · ${call.errorCode}`}
      </Text>
    </div>
    <AttemptTimeline call={call} />
    <CostTable call={call} />
    <TokenTable call={call} />
    <Facts call={call} />
    <Contents title="Request" value={call.request} />
    <Contents title="Answer" value={call.response} />
  </Stack>
);

function Facts({ call }: { call: CallDetails }) {
  const facts: readonly (readonly [string, string | null])[] = [
    ["Request", call.id],
    ["Key", call.apiKeyName],
    ["Team", call.teamName],
    ["Served by", call.model],
    ["Provider", call.provider],
    ["Its own id", call.upstreamId],
    ["End user", call.endUser],
    ["Tags", call.tags.length === 0 ? null : call.tags.join(", ")],
    ["Metadata", Object.keys(call.metadata).length === 0 ? null : JSON.stringify(call.metadata)],
    ["From", call.ip],
    ["Program", call.userAgent],
    ["Price list", call.priceVersionId],
    ["Ledger entry", call.journalId],
  ];
  return (
    <section aria-label="Facts">
      <Title order={3} mb="xs">
        Facts
      </Title>
      <Table verticalSpacing={6} horizontalSpacing={0} highlightOnHover={false}>
        <Table.Tbody>
          {facts.map(([name, value]) =>
            value === null || value === "" ? null : (
              <Table.Tr key={name}>
                <Table.Th w={130} fw={400} c="dimmed">
                  {name}
                </Table.Th>
                <Table.Td className="wraps">
                  {name === "Request" ? (
                    <Group gap={4} wrap="nowrap">
                      {value}
                      <CopyButton value={value} label="Copy the id" />
                    </Group>
                  ) : (
                    value
                  )}
                </Table.Td>
              </Table.Tr>
            ),
          )}
        </Table.Tbody>
      </Table>
    </section>
  );
}

/** Kept only where the organization says so. */
function Contents({ title, value }: { title: string; value: unknown }) {
  if (value === null || value === undefined) return null;
  const text = typeof value === "string" ? value : JSON.stringify(value, null, 2);
  return (
    <section aria-label={title}>
      <Title order={3} mb="xs">
        {title}
      </Title>
      <CodeBlock code={text} label={`Copy the ${title.toLowerCase()}`} />
    </section>
  );
}
