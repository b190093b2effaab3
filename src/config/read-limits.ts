import { BUDGET_DURATIONS, parseBudgetDuration } from "../contract/duration.ts";
import { BUDGET_USD_MAX, nanoUsd } from "../contract/money.ts";
import type { LimitsConfig, RatesConfig } from "./config.ts";
import type { CallableNames } from "./fallbacks.ts";
import { keyTable } from "./keys/key-table.ts";
import { shown } from "./secrets.ts";
import { Section } from "./section.ts";
import { tellOverruled } from "./tell-overruled.ts";
import { childPath } from "./tree.ts";

const RATE_KEYS = keyTable({ served: "rpm tpm max_parallel_requests" });
const END_USER_KEYS = keyTable({ served: "rpm tpm max_parallel_requests max_budget budget_duration" });
/** As long as OpenAI's sessions last. */
const HOUR_SECONDS = 3600;
const COUNT = { integer: true, min: 1, max: 1_000_000_000 };

export function readLimits(general: Section, router: Section, gateway: Section, names: CallableNames): LimitsConfig {
  return {
    globalParallel: general.number("global_max_parallel_requests", COUNT),
    deploymentParallel: general.number("max_parallel_requests", COUNT),
    ...readEndUsers(general, gateway),
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
      if (!names.has(group) && !names.isPatternOfSome(group)) {
        const message = `no model is called \`${shown(group)}\`, so this limit is never used${names.suggestion(group)}`;
        router.scope.report.warn(keyAt, path, message);
      }
      return [group, readRates(new Section(router.scope).add(value, path, key, RATE_KEYS))];
    }),
  );
}

/** The budget is known by a name of its own, too, which has no window. */
function readEndUsers(general: Section, gateway: Section): Pick<LimitsConfig, "endUser" | "endUserBudget"> {
  const key = "end_user_limits";
  const written = general.map(key);
  const section = written && new Section(general.scope).add(written.node, written.path, key, END_USER_KEYS);
  const elsewhere = gateway.number("max_end_user_budget", { max: BUDGET_USD_MAX });
  const own = section && readBudget(section);
  if (own && elsewhere !== null)
    tellOverruled(gateway, "max_end_user_budget", "general_settings.end_user_limits.max_budget", true);
  return {
    endUser: section && orNull(readRates(section)),
    endUserBudget: own ?? (elsewhere === null ? null : total(elsewhere)),
  };
}

function readBudget(section: Section): LimitsConfig["endUserBudget"] {
  const limit = section.number("max_budget", { max: BUDGET_USD_MAX });
  const duration = section.text("budget_duration");
  if (duration === null) return limit === null ? null : total(limit);
  const window = parseBudgetDuration(duration);
  if (window === null) section.fault("budget_duration", `must be ${BUDGET_DURATIONS}`);
  if (section.field("max_budget") === null) {
    section.fault("budget_duration", "needs `max_budget`, which says how many USD may be spent");
  }
  return limit === null || window === null ? null : { budget: nanoUsd(limit), budgetWindow: window };
}

const total = (usd: number): LimitsConfig["endUserBudget"] => ({ budget: nanoUsd(usd), budgetWindow: "total" });

const readRates = (section: Section): RatesConfig => ({
  rpm: section.number("rpm", COUNT),
  tpm: section.number("tpm", COUNT),
  parallel: section.number("max_parallel_requests", COUNT),
});

/** Where there is only a budget, no call is counted. */
const orNull = (rates: RatesConfig): RatesConfig | null =>
  rates.rpm === null && rates.tpm === null && rates.parallel === null ? null : rates;
