import type { LimitsConfig, RatesConfig } from "./config.ts";
import type { CallableNames } from "./fallbacks.ts";
import { keyTable } from "./keys/key-table.ts";
import { shown } from "./secrets.ts";
import { Section } from "./section.ts";
import { childPath, type Node } from "./tree.ts";

const RATE_KEYS = keyTable({ served: "rpm tpm max_parallel_requests" });
/** As long as OpenAI's sessions last. */
const HOUR_SECONDS = 3600;
const COUNT = { integer: true, min: 1, max: 1_000_000_000 };

export function readLimits(general: Section, router: Section, names: CallableNames): LimitsConfig {
  const endUser = general.map("end_user_limits");
  return {
    globalParallel: general.number("global_max_parallel_requests", COUNT),
    deploymentParallel: general.number("max_parallel_requests", COUNT),
    endUser: endUser && readRates(general, endUser.node, endUser.path, "end_user_limits"),
    groups: readGroups(router, names),
    requireEndUser: general.boolean("enforce_user_param") ?? false,
    realtimeSessionMs: (general.number("max_realtime_session") ?? HOUR_SECONDS) * 1000 || null,
  };
}

function readGroups(router: Section, names: CallableNames): LimitsConfig["groups"] {
  const key = "model_group_limits";
  const groups = router.map(key);
  if (groups === null) return null;
  return Object.fromEntries(
    [...groups.node.entries].map(([group, { keyAt, value }]) => {
      const path = childPath(groups.path, group);
      if (!names.has(group)) {
        const message = `no model is called \`${shown(group)}\`, so this limit is never used${names.suggestion(group)}`;
        router.scope.report.warn(keyAt, path, message);
      }
      return [group, readRates(router, value, path, key)];
    }),
  );
}

function readRates({ scope }: Section, node: Node, path: string, name: string): RatesConfig {
  const section = new Section(scope).add(node, path, name, RATE_KEYS);
  return {
    rpm: section.number("rpm", COUNT),
    tpm: section.number("tpm", COUNT),
    parallel: section.number("max_parallel_requests", COUNT),
  };
}
