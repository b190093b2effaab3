import type { Deployment } from "../../contract/deployment.ts";
import { isWildcard, matchWildcard, moreExactFirst } from "../../lib/wildcard.ts";

/** Models that have limits: by their names, and by patterns that names fit. */
export class LimitedModels {
  private readonly entries: ReadonlySet<string>;
  /** The more exact one is asked before. */
  private readonly patterns: readonly string[];

  constructor(entries: readonly string[]) {
    this.entries = new Set(entries);
    this.patterns = entries.filter(isWildcard).sort(moreExactFirst);
  }

  /** The name by which a call of a model is counted; null where nothing limits it. It goes by its group, or by what the caller says. */
  countedAs(name: string, deployment: Deployment): string | null {
    const { group } = deployment;
    if (isWildcard(group)) return this.countedBehind(name, deployment);
    if (this.entries.has(group)) return group;
    if (this.entries.has(name)) return name;
    if (this.patterns.length === 0) return null;
    return this.patternFor(group) !== null ? group : this.patternFor(name) !== null ? name : null;
  }

  /** The entry that has the limits of what a call is counted as. */
  entryOf(counted: string): string {
    return this.entries.has(counted) ? counted : (this.patternFor(counted) ?? counted);
  }

  /**
   * A model behind a pattern can be called by several names, so it also goes by what it is upstream: else one of them would be
   * without the limit of the other. There are as many names as callers think of: those that fit an entry are counted as one.
   */
  private countedBehind(name: string, { group, provider, upstreamModel }: Deployment): string | null {
    if (this.entries.has(name)) return name;
    const full = `${provider}/${upstreamModel}`;
    if (this.entries.has(full)) return full;
    if (this.entries.has(upstreamModel)) return upstreamModel;
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
