import { Button, Card, Group, NumberInput, Select, Stack, Text, Title } from "@mantine/core";
import { useState } from "react";
import type { DeploymentView } from "../../../../src/contract/deployments.ts";
import { Facts } from "../../components/facts.tsx";
import { exactUsd } from "../../components/format-usd.ts";
import { notifyDone } from "../../components/notify.ts";
import { Time } from "../../components/time.tsx";
import { formatMs } from "./format-latency.ts";
import { PowerSwitch } from "./power-switch.tsx";
import { StateBadge } from "./state-badge.tsx";
import { useDeploymentChange } from "./use-deployment-change.ts";

const RESTS = { "60": "a minute", "600": "ten minutes", "3600": "an hour", "86400": "a day" } as const;

/** How a deployment does, and what can be done about it while it runs. */
export function DeploymentCard({ deployment, name }: { deployment: DeploymentView; name: string }) {
  const { set, cool } = useDeploymentChange(deployment.id);
  const [seconds, setSeconds] = useState<string>("60");
  const isResting = deployment.state === "resting" || deployment.state === "probing";
  return (
    <Card component="section" aria-label="While it runs">
      <Group justify="space-between" mb="md">
        <Title order={2}>While it runs</Title>
        <PowerSwitch deployment={deployment} name={name} />
      </Group>
      <Facts
        items={[
          ["State", <StateBadge key="state" deployment={deployment} />],
          ["Rests until", deployment.restsUntil === null ? undefined : <Time key="rest" at={deployment.restsUntil} />],
          ["Spent until", deployment.spentUntil === null ? undefined : <Time key="spent" at={deployment.spentUntil} />],
          ...deployment.budgets.map(
            ({ of, spent, limit, period }) =>
              [
                of === "provider" ? "Budget of its provider" : "Budget",
                `${exactUsd(spent)} of ${exactUsd(limit)} in ${period}`,
              ] as const,
          ),
          ["Calls in flight", deployment.inFlight.toLocaleString()],
          ["Calls", `${deployment.calls.toLocaleString()}, of which ${deployment.failures.toLocaleString()} failed`],
          ["Failures in a row", deployment.failuresInARow.toLocaleString()],
          [
            "First byte",
            `${formatMs(deployment.plainFirstByteMs)} plain, ${formatMs(deployment.streamFirstByteMs)} streamed`,
          ],
          ["Chosen by", deployment.strategy],
          ["Last check", <Checked key="check" deployment={deployment} />],
        ]}
      />
      <Text size="sm" c="dimmed" mt="sm" mb="md">
        Calls and times are those of the process that answers, since it started.
      </Text>
      <Stack gap="md">
        <WeightField
          key={String(deployment.weight)}
          deployment={deployment}
          isPending={set.isPending}
          onSet={(weight) => set.mutate({ weight }, { onSuccess: () => notifyDone("The weight is changed.") })}
        />
        {isResting ? (
          <Button variant="default" loading={cool.isPending} onClick={() => cool.mutate({ action: "clear" })}>
            End the rest
          </Button>
        ) : (
          <Group align="flex-end" gap="sm" wrap="nowrap">
            <Select
              label="Let it rest for"
              data={Object.entries(RESTS).map(([value, label]) => ({ value, label }))}
              value={seconds}
              onChange={(value) => setSeconds(value ?? "60")}
              allowDeselect={false}
              flex={1}
            />
            <Button
              variant="default"
              loading={cool.isPending}
              onClick={() => cool.mutate({ action: "start", seconds: Number(seconds) })}
            >
              Begin
            </Button>
          </Group>
        )}
      </Stack>
    </Card>
  );
}

const Checked = ({ deployment: { checkedAt, checkOk } }: { deployment: DeploymentView }) =>
  checkedAt === null ? (
    "none; background checks are off, or have not begun"
  ) : (
    <>
      {checkOk ? "passed " : "failed "}
      <Time at={checkedAt} as="ago" />
    </>
  );

interface WeightFieldProps {
  readonly deployment: DeploymentView;
  readonly isPending: boolean;
  readonly onSet: (weight: number | null) => void;
}

function WeightField({ deployment, isPending, onSet }: WeightFieldProps) {
  const [weight, setWeight] = useState<string | number>(deployment.weight ?? "");
  const wanted = weight === "" ? null : Number(weight);
  return (
    <Group align="flex-end" gap="sm" wrap="nowrap">
      <NumberInput
        label="Weight"
        description={`Its part of the calls is ${deployment.share.toLocaleString()} beside those of its group.`}
        placeholder="As configured"
        min={0}
        max={1_000_000}
        thousandSeparator=","
        value={weight}
        onChange={setWeight}
        flex={1}
      />
      <Button
        variant="default"
        disabled={wanted === deployment.weight}
        loading={isPending}
        onClick={() => onSet(wanted)}
      >
        Set
      </Button>
    </Group>
  );
}
