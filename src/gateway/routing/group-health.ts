import { isoTime } from "../../contract/users.ts";
import type { DeploymentState } from "./deployment-state.ts";

/** What the last background checks of a group's deployments found: as well as the best of them. */
export interface GroupHealth {
  readonly health_status: "healthy" | "unhealthy" | null;
  /** In milliseconds. */
  readonly health_response_time: number | null;
  readonly health_checked_at: string | null;
}

export function groupHealth(states: readonly DeploymentState[]): GroupHealth {
  const checks = states.flatMap(({ checked }) => checked ?? []);
  if (checks.length === 0) return { health_status: null, health_response_time: null, health_checked_at: null };
  const good = checks.filter(({ ok }) => ok);
  const times = (good.length > 0 ? good : checks).map(({ latencyMs }) => latencyMs);
  return {
    health_status: good.length > 0 ? "healthy" : "unhealthy",
    health_response_time: Math.min(...times),
    health_checked_at: isoTime(Math.max(...checks.map(({ atMs }) => atMs))),
  };
}
