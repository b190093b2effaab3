import { Box, Card, Center, Skeleton, Text, Title } from "@mantine/core";
import { lazy, Suspense } from "react";
import type { RoundView } from "../../../../src/contract/training.ts";

/** The charts' library is large: it comes with the first chart that is shown. */
const RoundChart = lazy(() => import("./round-chart.tsx"));
const HEIGHT = 220;
const POINTS_MAX = 500;

interface CurveCardProps {
  readonly title: string;
  readonly of: "accuracy" | "loss";
  readonly rounds: readonly RoundView[];
  readonly color: string;
}

interface Point {
  readonly round: number;
  readonly value: number;
}

/** Some of them, evenly, and always the last: no screen has room for more, and each takes its time to be drawn. */
const thinned = (points: readonly Point[]): readonly Point[] => {
  const step = Math.ceil(points.length / POINTS_MAX);
  return points.filter((_, at) => at % step === 0 || at === points.length - 1);
};

/** A figure of the rounds so far. Its height is the same whether there is anything yet or not. */
export function CurveCard({ title, of, rounds, color }: CurveCardProps) {
  const points = rounds.flatMap((one) => {
    const value = one[of];
    return value === null ? [] : [{ round: one.round, value }];
  });
  return (
    <Card>
      <Title order={2} mb="md">
        {title}
      </Title>
      <Box mih={HEIGHT}>
        {points.length === 0 ? (
          <Center h={HEIGHT}>
            <Text c="dimmed" ta="center">
              {rounds.length === 0 ? "The curve begins with the first round." : `No participant tells its ${of}.`}
            </Text>
          </Center>
        ) : (
          <Suspense fallback={<Skeleton height={HEIGHT} />}>
            <RoundChart
              points={thinned(points)}
              label={title}
              color={color}
              isShare={of === "accuracy" && points.every(({ value }) => value >= 0 && value <= 1)}
            />
          </Suspense>
        )}
      </Box>
    </Card>
  );
}
