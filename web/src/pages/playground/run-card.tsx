import { Badge, Card, Group, Skeleton, Stack, Text } from "@mantine/core";
import type { ReactNode } from "react";
import { AnswerFigures } from "./answer-figures.tsx";
import { CallFailure } from "./call-failure.tsx";
import type { Run } from "./use-runs.ts";

interface RunCardProps {
  readonly run: Run<unknown>;
  /** While it is made. */
  readonly height: number;
  readonly children: ReactNode;
}

/** What was made, from which words, by which model, for how much. */
export const RunCard = ({ run, height, children }: RunCardProps) => (
  <Card component="article" aria-label={run.prompt}>
    <Stack gap="sm">
      <Group gap="xs" justify="space-between">
        <Badge variant="light" tt="none">
          {run.model}
        </Badge>
      </Group>
      <Text size="sm" className="wraps" lineClamp={3}>
        {run.prompt}
      </Text>
      {run.state === "waiting" && <Skeleton height={height} />}
      {run.error && <CallFailure error={run.error} />}
      {children}
      <AnswerFigures timing={run.timing} isOver={run.state !== "waiting"} />
    </Stack>
  </Card>
);
