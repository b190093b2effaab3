import type { DeploymentView } from "../../../../src/contract/deployments.ts";

export type FallbackKind = "general" | "context" | "content";

export interface Fallback {
  readonly kind: FallbackKind;
  readonly group: string;
}

export interface RoutedGroup {
  readonly name: string;
  readonly aliases: readonly string[];
  readonly deployments: readonly DeploymentView[];
  /** In the order in which they are tried. */
  readonly fallbacks: readonly Fallback[];
}

export const isPattern = (name: string): boolean => name.includes("*");

/** What is called by which name, and who stands in for whom. A group that others name but nobody serves is shown, too. */
export function routedGroups(
  deployments: readonly DeploymentView[],
  aliases: Readonly<Record<string, string>>,
  lists: readonly (readonly [FallbackKind, Readonly<Record<string, readonly string[]>>])[],
): readonly RoutedGroup[] {
  const served = Map.groupBy(deployments, ({ group }) => group);
  const named = lists.flatMap(([, list]) => Object.entries(list).flatMap(([from, to]) => [from, ...to]));
  const targets = named.filter((name) => !(name in aliases));
  const names = new Set([...served.keys(), ...targets]);
  const groups = [...names].map((name) => ({
    name,
    aliases: Object.keys(aliases).filter((alias) => aliases[alias] === name),
    deployments: served.get(name) ?? [],
    fallbacks: lists.flatMap(([kind, list]) =>
      (list[name] ?? []).map((group) => ({ kind, group: aliases[group] ?? group })),
    ),
  }));
  return connectedFirst(groups);
}

/** Who stands in for a group comes right below it, and groups that nobody stands in for come last. */
function connectedFirst(groups: readonly RoutedGroup[]): readonly RoutedGroup[] {
  const byName = new Map(groups.map((group) => [group.name, group]));
  const ordered = new Set<RoutedGroup>();
  const add = (group: RoutedGroup | undefined): void => {
    if (!group || ordered.has(group)) return;
    ordered.add(group);
    for (const { group: next } of group.fallbacks) add(byName.get(next));
  };
  const targets = new Set(groups.flatMap(({ fallbacks }) => fallbacks.map(({ group }) => group)));
  for (const group of groups) if (group.fallbacks.length > 0 && !targets.has(group.name)) add(group);
  for (const group of groups) if (group.fallbacks.length > 0) add(group);
  for (const group of groups) if (group.aliases.length > 0) add(group);
  return [...ordered, ...groups.filter((group) => !ordered.has(group))];
}

/** Those that a search finds, with all that stand in for them. */
export function matching(groups: readonly RoutedGroup[], search: string): readonly RoutedGroup[] {
  const wanted = search.trim().toLowerCase();
  if (wanted === "") return groups;
  const byName = new Map(groups.map((group) => [group.name, group]));
  const kept = new Set<string>();
  const keep = (group: RoutedGroup | undefined): void => {
    if (!group || kept.has(group.name)) return;
    kept.add(group.name);
    for (const { group: next } of group.fallbacks) keep(byName.get(next));
  };
  for (const group of groups) {
    const texts = [
      group.name,
      ...group.aliases,
      ...group.deployments.map(({ provider, model }) => `${provider}/${model}`),
    ];
    if (texts.some((text) => text.toLowerCase().includes(wanted))) keep(group);
  }
  return groups.filter(({ name }) => kept.has(name));
}
