import type { DeploymentView } from "../../contract/deployments.ts";

/** Worst first: a deployment that rests in one worker is away from the calls that this one is given. */
const WORST_FIRST: readonly DeploymentView["state"][] = ["off", "spent", "resting", "probing", "unwell", "well"];

/** How deployments do in all workers of a server: counts are sums, of times and states the worst one is told, as in `/metrics`. */
export function joinDeployments(
  own: readonly DeploymentView[],
  others: readonly (readonly DeploymentView[])[],
): readonly DeploymentView[] {
  if (others.length === 0) return own;
  const byId = others.map((views) => new Map(views.map((view) => [view.id, view])));
  return own.map((view) => byId.reduce((joined, views) => joinTwo(joined, views.get(view.id)), view));
}

/** What is configured, set by operators or checked is the same in all. One that does not know it yet changes nothing. */
function joinTwo(one: DeploymentView, other: DeploymentView | undefined): DeploymentView {
  if (other === undefined) return one;
  const isWorse = WORST_FIRST.indexOf(other.state) < WORST_FIRST.indexOf(one.state);
  return {
    ...one,
    state: isWorse ? other.state : one.state,
    inFlight: one.inFlight + other.inFlight,
    calls: one.calls + other.calls,
    failures: one.failures + other.failures,
    failuresInARow: Math.max(one.failuresInARow, other.failuresInARow),
    streamFirstByteMs: greater(one.streamFirstByteMs, other.streamFirstByteMs),
    plainFirstByteMs: greater(one.plainFirstByteMs, other.plainFirstByteMs),
    restsUntil: greater(one.restsUntil, other.restsUntil),
    spentUntil: greater(one.spentUntil, other.spentUntil),
  };
}

/** Times of day are written so that they sort. */
function greater<T extends string | number>(one: T | null, other: T | null): T | null {
  if (one === null || other === null) return one ?? other;
  return one > other ? one : other;
}
