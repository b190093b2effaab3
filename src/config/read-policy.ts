import type { CallableNames } from "./fallbacks.ts";
import { keyTable } from "./keys/key-table.ts";
import { type ErrorPolicy, POLICY_ERRORS, type PolicyError } from "./router-config.ts";
import { shown } from "./secrets.ts";
import { Section } from "./section.ts";
import { childPath, type Node } from "./tree.ts";

/** A policy names errors with a suffix: `TimeoutErrorRetries`, `RateLimitErrorAllowedFails`. */
type Suffix = "Retries" | "AllowedFails";

const OWN_FAULTS: ReadonlySet<PolicyError> = new Set(["BadRequestError", "ContentPolicyViolationError"]);

export function readErrorPolicy(section: Section, key: string, suffix: Suffix): ErrorPolicy {
  const policy = section.map(key);
  return policy === null ? {} : readPolicy(section, policy.node, policy.path, key, suffix);
}

/** One policy per group. */
export function readGroupPolicies(
  section: Section,
  key: string,
  suffix: Suffix,
  names: CallableNames,
): Record<string, ErrorPolicy> {
  const groups = section.map(key);
  if (groups === null) return {};
  return Object.fromEntries(
    [...groups.node.entries].map(([group, { keyAt, value }]) => {
      const path = childPath(groups.path, group);
      if (!names.has(group)) {
        const message = `no model is called \`${shown(group)}\`, so this policy is never used${names.suggestion(group)}`;
        section.scope.report.warn(keyAt, path, message);
      }
      return [group, readPolicy(section, value, path, key, suffix)];
    }),
  );
}

function readPolicy(section: Section, node: Node, path: string, name: string, suffix: Suffix): ErrorPolicy {
  const names = POLICY_ERRORS.map((error) => `${error}${suffix}`);
  const policy = new Section(section.scope).add(node, path, name, keyTable({ served: names.join(" ") }));
  const counts = new Map<PolicyError, number>();
  for (const error of POLICY_ERRORS) {
    const key = `${error}${suffix}`;
    const count = policy.number(key, { integer: true });
    if (suffix === "AllowedFails" && OWN_FAULTS.has(error)) {
      policy.warn(key, "has no effect: what is wrong with a request does not speak against a deployment");
    }
    if (count !== null) counts.set(error, count);
  }
  return Object.fromEntries(counts);
}
