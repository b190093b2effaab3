import { Badge, Tooltip } from "@mantine/core";
import { useEffect, useState } from "react";
import type { DeploymentView } from "../../../../src/contract/deployments.ts";
import { serverNowMs } from "../../api/server-clock.ts";
import { isNotSetUp, isUntried } from "../../components/use-deployments.ts";

type State = DeploymentView["state"];

const STATE_COLORS: Readonly<Record<State, string>> = {
  well: "pine",
  off: "gray",
  resting: "orange",
  probing: "yellow",
  unwell: "red",
  spent: "orange",
};

const MEANINGS: Readonly<Record<State, string>> = {
  well: "It gets calls.",
  off: "Switched off: it gets no calls.",
  resting: "It rests, and gets calls only where no other of its group is well.",
  probing: "Its rest is over; one call shows whether it is well again.",
  unwell: "Its last background check failed.",
  spent: "What may be spent on it, or at its provider, is spent: it gets no calls until the next period.",
};

/** How a deployment does; of one that rests, for how long still. */
export function StateBadge({ deployment }: { deployment: DeploymentView | undefined }) {
  if (deployment !== undefined && isNotSetUp(deployment)) return <NotSetUp lacks={deployment.lacks ?? ""} />;
  return <RunningState deployment={deployment} />;
}

const NotSetUp = ({ lacks }: { lacks: string }) => (
  <Tooltip label={`Every call fails: ${lacks}`} multiline maw={320}>
    <Badge variant="light" color="red" tt="none" miw="max-content">
      not set up
    </Badge>
  </Tooltip>
);

function RunningState({ deployment }: { deployment: DeploymentView | undefined }) {
  const state = deployment?.state ?? "off";
  const isNew = deployment !== undefined && isUntried(deployment);
  const seconds = useSecondsUntil(state === "resting" ? (deployment?.restsUntil ?? null) : null);
  return (
    <Tooltip label={isNew ? "It gets calls; none has come since the start." : MEANINGS[state]}>
      <Badge
        variant="light"
        color={isNew ? "gray" : STATE_COLORS[state]}
        className="figures"
        tt="none"
        miw="max-content"
      >
        {isNew ? "not tried yet" : seconds === null ? state : `${state}, ${formatSeconds(seconds)}`}
      </Badge>
    </Tooltip>
  );
}

function useSecondsUntil(at: string | null): number | null {
  const [, tick] = useState(0);
  useEffect(() => {
    if (at === null) return;
    const timer = setInterval(() => tick((ticks) => ticks + 1), 1000);
    return () => clearInterval(timer);
  }, [at]);
  return at === null ? null : Math.max(0, Math.ceil((Date.parse(at) - serverNowMs()) / 1000));
}

const formatSeconds = (seconds: number): string => {
  if (seconds < 120) return `${seconds} s`;
  const minutes = Math.ceil(seconds / 60);
  return minutes < 120 ? `${minutes} min` : `${Math.ceil(minutes / 60)} h`;
};
