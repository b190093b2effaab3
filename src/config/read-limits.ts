import type { LimitsConfig } from "./config.ts";
import { keyTable } from "./keys/key-table.ts";
import { Section } from "./section.ts";

const END_USER_KEYS = keyTable({ served: "rpm tpm max_parallel_requests" });
const COUNT = { integer: true, min: 1, max: 1_000_000_000 };

export function readLimits(general: Section): LimitsConfig {
  return {
    globalParallel: general.number("global_max_parallel_requests", COUNT),
    deploymentParallel: general.number("max_parallel_requests", COUNT),
    endUser: readEndUser(general),
    requireEndUser: general.boolean("enforce_user_param") ?? false,
  };
}

function readEndUser(general: Section): LimitsConfig["endUser"] {
  const map = general.map("end_user_limits");
  if (map === null) return null;
  const section = new Section(general.scope).add(map.node, map.path, "end_user_limits", END_USER_KEYS);
  return {
    rpm: section.number("rpm", COUNT),
    tpm: section.number("tpm", COUNT),
    parallel: section.number("max_parallel_requests", COUNT),
  };
}
