import type { Route } from "../../http/route.ts";
import { adminStats } from "./admin-stats.ts";
import { exportLogs } from "./export-logs.ts";
import { adminGetLog, getLog } from "./get-log.ts";
import { getUsageTags } from "./get-tags.ts";
import { adminGetUsage, getUsage } from "./get-usage.ts";
import { adminListLogs, listLogs } from "./list-logs.ts";
import type { UsageRouteDeps } from "./usage-deps.ts";

/** What was called, by whom, and what it cost. */
export const usageRoutes = (deps: UsageRouteDeps): Route[] => [
  listLogs(deps),
  exportLogs(deps),
  getLog(deps),
  getUsage(deps),
  getUsageTags(deps),
  adminListLogs(deps),
  adminGetLog(deps),
  adminGetUsage(deps),
  adminStats(deps),
];
