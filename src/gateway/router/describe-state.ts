import type { Deployment } from "../../contract/deployment.ts";
import type { DEPLOYMENT_STATES, DeploymentView } from "../../contract/deployments.ts";
import { isoTimeOrNull } from "../../contract/users.ts";
import type { Clock } from "../../lib/clock.ts";
import type { DeploymentState } from "./deployment-state.ts";
import type { GroupView, Member } from "./group-view.ts";

/** A deployment as the router of this process sees it. */
export function describeState(
  { deployment, state, share, order }: Member,
  view: GroupView,
  clock: Clock,
): DeploymentView {
  const now = clock.monotonicMs();
  const restsUntil = state.breaker.untilMs(now);
  return {
    ...whatItIs(deployment),
    strategy: view.rule.strategy,
    state: stateOf(state, now),
    enabled: state.enabled,
    weight: state.weight,
    share,
    order: Number.isFinite(order) ? order : null,
    inFlight: state.inFlight,
    streamFirstByteMs: tenths(state.streamMeasuredMs),
    plainFirstByteMs: tenths(state.plainMeasuredMs),
    calls: state.calls,
    failures: state.failures,
    failuresInARow: state.breaker.failsInARow,
    restsUntil: isoTimeOrNull(restsUntil === null ? null : clock.nowMs() + restsUntil - now),
    checkedAt: isoTimeOrNull(state.checked?.atMs ?? null),
    checkOk: state.checked?.ok ?? null,
  };
}

const whatItIs = ({ id, group, provider, upstreamModel: model }: Deployment) => ({ id, group, provider, model });

function stateOf(state: DeploymentState, now: number): (typeof DEPLOYMENT_STATES)[number] {
  if (!state.enabled) return "off";
  const standing = state.breaker.standing(now);
  if (standing === "resting") return "resting";
  if (standing === "probed" || standing === "ready") return "probing";
  return state.checked?.ok === false ? "unwell" : "well";
}

const tenths = (ms: number | null): number | null => (ms === null ? null : Math.round(ms * 10) / 10);
