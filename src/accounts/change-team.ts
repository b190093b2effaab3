import { requireTeam, type TeamAccess } from "./access.ts";
import { type ActorWithRights, type ChangeNote, change } from "./change.ts";
import { lockOrganization } from "./lock-organization.ts";
import type { OrganizationDeps } from "./organizations.ts";
import type { Team } from "./records.ts";
import type { AccountStores } from "./store.ts";

export interface TeamWork<T> {
  readonly actor: ActorWithRights;
  readonly teamId: string;
  readonly check: (access: TeamAccess) => void;
  work(tx: AccountStores, team: Team, now: number): Promise<T>;
  note(result: T): ChangeNote | null;
}

/** As `changeOrganization`: asked before and again under the organization's lock. */
export async function changeTeam<T>({ stores, clock }: OrganizationDeps, input: TeamWork<T>): Promise<T> {
  const { actor, teamId, check, work, note } = input;
  const seen = await requireTeam(stores, actor.caller, teamId);
  check(seen);
  return change(
    stores,
    clock,
    actor,
    async (tx) => {
      const now = clock.nowMs();
      await lockOrganization(tx, seen.team.organizationId, now);
      const access = await requireTeam(tx, actor.caller, teamId);
      check(access);
      return work(tx, access.team, now);
    },
    note,
  );
}
