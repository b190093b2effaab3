import { Card, Skeleton, Text } from "@mantine/core";
import type { ReactNode } from "react";

interface StatCardProps {
  readonly label: string;
  /** Undefined while it is read: the card is as high as it will be. */
  readonly value: ReactNode | undefined;
  /** A line below the figure; null while it is read, so that it has its place. */
  readonly note?: ReactNode;
}

/** One figure with its name. */
export const StatCard = ({ label, value, note }: StatCardProps) => (
  <Card>
    <Text size="sm" c="dimmed">
      {label}
    </Text>
    <Text component="div" fz={24} fw={620} lh={1.35} mt={2} className="figures">
      {value ?? <Skeleton height={22} my={5} width={96} />}
    </Text>
    {note !== undefined && (
      <Text component="div" size="sm" c="dimmed" mih={22}>
        {note}
      </Text>
    )}
  </Card>
);
