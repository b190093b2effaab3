import type { ActorWithRights } from "../../../accounts/change.ts";
import { ALWAYS_NAMED, refuseNulls, refuseUnserved } from "../../../contract/gateway-admin/fields.ts";
import {
  AddTeamMemberBody,
  RemoveTeamMemberBody,
  UNSERVED_OF_MEMBERS,
  UpdateTeamMemberBody,
} from "../../../contract/gateway-admin/teams.ts";
import { json } from "../../../http/reply.ts";
import { type Route, route } from "../../../http/route.ts";
import type { GatewayAdminDeps } from "../admin-deps.ts";
import { actorOf } from "../authority-of.ts";
import { ANY } from "../shared.ts";
import { findMemberId, nanoOf, personOf, windowOf } from "../wire-values.ts";
import { memberRow, membershipRows, teamRole, teamRow } from "./team-row.ts";

const shared = { ...ANY, method: "POST", tag: "Teams of the gateway" } as const;

export const teamMembers = (deps: GatewayAdminDeps): Route[] => [
  route({
    ...shared,
    paths: ["/team/member_add"],
    summary: "Add people to a team",
    description:
      "People add those who are in the organization. The operator also adds unknown users: by email as an account without a " +
      "password, by a new `user_id` as a user without sign-in.",
    body: AddTeamMemberBody,
    errors: ["invalid_request", "permission", "not_found", "conflict"],
    async handle({ body, caller, connection }) {
      refuseUnserved(body, UNSERVED_OF_MEMBERS);
      const actor = actorOf({ caller, connection });
      const budget = nanoOf(body.max_budget_in_team);
      const budgetWindow = windowOf(body.budget_duration);
      const limits = budget == null && budgetWindow == null ? undefined : { budget, budgetWindow };
      const added = [];
      for (const member of Array.isArray(body.member) ? body.member : [body.member]) {
        const wanted = { person: personOf(member), role: teamRole(member.role), limits };
        added.push(await deps.teams.addPerson({ actor, teamId: body.team_id, member: wanted }));
      }
      const team = await deps.teams.get({ caller: actor.caller, teamId: body.team_id });
      return json({
        ...(await teamRow(deps, team)),
        updated_users: added.map(memberRow),
        updated_team_memberships: await membershipRows(deps, team.team, added),
      });
    },
  }),
  route({
    ...shared,
    paths: ["/team/member_update"],
    summary: "Change the role or the limits of somebody in a team",
    body: UpdateTeamMemberBody,
    errors: ["invalid_request", "permission", "not_found"],
    async handle({ body, caller, connection }) {
      refuseUnserved(body, UNSERVED_OF_MEMBERS);
      refuseNulls(body, ["role"], ALWAYS_NAMED);
      const actor = actorOf({ caller, connection });
      const { team_id: teamId, role, max_budget_in_team, tpm_limit, rpm_limit } = body;
      const budgetWindow = windowOf(body.budget_duration);
      const limits = { budget: nanoOf(max_budget_in_team), budgetWindow, tpmLimit: tpm_limit, rpmLimit: rpm_limit };
      const isLimited = Object.values(limits).some((value) => value !== undefined);
      const member = await deps.teams.updateMember({
        actor,
        teamId,
        userId: await memberId(deps, actor, body),
        role: role == null ? undefined : teamRole(role),
        limits: isLimited ? limits : undefined,
      });
      const { team } = await deps.teams.get({ caller: actor.caller, teamId });
      const [membership] = await membershipRows(deps, team, [member]);
      return json({ ...memberRow(member), ...membership });
    },
  }),
  route({
    ...shared,
    paths: ["/team/member_delete"],
    summary: "Take somebody out of a team",
    body: RemoveTeamMemberBody,
    errors: ["invalid_request", "permission", "not_found"],
    async handle({ body, caller, connection }) {
      const actor = actorOf({ caller, connection });
      const userId = await memberId(deps, actor, body);
      await deps.teams.removeMember({ actor, teamId: body.team_id, userId });
      const left = await deps.stores.teams.find(body.team_id);
      return json(left ? await teamRow(deps, { team: left }) : { team_id: body.team_id });
    },
  }),
];

function memberId(
  deps: GatewayAdminDeps,
  { caller }: ActorWithRights,
  body: { team_id: string; user_id?: string | null; user_email?: string | null },
): Promise<number> {
  return findMemberId(
    deps.stores,
    body,
    async () => (await deps.teams.listMembers({ caller, teamId: body.team_id })).members,
  );
}
