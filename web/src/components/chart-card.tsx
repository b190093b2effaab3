import { Box, Card, Center, Group, Skeleton, Text, Title } from "@mantine/core";
import { lazy, type ReactNode, Suspense } from "react";
import type { ApiError } from "../api/api-error.ts";
import { ErrorState } from "./error-state.tsx";
import type { TimeChartProps } from "./time-chart.tsx";

/** The charts' library is large: it comes with the first chart that is shown. */
const TimeChart = lazy(() => import("./time-chart.tsx"));

interface ChartCardProps extends Omit<TimeChartProps, "points"> {
  readonly title: string;
  /** Undefined while it is read. */
  readonly points: TimeChartProps["points"] | undefined;
  readonly error?: ApiError | null;
  readonly actions?: ReactNode;
  /** In place of a chart without anything in it. */
  readonly empty?: string;
}

/** A chart over time with its title. Its height is the same whether it is read, empty or there. */
export function ChartCard({
  title,
  points,
  error,
  actions,
  empty = "Nothing in this time.",
  height = 260,
  ...chart
}: ChartCardProps) {
  const waiting = <Skeleton height={height} />;
  const isEmpty = points?.every((point) => chart.series.every(({ name }) => !point[name]));
  return (
    <Card>
      <Group justify="space-between" mb="md">
        <Title order={2}>{title}</Title>
        {actions}
      </Group>
      <Box mih={height}>
        {points === undefined ? (
          error ? (
            <ErrorState error={error} />
          ) : (
            waiting
          )
        ) : isEmpty ? (
          <Center h={height}>
            <Text c="dimmed">{empty}</Text>
          </Center>
        ) : (
          <Suspense fallback={waiting}>
            <TimeChart points={points} height={height} {...chart} />
          </Suspense>
        )}
      </Box>
    </Card>
  );
}
