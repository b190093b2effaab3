import type { Deployment } from "../contract/deployment.ts";
import { inferProvider, splitModelName } from "../contract/model-families.ts";
import { withModel, writtenModel } from "../contract/upstream-form.ts";
import { BoundedMap } from "../lib/bounded-map.ts";
import { countStars, fillWildcard, isWildcard, matchWildcard, moreExactFirst } from "../lib/wildcard.ts";

export interface GroupAlias {
  readonly model: string;
  readonly hidden: boolean;
}

/** Names beside those of the groups. */
export interface CatalogAliases {
  /** `model_group_alias`: another name of a group. */
  readonly groupAliases?: Readonly<Record<string, GroupAlias>>;
  /** `model_alias_map`: names that are replaced before anything is looked up. */
  readonly modelAliases?: Readonly<Record<string, string>>;
}

/** Names that need more than a look into a map are remembered, so that a busy one is worked out once. */
const REMEMBERED_MAX = 1_000;

const DOT_SEGMENT = /(^|\/)\.{1,2}(\/|$)/;

/** What can be called: groups of deployments by name. Immutable; a reload makes a new one. */
export class Catalog {
  private readonly groups = new Map<string, Deployment[]>();
  private readonly byId = new Map<string, Deployment>();
  private readonly byUpstream = new Map<string, Deployment[]>();
  private readonly groupAliases: ReadonlyMap<string, GroupAlias>;
  private readonly modelAliases: ReadonlyMap<string, string>;
  /** Access groups, with the groups that are in each. */
  private readonly accessGroups = new Map<string, Set<string>>();
  /** Groups whose name is a pattern, the most exact first. */
  private readonly patterns: readonly string[];
  private readonly remembered = new BoundedMap<string, readonly Deployment[]>(REMEMBERED_MAX);

  constructor(
    readonly deployments: readonly Deployment[],
    aliases: CatalogAliases = {},
  ) {
    for (const deployment of deployments) {
      append(this.groups, deployment.group, deployment);
      this.addToAccessGroups(deployment);
      if (!isTemplate(deployment)) this.byId.set(deployment.id, deployment);
      for (const name of upstreamNames(deployment)) append(this.byUpstream, name, deployment);
    }
    this.groupAliases = new Map(Object.entries(aliases.groupAliases ?? {}));
    this.modelAliases = new Map(Object.entries(aliases.modelAliases ?? {}));
    this.patterns = [...this.groups.keys()].filter(isWildcard).sort(moreExactFirst);
  }

  /**
   * The deployments that a name stands for, or none. In this order: a replacement of the name; a group, or one deployment
   * by its id; an alias of a group; the most exact pattern; the upstream's own name, where no pattern is configured.
   */
  resolve(asked: string): readonly Deployment[] {
    const name = this.modelAliases.get(asked) ?? asked;
    return this.findExact(name) ?? this.remembered.get(name) ?? this.workOut(name);
  }

  /** The deployments of a group by its very name, which may be a pattern. */
  group(name: string): readonly Deployment[] {
    return this.groups.get(name) ?? [];
  }

  /** Whether a group is in an access group. */
  isMember(accessGroup: string, group: string): boolean {
    return this.accessGroups.get(accessGroup)?.has(group) ?? false;
  }

  /** The groups that are in an access group. */
  membersOf(accessGroup: string): readonly string[] {
    return [...(this.accessGroups.get(accessGroup) ?? [])];
  }

  findById(id: string): Deployment | null {
    return this.deployments.find((deployment) => deployment.id === id) ?? null;
  }

  /** Names of groups, patterns among them, in the order of the configuration. */
  groupNames(): string[] {
    return [...this.groups.keys()];
  }

  /** Aliases that are meant to be seen and lead somewhere. */
  aliasNames(): string[] {
    return [...this.groupAliases]
      .filter(([name, alias]) => !alias.hidden && !this.groups.has(name) && this.resolve(name).length > 0)
      .map(([name]) => name);
  }

  private addToAccessGroups({ group, info }: Deployment): void {
    const names: unknown = info.access_groups;
    for (const name of Array.isArray(names) ? names : []) {
      if (typeof name !== "string") continue;
      const members = this.accessGroups.get(name);
      if (members) members.add(group);
      else this.accessGroups.set(name, new Set([group]));
    }
  }

  private workOut(name: string): readonly Deployment[] {
    // An alias may name anything but another alias, so there is no circle to get caught in.
    const target = this.groupAliases.get(name)?.model ?? name;
    // A name becomes part of an upstream's path; `..` in it would lead to another operation.
    const byPattern = DOT_SEGMENT.test(target) ? undefined : this.findByPattern(target);
    const found = this.findExact(target) ?? byPattern ?? this.findByUpstream(target);
    // Names that lead nowhere are not remembered: anybody can send any number of them.
    if (found.length > 0) this.remembered.set(name, found);
    return found;
  }

  private findExact(name: string): readonly Deployment[] | undefined {
    const group = this.groups.get(name);
    // A pattern is not a model: its own name, sent as a model, would reach the upstream with a star in it.
    if (group) return isWildcard(name) ? [] : group;
    const one = this.byId.get(name);
    return one && [one];
  }

  private findByPattern(name: string): readonly Deployment[] | undefined {
    if (this.patterns.length === 0 || isWildcard(name)) return undefined;
    const provider = inferProvider(name);
    return this.matchPatterns(name) ?? (provider === null ? undefined : this.matchPatterns(`${provider}/${name}`));
  }

  private matchPatterns(name: string): readonly Deployment[] | undefined {
    for (const pattern of this.patterns) {
      const captures = matchWildcard(pattern, name);
      if (captures === null) continue;
      const found = this.group(pattern).flatMap((deployment) => fillIn(deployment, name, captures) ?? []);
      if (found.length > 0) return found;
    }
    return undefined;
  }

  private findByUpstream(name: string): readonly Deployment[] {
    return this.patterns.length === 0 ? (this.byUpstream.get(name) ?? []) : [];
  }
}

function append(map: Map<string, Deployment[]>, name: string, deployment: Deployment): void {
  const list = map.get(name);
  if (list) list.push(deployment);
  else map.set(name, [deployment]);
}

/** A deployment that becomes a target only with a caller's model name in hand. */
const isTemplate = (deployment: Deployment): boolean =>
  deployment.provider === "*" || isWildcard(deployment.upstreamModel);

/** What a configuration may have written as the upstream's model: the bare name only where that tells the provider. */
function upstreamNames({ provider, upstreamModel, form }: Deployment): string[] {
  const full = [`${provider}/${upstreamModel}`];
  if (form !== undefined) full.push(`${provider}/${writtenModel({ upstreamModel, form })}`);
  return inferProvider(upstreamModel) === provider ? [...full, upstreamModel] : full;
}

/** The deployment behind a pattern with what the stars stood for put in; null where that names no provider or model. */
function fillIn(deployment: Deployment, name: string, captures: readonly string[]): Deployment | null {
  if (!isTemplate(deployment)) return deployment;
  // With more stars on the left than on the right nobody can say which text belongs where: the name goes as it is.
  const given = captures.length > countStars(deployment.upstreamModel);
  const model = given ? name : fillWildcard(deployment.upstreamModel, captures);
  const called = { ...deployment, calledAs: name };
  if (deployment.provider === "*") {
    const parts = splitModelName(model);
    return parts && withModel({ ...called, provider: parts.provider }, parts.model);
  }
  const prefix = `${deployment.provider}/`;
  const upstreamModel = given && model.startsWith(prefix) ? model.slice(prefix.length) : model;
  return upstreamModel === "" ? null : withModel(called, upstreamModel);
}
