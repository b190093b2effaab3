import { Accordion, Button, Card, Group, Skeleton, Text, Title } from "@mantine/core";
import { useEffect, useState } from "react";
import type { KeyApi } from "../../api/key-api.ts";
import { ErrorState } from "../../components/error-state.tsx";
import { Time } from "../../components/time.tsx";
import { isoOf } from "../../components/unix-time.ts";
import type { CursorQuery } from "../../components/use-cursor-query.ts";
import classes from "./assistants.module.css";
import type { Run } from "./records.ts";
import { RunDetails } from "./run-details.tsx";
import { RunBadge } from "./run-states.tsx";

/** The runs of a thread, the newest first and open. */
export function RunsPanel({ api, runs }: { api: KeyApi; runs: CursorQuery<Run> }) {
  const newest = runs.rows?.[0]?.id ?? null;
  const [open, setOpen] = useState<string | null>(newest);
  useEffect(() => setOpen(newest), [newest]);
  return (
    <Card component="section" aria-label="Runs" p={0}>
      <Title order={2} p="md" pb="xs">
        Runs
      </Title>
      {runs.error && !runs.rows && <ErrorState error={runs.error} onRetry={runs.retry} />}
      {runs.isPending && !runs.error && <Skeleton height={120} m="md" w="auto" />}
      {runs.rows?.length === 0 && (
        <Text c="dimmed" px="md" pb="md">
          Each answer is a run: what it did step by step, its tokens and its cost stand here.
        </Text>
      )}
      <Accordion value={open} onChange={setOpen} chevronPosition="right" order={3}>
        {runs.rows?.map((run) => (
          <Accordion.Item key={run.id} value={run.id}>
            <Accordion.Control>
              <Group gap="sm" wrap="nowrap">
                <RunBadge run={run} />
                <Text size="sm" truncate>
                  {run.model}
                </Text>
                <Text size="sm" c="dimmed" className={classes.aside}>
                  <Time at={isoOf(run.created_at)} as="ago" />
                </Text>
              </Group>
            </Accordion.Control>
            <Accordion.Panel>{open === run.id && <RunDetails api={api} run={run} />}</Accordion.Panel>
          </Accordion.Item>
        ))}
      </Accordion>
      {runs.hasMore && (
        <Group p="sm" justify="center">
          <Button variant="subtle" size="xs" loading={runs.isReadingMore} onClick={runs.readMore}>
            Show more
          </Button>
        </Group>
      )}
    </Card>
  );
}
