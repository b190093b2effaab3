import type { DeploymentView } from "../contract/deployments.ts";
import type { Over, WatchedSeries } from "../http/metrics.ts";

const LABELS = ["deployment", "model_group", "provider"];
/** Calls go to others, as long as there are any. */
const AWAY: ReadonlySet<DeploymentView["state"]> = new Set(["off", "resting", "spent"]);

/** How deployments do, for /metrics: what the router knows of them anyway, read when somebody asks. */
export function deploymentGauges(views: () => readonly DeploymentView[]): readonly WatchedSeries[] {
  const series = (name: string, help: string, over: Over, number: (view: DeploymentView) => number): WatchedSeries => ({
    name: `turnpike_deployment_${name}`,
    help,
    labels: LABELS,
    over,
    read: () => views().map((view) => [labelsOf(view), number(view)]),
  });
  return [
    series(
      "available",
      "1 where calls may go, 0 where it is off, rests after failures or has spent its budget.",
      "min",
      (view) => (AWAY.has(view.state) ? 0 : 1),
    ),
    series(
      "calls_total",
      "Tries at it since the start, retries and fallbacks among them.",
      "total",
      ({ calls }) => calls,
    ),
    series("failures_total", "Those that spoke against it.", "total", ({ failures }) => failures),
    series("in_flight", "Calls that it is answering.", "sum", ({ inFlight }) => inFlight),
    {
      name: "turnpike_deployment_first_byte_seconds",
      help: "A moving average of the time to the first byte of its answers.",
      labels: [...LABELS, "stream"],
      over: "max",
      read: () => views().flatMap(firstBytes),
    },
  ];
}

const labelsOf = ({ id, group, provider }: DeploymentView) => ({ deployment: id, model_group: group, provider });

/** None where nothing was answered yet. */
function firstBytes(view: DeploymentView): (readonly [Readonly<Record<string, string>>, number])[] {
  const { streamFirstByteMs, plainFirstByteMs } = view;
  return (
    [
      ["true", streamFirstByteMs],
      ["false", plainFirstByteMs],
    ] as const
  ).flatMap(([stream, ms]) => (ms === null ? [] : [[{ ...labelsOf(view), stream }, ms / 1000] as const]));
}
