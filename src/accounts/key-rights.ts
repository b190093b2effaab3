import type { KeyCaller } from "../contract/caller.ts";
import { GatewayError } from "../contract/errors.ts";
import { isAtLeast } from "./access.ts";
import type { Team } from "./records.ts";
import type { AccountStores } from "./store.ts";

type Stores = Pick<AccountStores, "users" | "organizations" | "organizationMembers" | "teams" | "teamMembers">;

/**
 * What a key may see on the right of whoever made it. Asked by lists, never by calls. Somebody who has left, or was disabled,
 * lends their keys nothing.
 */
export class KeyRights {
  constructor(private readonly stores: Stores) {}

  /** The master key, and keys of platform administrators, of their organization's and of their team's administrators. */
  async isAdmin(caller: KeyCaller): Promise<boolean> {
    if (caller.master) return true;
    const { userId, teamId, organizationId } = caller;
    if (userId === null || teamId === null || organizationId === null) return false;
    const { users, organizationMembers, teamMembers } = this.stores;
    const [user, member, inTeam] = await Promise.all([
      users.find(userId),
      organizationMembers.find(organizationId, userId),
      teamMembers.find(teamId, userId),
    ]);
    if (user?.status !== "active") return false;
    if (user.role === "admin") return true;
    if (!member) return false;
    return isAtLeast(member.role, "admin") || (inTeam?.role === "admin" && member.role !== "viewer");
  }

  /**
   * The caller as somebody of the team, with the team's list in place of the key's. Whoever made the key must belong to the
   * team, and the team to the key's organization; else there is no such team.
   */
  async inTeam(caller: KeyCaller, teamId: string): Promise<KeyCaller> {
    if (caller.teamId === teamId) return { ...caller, models: [] };
    const team = await this.stores.teams.find(teamId);
    if (!team || !(await this.belongsTo(caller, team))) {
      throw new GatewayError("not_found", "There is no such team.", { param: "team_id" });
    }
    const organization = await this.stores.organizations.find(team.organizationId);
    return { ...caller, models: [], within: [team.models, organization?.models ?? []], aliases: team.modelAliases };
  }

  private async belongsTo(caller: KeyCaller, team: Team): Promise<boolean> {
    if (caller.master) return true;
    if (caller.userId === null || caller.organizationId !== team.organizationId) return false;
    const [user, member, inTeam] = await Promise.all([
      this.stores.users.find(caller.userId),
      this.stores.organizationMembers.find(team.organizationId, caller.userId),
      this.stores.teamMembers.find(team.id, caller.userId),
    ]);
    if (user?.status !== "active" || !member) return false;
    return inTeam !== null || isAtLeast(member.role, "admin");
  }
}
