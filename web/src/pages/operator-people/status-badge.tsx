import { Badge } from "@mantine/core";

const COLORS: Readonly<Record<string, string>> = { active: "pine", blocked: "red", disabled: "gray", expired: "gray" };

export const StatusBadge = ({ status }: { status: string }) => (
  <Badge variant="light" color={COLORS[status] ?? "gray"} tt="none">
    {status}
  </Badge>
);
