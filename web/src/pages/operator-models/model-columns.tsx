import { Badge, Group, Stack, Text } from "@mantine/core";
import type { DeploymentView } from "../../../../src/contract/deployments.ts";
import type { Column } from "../../components/column.ts";
import { type AdminModel, SOURCES } from "./admin-model.ts";
import { formatMs } from "./format-latency.ts";
import { PowerSwitch } from "./power-switch.tsx";
import { StateBadge } from "./state-badge.tsx";
import { tellApart } from "./tell-apart.ts";

/** Models as they are kept, beside how each of them does at the moment. */
export function modelColumns(
  deployments: ReadonlyMap<string, DeploymentView> | undefined,
): readonly Column<AdminModel>[] {
  const running = ({ id }: AdminModel): DeploymentView | undefined => deployments?.get(id);
  const apart = tellApart(deployments?.values() ?? []);
  return [
    {
      name: "name",
      header: "Model",
      cell: (model) => (
        <Stack gap={0}>
          <Text fw={560} size="sm" className="wraps">
            {model.name}
          </Text>
          <Text size="xs" c="dimmed" className="wraps">
            {model.provider}/{model.inferenceModelId ?? "?"}
          </Text>
          {apart.has(model.id) && (
            <Text size="xs" className="wraps">
              {apart.get(model.id)}
            </Text>
          )}
        </Stack>
      ),
    },
    {
      name: "state",
      header: "State",
      cell: (model) =>
        model.faults.length > 0 ? (
          <Badge variant="light" color="red" tt="none">
            cannot be read
          </Badge>
        ) : model.status === "disabled" ? (
          <Badge variant="light" color="gray" tt="none">
            out of use
          </Badge>
        ) : (
          <StateBadge deployment={running(model)} />
        ),
    },
    {
      name: "source",
      header: "Kept",
      from: "lg",
      cell: ({ source }) => (
        <Text size="sm" c="dimmed">
          {SOURCES[source]}
        </Text>
      ),
    },
    {
      name: "share",
      header: "Weight",
      isFigure: true,
      from: "md",
      cell: (model) => running(model)?.share.toLocaleString() ?? "–",
    },
    {
      name: "firstByte",
      header: "First byte",
      isFigure: true,
      from: "md",
      cell: (model) => {
        const { streamFirstByteMs = null, plainFirstByteMs = null } = running(model) ?? {};
        return formatMs(streamFirstByteMs ?? plainFirstByteMs);
      },
    },
    {
      name: "failures",
      header: "Failed",
      isFigure: true,
      from: "sm",
      cell: (model) => {
        const { calls = 0, failures = 0 } = running(model) ?? {};
        return (
          <Text span size="sm" {...(failures > 0 ? {} : { c: "dimmed" })} className="figures">
            {failures.toLocaleString()} of {calls.toLocaleString()}
          </Text>
        );
      },
    },
    {
      name: "on",
      header: "On",
      isFigure: true,
      cell: (model) => {
        const found = running(model);
        const name = [model.name, apart.get(model.id)].filter(Boolean).join(", ");
        return <Group justify="flex-end">{found && <PowerSwitch deployment={found} name={name} />}</Group>;
      },
    },
  ];
}
