import { Box, Group, Stack, Text, Title } from "@mantine/core";
import type { CallRecord } from "../../../../src/contract/usage-records.ts";
import { formatMs } from "../../components/format-ms.ts";
import classes from "./attempt-timeline.module.css";

interface Bar {
  readonly name: string;
  readonly note: string;
  readonly startMs: number;
  readonly lengthMs: number;
  readonly look: "good" | "bad" | "whole";
}

/** Where the time went: one attempt after the other, each as long as it took, below the whole call. */
export function AttemptTimeline({ call }: { call: CallRecord }) {
  const bars = barsOf(call);
  const wholeMs = Math.max(1, call.latencyMs, ...bars.map(({ startMs, lengthMs }) => startMs + lengthMs));
  const share = (ms: number): string => `${Math.min(100, (ms / wholeMs) * 100)}%`;
  return (
    <section aria-label="Time">
      <Title order={3} mb="xs">
        Time
      </Title>
      <Stack gap="sm">
        {bars.map(({ name, note, startMs, lengthMs, look }, at) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: attempts do not change their places.
          <div key={at}>
            <Group justify="space-between" gap="xs" wrap="nowrap">
              <Text size="sm" className="wraps">
                {name}{" "}
                <Text span inherit c="dimmed">
                  {note}
                </Text>
              </Text>
              <Text size="sm" className="figures" style={{ whiteSpace: "nowrap" }}>
                {formatMs(lengthMs)}
              </Text>
            </Group>
            <Box className={classes.track}>
              <Box
                className={classes.bar}
                data-look={look}
                style={{ marginLeft: share(startMs), width: share(lengthMs) }}
              />
              {look === "whole" && call.ttftMs !== null && (
                <Box className={classes.first} style={{ left: share(call.ttftMs) }} />
              )}
            </Box>
          </div>
        ))}
      </Stack>
      {call.attempts.length === 0 && (
        <Text size="sm" c="dimmed" mt="xs">
          {call.cacheHit
            ? "The answer came out of the cache: nobody was asked."
            : "It was refused before anything was sent."}
        </Text>
      )}
    </section>
  );
}

function barsOf(call: CallRecord): readonly Bar[] {
  let startMs = 0;
  const first = call.ttftMs === null ? "" : `first byte after ${formatMs(call.ttftMs)}`;
  const whole: Bar = { name: "Whole call", note: first, startMs: 0, lengthMs: call.latencyMs, look: "whole" };
  const attempts = call.attempts.map(({ deploymentId, provider, statusCode, error, latencyMs }, at): Bar => {
    const bar: Bar = {
      name: `${at + 1}. ${provider}`,
      note: `${shortId(deploymentId)} · ${error === null ? statusCode : `${statusCode} ${error}`}`,
      startMs,
      lengthMs: latencyMs,
      look: error === null ? "good" : "bad",
    };
    startMs += latencyMs;
    return bar;
  });
  return [whole, ...attempts];
}

/** Ids that were made from an entry are long, and their beginnings are enough. */
const shortId = (id: string): string => (/^[0-9a-f]{32,}$/.test(id) ? id.slice(0, 8) : id);
