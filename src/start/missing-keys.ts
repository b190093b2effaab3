import type { Fault } from "../config/fault.ts";
import type { PlacedModel } from "../config/read-deployments.ts";
import type { Deployment } from "../contract/deployment.ts";
import { missingConfig } from "../gateway/health/missing-config.ts";
import type { Target } from "../providers/dialect.ts";

/**
 * Models that have no key, neither in the file nor in a variable that their provider looks for: each call would fail. Told once
 * for all that lack the same. Says nothing of keys that callers bring along.
 */
export function missingKeys(models: readonly PlacedModel[], env: Target["env"]): Fault[] {
  const lacking = Map.groupBy(models, ({ deployment }) => missingConfig(deployment, env));
  return [...lacking].flatMap(([want, [first, ...others]]) => {
    if (want === null || !first) return [];
    const { deployment, at, path } = first;
    const { file, line, column } = at;
    const groups = new Set(others.map((other) => other.deployment.group));
    groups.delete(deployment.group);
    const more = groups.size === 0 ? "" : ` and of ${groups.size} more`;
    return [{ file, line, column, path, message: willFail(`\`${deployment.group}\`${more}`, want) }];
  });
}

/** The same of one model; null where it has what it needs. */
export function missingKey(deployment: Deployment, env: Target["env"]): string | null {
  const want = missingConfig(deployment, env);
  return want && willFail(`\`${deployment.group}\``, want);
}

const willFail = (whose: string, want: string): string => `calls of ${whose} will fail: ${want}`;
