import { Badge, Group, Tooltip } from "@mantine/core";
import type { PlatformModel } from "../../../../src/contract/platform-models.ts";
import { CAPABILITIES, capabilitiesOf, STATUS } from "./words.ts";

/** Whether the model works at present. */
export function StatusBadge({ status }: { status: PlatformModel["status"] }) {
  const { words, color, about } = STATUS[status];
  return (
    <Tooltip label={about}>
      <Badge variant="light" color={color} tt="none" fw={560} flex="0 0 auto">
        {words}
      </Badge>
    </Tooltip>
  );
}

export const CapabilityBadges = ({ model }: { model: PlatformModel }) => (
  <Group gap={6}>
    {capabilitiesOf(model).map((name) => (
      <Badge key={name} variant="light" color="gray" tt="none" fw={500}>
        {CAPABILITIES[name]}
      </Badge>
    ))}
  </Group>
);
