import { GatewayError } from "../contract/errors.ts";
import type { Clock } from "../lib/clock.ts";
import { requireOrganization } from "./access.ts";
import type { Authority } from "./authority.ts";
import type { ActorWithRights, ChangeNote } from "./change.ts";
import { cleanName } from "./clean-name.ts";
import { requireFitting } from "./fitting-budgets.ts";
import { findShared, type LimitSettings, plainAmounts, plainChanges, readLimits } from "./limit-settings.ts";
import { NO_LIMITS } from "./no-limits.ts";
import { changeOrganization } from "./organizations.ts";
import type { EndUser } from "./records.ts";
import type { AccountStores, EndUserSpend, Page, Paged, WantedEndUsers } from "./store.ts";

export interface EndUserDeps {
  readonly stores: AccountStores;
  readonly clock: Clock;
  /** What is known of them for calls may no longer be so. */
  readonly forget: (organizationId: string, id: string) => void;
}

/** What is left out stays as it is; null empties the field. */
export interface EndUserSettings extends LimitSettings {
  readonly alias?: string | null | undefined;
  readonly blocked?: boolean | undefined;
}

const END_USERS_MAX = 100_000;

interface Named {
  readonly organizationId: string;
  readonly id: string;
}

type Changed = readonly [EndUser, ChangeNote];

/**
 * Those whom an organization makes calls for: its own customers, who have no account here. Its administrators limit and block
 * single ones by the names that calls tell.
 */
export class EndUsers {
  constructor(private readonly deps: EndUserDeps) {}

  async get(caller: Authority, { organizationId, id }: Named): Promise<EndUserSpend> {
    const { stores } = this.deps;
    await requireOrganization(stores, caller, organizationId, "admin");
    return (await stores.endUsers.findSpend(organizationId, id)) ?? missing();
  }

  async list(
    caller: Authority,
    organizationId: string,
    page: Page,
    wanted: WantedEndUsers = {},
  ): Promise<Paged<EndUserSpend>> {
    const { stores } = this.deps;
    await requireOrganization(stores, caller, organizationId, "admin");
    return stores.endUsers.list(organizationId, page, wanted);
  }

  create(actor: ActorWithRights, named: Named, settings: EndUserSettings): Promise<EndUser> {
    return this.change(actor, named, async (tx, now) => {
      if (await tx.endUsers.find(named.organizationId, named.id)) {
        throw new GatewayError("conflict", "user_id: there is an end user of this name.", { param: "user_id" });
      }
      return this.add(tx, actor, named, settings, now);
    });
  }

  /** With a record or without one until now. */
  block(actor: ActorWithRights, named: Named): Promise<EndUser> {
    return this.change(actor, named, async (tx, now) => {
      const before = await tx.endUsers.find(named.organizationId, named.id);
      return before
        ? this.set(tx, actor, before, { blocked: true }, now)
        : this.add(tx, actor, named, { blocked: true }, now);
    });
  }

  update(actor: ActorWithRights, named: Named, settings: EndUserSettings): Promise<EndUser> {
    return this.change(actor, named, async (tx, now) => {
      const before = (await tx.endUsers.find(named.organizationId, named.id)) ?? missing();
      return this.set(tx, actor, before, settings, now);
    });
  }

  remove(actor: ActorWithRights, named: Named): Promise<EndUser> {
    return this.change(actor, named, async (tx) => {
      const found = (await tx.endUsers.find(named.organizationId, named.id)) ?? missing();
      await tx.endUsers.remove(named.organizationId, named.id);
      return [found, noteOf("end_user.remove", named, {})];
    });
  }

  private async add(
    tx: AccountStores,
    { caller }: ActorWithRights,
    named: Named,
    settings: EndUserSettings,
    now: number,
  ): Promise<Changed> {
    await requireRoom(tx, caller, named.organizationId);
    const blank: EndUser = {
      ...named,
      ...NO_LIMITS,
      alias: null,
      blocked: false,
      budgetId: null,
      createdAt: now,
      updatedAt: now,
    };
    const changes = await this.read(tx, caller, settings, blank);
    const made = { ...blank, ...changes };
    await tx.endUsers.insert(made);
    return [made, noteOf("end_user.create", named, plainAmounts(changes))];
  }

  private async set(
    tx: AccountStores,
    { caller }: ActorWithRights,
    before: EndUser,
    settings: EndUserSettings,
    now: number,
  ): Promise<Changed> {
    const changes = await this.read(tx, caller, settings, before);
    const after = { ...before, ...changes, updatedAt: now };
    await tx.endUsers.update(after);
    return [after, noteOf("end_user.update", before, plainChanges(before, changes))];
  }

  private async read(
    tx: AccountStores,
    caller: Authority,
    { alias, blocked, ...limits }: EndUserSettings,
    present: EndUser,
  ): Promise<Partial<EndUser>> {
    const shared = await findShared(tx, caller, limits, present.budgetId);
    requireFitting(shared, "endUsers");
    return {
      ...readLimits(limits, present, shared),
      ...(alias === undefined ? {} : { alias: alias === null ? null : cleanName(alias) }),
      ...(blocked === undefined ? {} : { blocked }),
    };
  }

  private async change(
    actor: ActorWithRights,
    { organizationId, id }: Named,
    work: (tx: AccountStores, now: number) => Promise<Changed>,
  ): Promise<EndUser> {
    const { stores, clock, forget } = this.deps;
    try {
      const [endUser] = await changeOrganization(
        { stores, clock },
        { actor, organizationId, wanted: "admin", work: (tx, _, now) => work(tx, now), note: ([, note]) => note },
      );
      return endUser;
    } finally {
      forget(organizationId, id);
    }
  }
}

async function requireRoom(tx: AccountStores, caller: Authority, organizationId: string): Promise<void> {
  if (caller.kind === "operator") return;
  const { total } = await tx.endUsers.list(organizationId, { page: 1, pageSize: 1 });
  if (total >= END_USERS_MAX) {
    throw new GatewayError("conflict", `An organization has at most ${END_USERS_MAX} end users with a record.`);
  }
}

function missing(): never {
  throw new GatewayError("not_found", "There is no such end user.");
}

const noteOf = (action: string, { organizationId, id }: Named, details: Record<string, unknown>): ChangeNote => ({
  action,
  organizationId,
  targetType: "end_user",
  targetId: id,
  details,
});
