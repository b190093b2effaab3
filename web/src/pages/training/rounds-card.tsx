import { Anchor, Badge, Button, Card, Center, Code, Group, Stack, Table, Text, Title } from "@mantine/core";
import { type ReactNode, useState } from "react";
import type { RoundView } from "../../../../src/contract/training.ts";
import { Time } from "../../components/time.tsx";
import { RollBackButton } from "./roll-back-button.tsx";

const SHOWN = 20;

interface RoundsCardProps {
  readonly runId: string;
  /** From the first on. */
  readonly rounds: readonly RoundView[];
  /** Runs after a rollback; null if the run cannot return to an earlier round. */
  readonly onRollBack: (() => void) | null;
}

/** Every round with who answered, who was left out or did not evaluate, and why; the newest first. */
export function RoundsCard({ runId, rounds, onRollBack }: RoundsCardProps) {
  const [shown, setShown] = useState(SHOWN);
  const newest = rounds.toReversed().slice(0, shown);
  return (
    <Card>
      <Title order={2} mb="md">
        Rounds
      </Title>
      {rounds.length === 0 ? (
        <Text c="dimmed">No round is finished yet.</Text>
      ) : (
        <Table.ScrollContainer minWidth={0}>
          <Table aria-label="Rounds" verticalSpacing="xs">
            <Table.Thead>
              <Table.Tr>
                <Table.Th>Round</Table.Th>
                <Table.Th ta="right">Accuracy</Table.Th>
                <Table.Th ta="right" visibleFrom="sm">
                  Loss
                </Table.Th>
                <Table.Th>Who</Table.Th>
                <Table.Th visibleFrom="md">Finished</Table.Th>
                <Table.Th visibleFrom="sm">Model</Table.Th>
              </Table.Tr>
            </Table.Thead>
            <Table.Tbody>
              {newest.map((round) => (
                <RoundRow
                  key={round.round}
                  runId={runId}
                  round={round}
                  onRollBack={round === rounds.at(-1) ? null : onRollBack}
                />
              ))}
            </Table.Tbody>
          </Table>
        </Table.ScrollContainer>
      )}
      {rounds.length > shown && (
        <Center mt="md">
          <Button variant="default" onClick={() => setShown(shown + 100)}>
            Show more
          </Button>
        </Center>
      )}
    </Card>
  );
}

/** Whoever failed in every try of a round is told once. */
const onceEach = (dropped: RoundView["dropped"]): RoundView["dropped"] => [
  ...new Map(dropped.map((one) => [`${one.participant} ${one.reason}`, one])).values(),
];

const figure = (value: number | null): string => (value === null ? "–" : value.toFixed(4));

function Failed({ who, children }: { who: string; children: ReactNode }) {
  return (
    <Group gap={6} wrap="nowrap" align="flex-start">
      <Badge color="orange" flex="none">
        {who}
      </Badge>
      <Text size="xs" c="dimmed" className="wraps">
        {children}
      </Text>
    </Group>
  );
}

interface RoundRowProps {
  readonly runId: string;
  readonly round: RoundView;
  readonly onRollBack: (() => void) | null;
}

function RoundRow({ runId, round, onRollBack }: RoundRowProps) {
  const left = round.replies.filter(({ counted }) => !counted);
  return (
    <Table.Tr style={{ verticalAlign: "top" }}>
      <Table.Td className="figures">
        <Stack gap={4} align="flex-start">
          {round.round.toLocaleString()}
          {onRollBack && <RollBackButton runId={runId} round={round.round} onDone={onRollBack} />}
        </Stack>
      </Table.Td>
      <Table.Td ta="right" className="figures">
        {figure(round.accuracy)}
      </Table.Td>
      <Table.Td ta="right" className="figures" visibleFrom="sm">
        {figure(round.loss)}
      </Table.Td>
      <Table.Td>
        <Stack gap={4}>
          <Text size="sm">
            {round.replies.length - left.length} of {round.replies.length + round.dropped.length} counted
          </Text>
          {left.map(({ participant }) => (
            <Group key={participant} gap={6}>
              <Badge color="gray">{participant}</Badge>
              <Text size="xs" c="dimmed">
                answered, and the rule left it out
              </Text>
            </Group>
          ))}
          {onceEach(round.dropped).map(({ participant, reason, phase }) => (
            <Failed key={`${participant} ${reason}`} who={participant}>
              {phase === undefined ? reason : `${phase}: ${reason}`}
            </Failed>
          ))}
          {round.evaluationFailures?.map(({ participant, reason }) => (
            <Failed key={`evaluation ${participant}`} who={participant}>
              did not evaluate: {reason}
            </Failed>
          ))}
        </Stack>
      </Table.Td>
      <Table.Td visibleFrom="md">
        <Time at={round.at} size="sm" className="figures" />
      </Table.Td>
      <Table.Td visibleFrom="sm">
        <Anchor
          href={`/api/training/runs/${runId}/model?round=${round.round}`}
          download
          aria-label={`${round.modelOut.slice(0, 10)}: download the model of round ${round.round}`}
          title={round.modelOut}
        >
          <Code>{round.modelOut.slice(0, 10)}</Code>
        </Anchor>
      </Table.Td>
    </Table.Tr>
  );
}
