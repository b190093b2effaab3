import { keyTable } from "./keys/key-table.ts";
import { type ErrorPolicy, POLICY_ERRORS, type PolicyError } from "./router-config.ts";
import { Section } from "./section.ts";
import { childPath, type Node } from "./tree.ts";

/** A policy names errors with a suffix: `TimeoutErrorRetries`, `RateLimitErrorAllowedFails`. */
type Suffix = "Retries" | "AllowedFails";

export function readErrorPolicy(section: Section, key: string, suffix: Suffix): ErrorPolicy {
  const policy = section.map(key);
  return policy === null ? {} : readPolicy(section, policy.node, policy.path, key, suffix);
}

/** One policy per group. */
export function readGroupPolicies(section: Section, key: string, suffix: Suffix): Record<string, ErrorPolicy> {
  const groups = section.map(key);
  if (groups === null) return {};
  return Object.fromEntries(
    [...groups.node.entries].map(([group, { value }]) => [
      group,
      readPolicy(section, value, childPath(groups.path, group), key, suffix),
    ]),
  );
}

function readPolicy(section: Section, node: Node, path: string, name: string, suffix: Suffix): ErrorPolicy {
  const names = POLICY_ERRORS.map((error) => `${error}${suffix}`);
  const policy = new Section(section.scope).add(node, path, name, keyTable({ served: names.join(" ") }));
  const counts = new Map<PolicyError, number>();
  for (const error of POLICY_ERRORS) {
    const count = policy.number(`${error}${suffix}`, { integer: true });
    if (count !== null) counts.set(error, count);
  }
  return Object.fromEntries(counts);
}
