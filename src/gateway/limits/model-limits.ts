import type { CallerLimit } from "../../contract/caller.ts";
import type { Deployment } from "../../contract/deployment.ts";
import { isWildcard, matchWildcard, moreExactFirst } from "../../lib/wildcard.ts";

/** The limits that a caller has for models, either of requests or of tokens: by their names, and by patterns that names fit. */
export class ModelLimits {
  private readonly limits: ReadonlyMap<string, number>;
  /** The more exact one is asked before. */
  private readonly patterns: readonly string[];

  constructor(models: NonNullable<CallerLimit["models"]>, kind: "rpm" | "tpm") {
    const limits = new Map<string, number>();
    for (const [name, { [kind]: limit }] of Object.entries(models)) if (limit !== undefined) limits.set(name, limit);
    this.limits = limits;
    this.patterns = [...limits.keys()].filter(isWildcard).sort(moreExactFirst);
  }

  /** The name by which a call of a model is counted; null where nothing limits it. It goes by its group, or by what the caller says. */
  countedAs(name: string, deployment: Deployment): string | null {
    const { group } = deployment;
    if (isWildcard(group)) return this.countedBehind(name, deployment);
    if (this.limits.has(group)) return group;
    if (this.limits.has(name)) return name;
    if (this.patterns.length === 0) return null;
    return this.patternFor(group) !== null ? group : this.patternFor(name) !== null ? name : null;
  }

  /** Of what a call is counted as. */
  limitOf(counted: string | null): number | null {
    if (counted === null) return null;
    return this.limits.get(counted) ?? this.limits.get(this.patternFor(counted) ?? counted) ?? null;
  }

  /**
   * A model behind a pattern can be called by several names, so it also goes by what it is upstream: else one of them would be
   * without the limit of the other. There are as many names as callers think of: those that fit an entry are counted as one.
   */
  private countedBehind(name: string, { group, provider, upstreamModel }: Deployment): string | null {
    if (this.limits.has(name)) return name;
    const full = `${provider}/${upstreamModel}`;
    if (this.limits.has(full)) return full;
    if (this.limits.has(upstreamModel)) return upstreamModel;
    for (const pattern of this.patterns) {
      if (fits(pattern, name) || fits(pattern, full) || fits(pattern, upstreamModel) || fits(pattern, group)) {
        return pattern;
      }
    }
    return null;
  }

  private patternFor(name: string): string | null {
    for (const pattern of this.patterns) if (fits(pattern, name)) return pattern;
    return null;
  }
}

const fits = (pattern: string, name: string): boolean => matchWildcard(pattern, name) !== null;
