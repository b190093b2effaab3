import type { Deployment } from "./deployment.ts";

export interface GroupAlias {
  readonly model: string;
  readonly hidden: boolean;
}

/** What can be called: groups of deployments by name. Immutable; a reload makes a new one. */
export class Catalog {
  private readonly groups = new Map<string, Deployment[]>();
  private readonly byId = new Map<string, Deployment>();

  constructor(
    readonly deployments: readonly Deployment[],
    private readonly aliases: Readonly<Record<string, GroupAlias>> = {},
  ) {
    for (const deployment of deployments) {
      this.byId.set(deployment.id, deployment);
      const group = this.groups.get(deployment.group);
      if (group) group.push(deployment);
      else this.groups.set(deployment.group, [deployment]);
    }
  }

  /** The deployments that a name stands for: a group, one deployment by its id, or an alias of a group. */
  resolve(name: string): readonly Deployment[] {
    const group = this.groups.get(name);
    if (group) return group;
    const one = this.byId.get(name);
    if (one) return [one];
    const alias = Object.hasOwn(this.aliases, name) ? this.aliases[name] : undefined;
    return (alias && this.groups.get(alias.model)) ?? [];
  }

  groupNames(): string[] {
    return [...this.groups.keys()];
  }
}
