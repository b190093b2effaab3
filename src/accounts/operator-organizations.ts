import { GatewayError } from "../contract/errors.ts";
import { type Authority, userIdOf } from "./authority.ts";
import { type ActorWithRights, change } from "./change.ts";
import { cleanName } from "./clean-name.ts";
import { newOrganizationRecord } from "./organization-record.ts";
import { type OrganizationChanges, readOrganization } from "./organization-settings.ts";
import type { OrganizationDeps } from "./organizations.ts";
import type { Organization, Team } from "./records.ts";
import { createOrganization } from "./sign-up.ts";
import type { AccountStores } from "./store.ts";
import { newTeamRecord } from "./team-record.ts";

interface NewOrganization {
  readonly actor: ActorWithRights;
  readonly name: string;
  /** An id that the operator brings along. */
  readonly id?: string | null | undefined;
  readonly settings: OrganizationChanges;
}

const SETTING = "operator_organization";
/** Nobody else gets this one: the others end in something random. */
const SLUG = "operator";

/** What the operator makes for others, and the organization that the operator's own keys belong to. */
export class OperatorOrganizations {
  constructor(private readonly deps: OrganizationDeps) {}

  /** Invoiced unless told: who is given an organization by the operator need not buy credits first. */
  create({ actor, name, id, settings }: NewOrganization): Promise<Organization> {
    const { stores, clock } = this.deps;
    return change(
      stores,
      clock,
      actor,
      async (tx) => {
        if (id != null && (await tx.organizations.find(id))) {
          throw new GatewayError("conflict", "organization_id: there is an organization with this id.", {
            param: "organization_id",
          });
        }
        // Whoever has the id has its balance, its purchases and its saved card.
        if (id != null && (await tx.credits.isKnown(id))) {
          const why = "it was a removed organization's, whose books are kept; choose another.";
          throw new GatewayError("conflict", `organization_id: ${why}`, { param: "organization_id" });
        }
        const now = clock.nowMs();
        const ownerId = await ownerFor(tx, actor.caller);
        const blank = newOrganizationRecord(ownerId, cleanName(name), now);
        const set = await readOrganization(tx, actor.caller, settings, blank);
        return createOrganization(tx, ownerId, cleanName(name), now, {
          billing: "invoiced",
          ...set,
          ...(id == null ? {} : { id }),
        });
      },
      (made) => noteOf(made, { name: made.name, billing: made.billing }),
    );
  }

  /** The team for keys that name none. Made when it is first asked for, with an organization that is invoiced. */
  async defaultTeam(actor: ActorWithRights): Promise<Team> {
    const { stores } = this.deps;
    const known = await this.findOwn(stores);
    if (known) return (await firstTeam(stores, known)) ?? this.addTeam(actor, known);
    try {
      const made = await this.createOwn(actor);
      return (await firstTeam(stores, made)) ?? this.addTeam(actor, made);
    } catch (thrown) {
      // Another call or replica was first: its slug was taken.
      const other = thrown instanceof GatewayError && thrown.kind === "conflict" ? await this.findOwn(stores) : null;
      const team = other && (await firstTeam(stores, other));
      if (!team) throw thrown;
      return team;
    }
  }

  /** Null until something was made for it. */
  own(): Promise<Organization | null> {
    return this.findOwn(this.deps.stores);
  }

  private async findOwn(stores: AccountStores): Promise<Organization | null> {
    const id = await stores.settings.find(SETTING);
    return id === null ? null : stores.organizations.find(id);
  }

  private createOwn(actor: ActorWithRights): Promise<Organization> {
    const { stores, clock } = this.deps;
    return change(
      stores,
      clock,
      actor,
      async (tx) => {
        const ownerId = await ownerFor(tx, actor.caller);
        const given = { slug: SLUG, billing: "invoiced" } as const;
        const made = await createOrganization(tx, ownerId, "Operator", clock.nowMs(), given);
        await tx.settings.put(SETTING, made.id);
        return made;
      },
      (made) => noteOf(made, { name: made.name, billing: made.billing }),
    );
  }

  private addTeam(actor: ActorWithRights, { id }: Organization): Promise<Team> {
    const { stores, clock } = this.deps;
    const team = newTeamRecord(id, "Default", clock.nowMs());
    return change(
      stores,
      clock,
      actor,
      async (tx) => {
        await tx.teams.insert(team);
        return team;
      },
      () => ({ action: "team.create", organizationId: id, targetType: "team", targetId: team.id }),
    );
  }
}

/** By name, so "Default" where there is one; else the first. */
async function firstTeam(stores: AccountStores, { id }: Organization): Promise<Team | null> {
  const teams = await stores.teams.list(id);
  return (teams.find(({ team }) => team.name === "Default") ?? teams[0])?.team ?? null;
}

/** An organization is in somebody's name: the administrator who makes it, or the first one for the master key. */
async function ownerFor(stores: AccountStores, authority: Authority): Promise<number> {
  const ownerId = userIdOf(authority) ?? (await stores.users.findFirstAdmin())?.id;
  if (ownerId !== undefined) return ownerId;
  throw new GatewayError("conflict", "There is no administrator's account in whose name the organization could be.");
}

const noteOf = ({ id }: Organization, details: Readonly<Record<string, unknown>>) => ({
  action: "organization.create",
  organizationId: id,
  targetType: "organization",
  targetId: id,
  details,
});
