import type { ActorWithRights } from "../../../accounts/change.ts";
import { findUserId } from "../../../accounts/people/unknown-users.ts";
import type { User } from "../../../accounts/records.ts";
import { GatewayError } from "../../../contract/errors.ts";
import { ALWAYS_NAMED, refuseNulls, refuseUnserved } from "../../../contract/gateway-admin/fields.ts";
import {
  DeleteUsersBody,
  INSTEAD_OF_USER_FIELDS,
  NewUserBody,
  UNSERVED_OF_USERS,
  UpdateUserBody,
  type UserSettingsFields,
} from "../../../contract/gateway-admin/users.ts";
import { NO_MODELS } from "../../../contract/model-lists.ts";
import { json } from "../../../http/reply.ts";
import { type Route, route } from "../../../http/route.ts";
import { newId } from "../../../lib/ids.ts";
import type { GatewayAdminDeps } from "../admin-deps.ts";
import { actorOf, adminOf } from "../authority-of.ts";
import { furtherBudgetsOf } from "../further-budgets.ts";
import { makeKey } from "../keys/generate-key.ts";
import { NOT_STORED, OPERATORS } from "../shared.ts";
import { limitSettings, modelsOf } from "../wire-values.ts";
import { rightsOf, userRow } from "./user-row.ts";

const shared = { ...OPERATORS, method: "POST", tag: "Users of the gateway" } as const;

export const writeUser = (deps: GatewayAdminDeps): Route[] => [
  route({
    ...shared,
    paths: ["/user/new"],
    summary: "Create a user",
    description:
      "Without a password: the user sets one by a reset link, or signs in with the company's identity provider. Without " +
      "`user_email` it is a record without sign-in. Unless `auto_create_key` is false the user gets a key: in the first of " +
      "`teams`, else in the operator's own organization.",
    body: NewUserBody,
    errors: ["invalid_request", "not_found", "conflict"],
    async handle({ body, caller, connection }) {
      refuseUnserved(body, UNSERVED_OF_USERS, INSTEAD_OF_USER_FIELDS);
      const actor = actorOf({ caller, connection });
      const teamIds = (body.teams ?? []).map((team) => (typeof team === "string" ? team : team.team_id));
      for (const teamId of teamIds) await deps.teams.get({ caller: actor.caller, teamId });
      for (const organizationId of body.organizations ?? []) {
        await deps.organizations.get({ caller: actor.caller, organizationId });
      }
      const email = body.user_email ?? "";
      const account = {
        email,
        externalId: body.user_id ?? (email === "" ? newId() : null),
        name: body.user_alias ?? undefined,
        ...rightsOf(body.user_role),
        ...settingsOf(body),
      };
      const user = await deps.users.create(caller, account, connection.remoteAddress);
      const person = { userId: user.id };
      for (const organizationId of new Set(body.organizations ?? [])) {
        await deps.members.add({ actor, organizationId, person, role: user.viewer ? "viewer" : "member" });
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
    description:
      "By `user_id`, or by `user_email`; with both, the email is added to a record without sign-in. A change of the role " +
      "ends all sessions of the user.",
    body: UpdateUserBody,
    errors: ["invalid_request", "not_found", "conflict"],
    async handle({ body, caller, connection }) {
      refuseUnserved(body, UNSERVED_OF_USERS, INSTEAD_OF_USER_FIELDS);
      refuseNulls(body, ["user_alias", "user_role"], ALWAYS_NAMED);
      const present = await namedUser(deps, body);
      const { id, status, email, viewer } = present;
      if ("blocked" in body && body.blocked === false && status === "disabled") throw staysDisabled();
      const changes = {
        name: body.user_alias ?? undefined,
        email: email === "" ? (body.user_email ?? undefined) : undefined,
        ...rightsOf(body.user_role),
        ...settingsOf(body, present),
      };
      const user = await deps.users.update(caller, id, changes, connection.remoteAddress);
      if (user.viewer !== viewer) await moveViewer(deps, actorOf({ caller, connection }), user);
      const data = await userRow(deps, user);
      return json({ user_id: data.user_id, data });
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
      const ids = new Map<number, string>();
      for (const reference of body.user_ids) ids.set(await findUserId(deps.stores, reference), reference);
      for (const id of ids.keys()) await deps.users.get(id);
      const { address } = adminOf({ caller, connection });
      for (const id of ids.keys()) await deps.users.remove(caller, id, address);
      return json({ deleted_users: [...ids.values()] });
    },
  }),
];

function settingsOf(body: UserSettingsFields, present?: User) {
  const { softBudget: _soft, ...limits } = limitSettings(body);
  if (body.models?.includes(NO_MODELS)) throw restrictsAll();
  const furtherBudgets = furtherBudgetsOf(body, present?.furtherBudgets);
  return { ...limits, furtherBudgets, models: modelsOf(body.models), metadata: body.metadata };
}

/** A viewer is a viewer in every organization that they are a member of. Owners and administrators keep their role. */
async function moveViewer(deps: GatewayAdminDeps, actor: ActorWithRights, { id: userId, viewer }: User): Promise<void> {
  const [from, role] = viewer ? (["member", "viewer"] as const) : (["viewer", "member"] as const);
  for (const { organization, role: held } of await deps.stores.organizations.listOf(userId)) {
    if (held === from) await deps.members.setRole({ actor, organizationId: organization.id, userId, role });
  }
}

/** The user by id or email. With both, both are the same user's, or the record has no email yet. */
async function namedUser(
  { stores, users }: GatewayAdminDeps,
  { user_id, user_email }: { user_id?: string | null; user_email?: string | null },
): Promise<User> {
  const email = user_email?.trim().toLowerCase();
  if (user_id != null) {
    const user = await users.get(await findUserId(stores, user_id));
    if (email === undefined || user.email === "" || user.email === email) return user;
    throw new GatewayError("invalid_request", "user_email: this user has another one, which cannot be changed.", {
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

const restrictsAll = (): GatewayError =>
  new GatewayError(
    "invalid_request",
    `models: \`${NO_MODELS}\` would block all keys of the user. Leave it out, and restrict keys or teams.`,
    { param: "models" },
  );

const staysDisabled = (): GatewayError =>
  new GatewayError("invalid_request", "blocked: PATCH /api/admin/users/{id} with `status` lets people in again.", {
    param: "blocked",
  });
