import type { Deployment } from "../../contract/deployment.ts";
import type { DEPLOYMENT_STATES, DeploymentView, UpstreamBudgetView } from "../../contract/deployments.ts";
import { formatUsd } from "../../contract/money.ts";
import { publicAddress } from "../../contract/public-address.ts";
import { isoTime, isoTimeOrNull } from "../../contract/users.ts";
import type { Clock } from "../../lib/clock.ts";
import type { DeploymentState } from "./deployment-state.ts";
import type { GroupView, Member } from "./group-snapshot.ts";
import { spentForMs, type UpstreamBudget } from "./upstream-budget.ts";

/** A deployment as the router of this process sees it. */
export function describeState(
  { deployment, state, share, order, region, budgets }: Member,
  view: GroupView,
  clock: Clock,
): Omit<DeploymentView, "lacks"> {
  const now = clock.monotonicMs();
  const restsUntil = state.breaker.untilMs(now);
  const wallNow = clock.nowMs();
  const spentMs = budgets === null ? 0 : spentForMs(budgets, wallNow);
  return {
    ...whatItIs(deployment),
    region,
    strategy: view.rule.strategy,
    state: stateOf(state, now, spentMs > 0),
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
    restsUntil: isoTimeOrNull(restsUntil === null ? null : wallNow + restsUntil - now),
    spentUntil: isoTimeOrNull(spentMs > 0 ? wallNow + spentMs : null),
    budgets: (budgets ?? []).map((budget) => describeBudget(budget, wallNow)),
    checkedAt: isoTimeOrNull(state.checked?.atMs ?? null),
    checkOk: state.checked?.ok ?? null,
  };
}

const whatItIs = ({ id, group, provider, upstreamModel: model, apiBase }: Deployment) => ({
  ...{ id, group, provider, model },
  apiBase: apiBase === null ? null : publicAddress(apiBase),
});

function describeBudget(budget: UpstreamBudget, nowMs: number): UpstreamBudgetView {
  const { of, terms } = budget;
  const spent = budget.spentAt(nowMs);
  return {
    of: of === "provider" ? "provider" : "deployment",
    limit: Number(terms.limit),
    limitUsd: formatUsd(terms.limit),
    spent: Number(spent),
    spentUsd: formatUsd(spent),
    period: terms.period,
    resetsAt: isoTime(budget.windowAt(nowMs).endMs),
  };
}

function stateOf(state: DeploymentState, now: number, isSpent: boolean): (typeof DEPLOYMENT_STATES)[number] {
  if (!state.enabled) return "off";
  if (isSpent) return "spent";
  const standing = state.breaker.standing(now);
  if (standing === "resting") return "resting";
  if (standing === "probed" || standing === "ready") return "probing";
  return state.checked?.ok === false ? "unwell" : "well";
}

const tenths = (ms: number | null): number | null => (ms === null ? null : Math.round(ms * 10) / 10);
