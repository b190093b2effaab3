import { Alert, Button, Card, Group, Progress, SimpleGrid, Skeleton, Stack, Text, Title } from "@mantine/core";
import { IconAlertTriangle, IconPlayerPause } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { useParams } from "@tanstack/react-router";
import { useEffect, useState } from "react";
import type { RoundView, RunDetails } from "../../../../src/contract/training.ts";
import { apiGet } from "../../api/client.ts";
import { CodeBlock } from "../../components/code-block.tsx";
import { counted } from "../../components/counted.ts";
import { Facts } from "../../components/facts.tsx";
import { PageHeader } from "../../components/page-header.tsx";
import { isMissing, ThingFailed } from "../../components/thing-failed.tsx";
import { Time } from "../../components/time.tsx";
import { useMaySee, useOrganizationKey } from "../../session/session.ts";
import { CurveCard } from "./curve-card.tsx";
import { RoundsCard } from "./rounds-card.tsx";
import { RunActions } from "./run-actions.tsx";
import { RunBadge } from "./run-badge.tsx";
import { useRunEvents } from "./use-run-events.ts";

const BACK = { to: "/training/runs", words: "All runs" };

export default function RunPage() {
  const { runId = "" } = useParams({ strict: false }) as { runId?: string };
  const run = useQuery({
    queryKey: [...useOrganizationKey(), "training", "runs", runId],
    queryFn: ({ signal }) => apiGet<RunDetails>(`/api/training/runs/${runId}`, {}, signal),
  });
  if (isMissing(run)) return <ThingFailed query={run} title="Training run" back={BACK} />;
  if (!run.data) return <Skeleton height={480} />;
  return <RunView key={run.data.id} run={run.data} onChange={() => void run.refetch()} />;
}

function RunView({ run, onChange }: { run: RunDetails; onChange: () => void }) {
  const [rollbacks, setRollbacks] = useState(0);
  const live = useRunEvents(run.id, rollbacks);
  const isStale = live.status !== null && live.status !== run.status;
  // biome-ignore lint/correctness/useExhaustiveDependencies: what is read anew is the same whoever asks.
  useEffect(() => {
    if (isStale) onChange();
  }, [isStale]);
  const status = live.status ?? run.status;
  const reason = live.status === null ? run.reason : live.reason;
  const mayManage = useMaySee()("organization");
  const done = Math.max(live.rounds.length, live.status === null ? run.roundsDone : 0);
  return (
    <>
      <PageHeader
        back={BACK}
        title={run.name}
        about={<RunBadge status={status} />}
        actions={mayManage && <RunActions run={run} status={status} />}
      />
      <Stack gap="lg">
        {status === "paused" && (
          <Alert color="orange" icon={<IconPlayerPause size={18} />} title="This run is paused" role="status">
            <Text size="sm" className="wraps">
              {reason}.
            </Text>
            <Text size="sm" mt={4}>
              It goes on from round {done + 1} when somebody resumes it.
            </Text>
          </Alert>
        )}
        <Warning rounds={live.rounds} />
        <Card>
          <Group justify="space-between" mb={6}>
            <Text fw={560} className="figures">
              {done} of {counted(run.rounds, "round")}
            </Text>
            {done > 0 && (
              <Group gap="xs">
                <Button
                  component="a"
                  href={`/api/training/runs/${run.id}/report`}
                  target="_blank"
                  variant="default"
                  size="xs"
                >
                  Report
                </Button>
                <Button component="a" href={`/api/training/runs/${run.id}/model`} download variant="default" size="xs">
                  Download the model
                </Button>
              </Group>
            )}
          </Group>
          <Progress value={(100 * done) / run.rounds} aria-label="Rounds that are finished" />
        </Card>
        <SimpleGrid cols={{ base: 1, md: 2 }}>
          <CurveCard title="Accuracy" of="accuracy" rounds={live.rounds} color="pine.6" />
          <CurveCard title="Loss" of="loss" rounds={live.rounds} color="orange.5" />
        </SimpleGrid>
        <RoundsCard
          runId={run.id}
          rounds={live.rounds}
          onRollBack={
            mayManage && (status === "paused" || status === "completed") ? () => setRollbacks(rollbacks + 1) : null
          }
        />
        <SimpleGrid cols={{ base: 1, md: 2 }}>
          <Card>
            <Title order={2} mb="md">
              About it
            </Title>
            <Facts items={factsOf(run, live.rounds)} />
          </Card>
          <Card>
            <Title order={2} mb="md">
              The plan
            </Title>
            <CodeBlock code={run.planYaml} label="Copy the plan" />
          </Card>
        </SimpleGrid>
      </Stack>
    </>
  );
}

const factsOf = (run: RunDetails, rounds: readonly RoundView[]) => {
  const last = rounds.at(-1);
  return [
    ["Strategy", run.strategy],
    ["Participants", run.participants.join(", ")],
    [
      "Secure aggregation",
      last?.secure ? `on: the server saw only the sum of ${last.secure.asked} updates` : undefined,
    ],
    ["Accuracy now", last?.accuracy?.toFixed(4)],
    ["Privacy spent", last?.epsilon == null ? undefined : `epsilon ${last.epsilon.toFixed(2)}`],
    ["Asked for", <Time key="asked" at={run.createdAt} />],
    ["Begun", <Time key="begun" at={run.startedAt} none="not yet" />],
    ["Ended", run.endedAt === null ? undefined : <Time key="ended" at={run.endedAt} />],
    ["Id", run.id],
  ] as const;
};

/** Robust rules leave out what is only different, where everybody's data differ. */
function Warning({ rounds }: { rounds: readonly RoundView[] }) {
  const warning = rounds.findLast((round) => round.warning !== null)?.warning;
  if (!warning) return null;
  return (
    <Alert color="yellow" icon={<IconAlertTriangle size={18} />} title="This rule may learn less here" role="status">
      <Text size="sm" className="wraps">
        {warning.charAt(0).toUpperCase() + warning.slice(1)}. Where participants have different data, a plain mean
        (fedavg, fedadam) usually learns more.
      </Text>
    </Alert>
  );
}
