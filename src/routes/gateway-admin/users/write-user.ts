import type { User } from "../../../accounts/records.ts";
import { GatewayError } from "../../../contract/errors.ts";
import { ALWAYS_NAMED, refuseNulls, refuseUnserved } from "../../../contract/gateway-admin/fields.ts";
import {
  DeleteUsersBody,
  NewUserBody,
  UNSERVED_OF_USERS,
  UpdateUserBody,
  type UserSettingsFields,
} from "../../../contract/gateway-admin/users.ts";
import { json } from "../../../http/reply.ts";
import { type Route, route } from "../../../http/route.ts";
import type { GatewayAdminDeps } from "../admin-deps.ts";
import { actorOf, adminOf } from "../authority-of.ts";
import { furtherBudgetsOf } from "../further-budgets.ts";
import { makeKey } from "../keys/generate-key.ts";
import { NOT_STORED, OPERATORS } from "../shared.ts";
import { limitSettings, userOf } from "../wire-values.ts";
import { ownRole, userRow } from "./user-row.ts";

const shared = { ...OPERATORS, method: "POST", tag: "Users of the gateway" } as const;

export const writeUser = (deps: GatewayAdminDeps): Route[] => [
  route({
    ...shared,
    paths: ["/user/new"],
    summary: "Create a user",
    description:
      "Without a password: they set one by a reset link, or sign in with the company's identity provider. Unless " +
      "`auto_create_key` is false a key of theirs comes with them: in the first of `teams`, else in the operator's own organization.",
    body: NewUserBody,
    errors: ["invalid_request", "not_found", "conflict"],
    async handle({ body, caller, connection }) {
      refuseUnserved(body, { ...UNSERVED_OF_USERS, user_id: [] });
      const actor = actorOf({ caller, connection });
      const teamIds = (body.teams ?? []).map((team) => (typeof team === "string" ? team : team.team_id));
      for (const teamId of teamIds) await deps.teams.get({ caller: actor.caller, teamId });
      for (const organizationId of body.organizations ?? []) {
        await deps.organizations.get({ caller: actor.caller, organizationId });
      }
      const account = {
        email: body.user_email,
        name: body.user_alias ?? undefined,
        role: ownRole(body.user_role) ?? ("user" as const),
        ...settingsOf(body),
      };
      const user = await deps.users.create(caller, account, connection.remoteAddress);
      const person = { userId: user.id };
      for (const organizationId of new Set(body.organizations ?? [])) {
        await deps.members.add({ actor, organizationId, person, role: "member" });
      }
      for (const teamId of new Set(teamIds))
        await deps.teams.addPerson({ actor, teamId, member: { person, role: "member" } });
      const key =
        body.auto_create_key === false ? {} : await makeKey(deps, actor, { team_id: teamIds[0] ?? null }, user.id);
      return json({ ...key, ...(await userRow(deps, user)) }, 200, NOT_STORED);
    },
  }),
  route({
    ...shared,
    paths: ["/user/update"],
    summary: "Change a user",
    description: "By `user_id`, or by `user_email`. Whoever has another role afterwards is logged out everywhere.",
    body: UpdateUserBody,
    errors: ["invalid_request", "not_found", "conflict"],
    async handle({ body, caller, connection }) {
      refuseUnserved(body, UNSERVED_OF_USERS);
      refuseNulls(body, ["user_alias", "user_role"], ALWAYS_NAMED);
      const present = await namedUser(deps, body);
      const { id, status } = present;
      if ("blocked" in body && body.blocked === false && status === "disabled") throw staysDisabled();
      const changes = {
        name: body.user_alias ?? undefined,
        role: ownRole(body.user_role),
        ...settingsOf(body, present),
      };
      const user = await deps.users.update(caller, id, changes, connection.remoteAddress);
      return json({ user_id: String(id), data: await userRow(deps, user) });
    },
  }),
  route({
    ...shared,
    paths: ["/user/delete"],
    summary: "Remove users",
    description:
      "They can no longer log in and are no longer named, and their keys are switched off. Refused while one of them is the " +
      "only owner of an organization that has other members, or credit.",
    body: DeleteUsersBody,
    errors: ["not_found", "conflict"],
    async handle({ body, caller, connection }) {
      const ids = [...new Set(body.user_ids.map(userOf))];
      for (const id of ids) await deps.users.get(id);
      const { address } = adminOf({ caller, connection });
      for (const id of ids) await deps.users.remove(caller, id, address);
      return json({ deleted_users: ids.map(String) });
    },
  }),
];

function settingsOf(body: UserSettingsFields, present?: User) {
  const { budget, budgetWindow, rpmLimit, tpmLimit, budgetId } = limitSettings(body);
  const furtherBudgets = furtherBudgetsOf(body, present?.furtherBudgets);
  return { budget, budgetWindow, rpmLimit, tpmLimit, budgetId, furtherBudgets, metadata: body.metadata };
}

/** Somebody by either name. With both, both are theirs: an e-mail is not changed here. */
async function namedUser(
  { stores, users }: GatewayAdminDeps,
  { user_id, user_email }: { user_id?: string | null; user_email?: string | null },
): Promise<User> {
  const email = user_email?.trim().toLowerCase();
  if (user_id != null) {
    const user = await users.get(userOf(user_id));
    if (email === undefined || user.email === email) return user;
    throw new GatewayError("invalid_request", "user_email: it is not this user's, and is not changed here.", {
      param: "user_email",
    });
  }
  if (email === undefined) {
    throw new GatewayError("invalid_request", "user_id: name the user by `user_id` or by `user_email`.", {
      param: "user_id",
    });
  }
  const user = await stores.users.findByEmail(email);
  if (!user) throw new GatewayError("not_found", "There is no such user.");
  return user;
}

const staysDisabled = (): GatewayError =>
  new GatewayError("invalid_request", "blocked: PATCH /api/admin/users/{id} with `status` lets people in again.", {
    param: "blocked",
  });
