import { Box, Group, Text } from "@mantine/core";
import type { CallRecord } from "../../../../src/contract/usage-records.ts";
import { Breakable } from "../../components/breakable.tsx";
import { CallStatus } from "../../components/call-status.tsx";
import type { Column } from "../../components/column.ts";
import { formatMs } from "../../components/format-ms.ts";
import { Money } from "../../components/money.tsx";
import { Time } from "../../components/time.tsx";

export const LOG_COLUMNS: readonly Column<CallRecord>[] = [
  {
    name: "createdAt",
    header: "When",
    isSortable: true,
    isWhole: true,
    cell: ({ createdAt }) => <Time at={createdAt} as="ago" />,
  },
  { name: "status", header: "End", from: "xs", isWhole: true, cell: ({ status }) => <CallStatus status={status} /> },
  {
    name: "model",
    header: "Model",
    cell: ({ requestedModel, model, attempts, cacheHit, errorCode, status }) => (
      <div>
        {requestedModel}
        {status !== "succeeded" && (
          <Box hiddenFrom="xs">
            <CallStatus status={status} />
          </Box>
        )}
        <Group gap="0 8px" c="dimmed" fz="xs">
          {model !== null && model !== requestedModel && !model.includes("*") && <span>served by {model}</span>}
          {attempts.length > 1 && <span>{attempts.length} attempts</span>}
          {cacheHit && <span>from the cache</span>}
          {errorCode !== null && (
            <span className="code">
              <Breakable>{errorCode}</Breakable>
            </span>
          )}
        </Group>
      </div>
    ),
  },
  { name: "key", header: "Key", from: "md", cell: ({ apiKeyName }) => apiKeyName },
  {
    name: "tokens",
    header: "Tokens",
    from: "sm",
    isFigure: true,
    isWhole: true,
    cell: ({ promptTokens, completionTokens }) => (
      <>
        {promptTokens.toLocaleString()}{" "}
        <Text span inherit c="dimmed">
          in
        </Text>{" "}
        {completionTokens.toLocaleString()}{" "}
        <Text span inherit c="dimmed">
          out
        </Text>
      </>
    ),
  },
  {
    name: "latency",
    header: "Time",
    from: "sm",
    isFigure: true,
    isWhole: true,
    cell: ({ latencyMs }) => formatMs(latencyMs),
  },
  {
    name: "first",
    header: "First byte",
    from: "lg",
    isFigure: true,
    isWhole: true,
    cell: ({ ttftMs }) => (ttftMs === null ? "–" : formatMs(ttftMs)),
  },
  { name: "cost", header: "Cost", isFigure: true, cell: ({ cost }) => <Money nano={cost} /> },
];
