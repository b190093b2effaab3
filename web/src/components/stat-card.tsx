import { Card, Skeleton, Text } from "@mantine/core";
import type { ReactNode } from "react";

interface StatCardProps {
  readonly label: string;
  /** Undefined while it is read: the card is as high as it will be. */
  readonly value: ReactNode | undefined;
  /** A line below the figure. Its place is kept where it is named at all, also while it is read. */
  readonly note?: ReactNode;
}

/** One figure with its name. */
export const StatCard = (props: StatCardProps) => (
  <Card>
    <Text size="sm" c="dimmed">
      {props.label}
    </Text>
    <Text component="div" fz={24} fw={620} lh={1.35} mt={2} className="figures">
      {props.value ?? <Skeleton height={22} my={5} width={96} />}
    </Text>
    {"note" in props && (
      <Text component="div" size="sm" c="dimmed" mih={22}>
        {props.note}
      </Text>
    )}
  </Card>
);
