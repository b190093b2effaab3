import { Badge, Group, Tooltip } from "@mantine/core";
import type { PlatformModel } from "../../../../src/contract/platform-models.ts";
import { CAPABILITIES, capabilitiesOf, statusOf } from "./words.ts";

/** Whether the model can be called at present. */
export function StatusBadge({ model }: { model: PlatformModel }) {
  const { words, color, about } = statusOf(model);
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
