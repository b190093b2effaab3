import { findUserId } from "../../../accounts/people/unknown-users.ts";
import type { User } from "../../../accounts/records.ts";
import type { AdminCaller } from "../../../contract/caller.ts";
import { GatewayError } from "../../../contract/errors.ts";
import { refuseUnserved } from "../../../contract/gateway-admin/fields.ts";
import {
  UNSERVED_OF_USER_LISTS,
  UserInfoQuery,
  UserListQuery,
  type WireUserRole,
} from "../../../contract/gateway-admin/users.ts";
import { json } from "../../../http/reply.ts";
import { type Route, route } from "../../../http/route.ts";
import type { GatewayAdminDeps } from "../admin-deps.ts";
import { authorityOf } from "../authority-of.ts";
import { keyRows } from "../keys/key-row.ts";
import { ANY, EVERYTHING, OPERATORS } from "../shared.ts";
import { teamRows } from "../teams/team-row.ts";
import { rightsOf, userRow } from "./user-row.ts";

const tag = "Users of the gateway";
const info = {
  ...ANY,
  tag,
  method: "GET",
  query: UserInfoQuery,
  errors: ["invalid_request", "permission", "not_found"],
} as const;

export const readUsers = (deps: GatewayAdminDeps): Route[] => [
  route({
    ...info,
    paths: ["/user/info"],
    summary: "Show a user with their keys and teams",
    description: "A person is shown themselves; the operator anybody.",
    async handle({ query, caller }) {
      const user = await seenBy(deps, caller, query.user_id);
      const authority = authorityOf(caller);
      const [row, { rows }] = await Promise.all([
        userRow(deps, user),
        deps.keys.search({ caller: authority, filter: { createdBy: user.id }, page: EVERYTHING }),
      ]);
      const { rows: teams } = await deps.stores.teams.search({ ids: row.teams }, EVERYTHING);
      return json({
        user_id: row.user_id,
        user_info: row,
        keys: await keyRows(deps, rows),
        teams: (await teamRows(deps, teams)).map((team) => team.row),
      });
    },
  }),
  route({
    ...info,
    paths: ["/v2/user/info"],
    summary: "Show a user",
    handle: async ({ query, caller }) => json(await userRow(deps, await seenBy(deps, caller, query.user_id))),
  }),
  route({
    ...OPERATORS,
    tag,
    method: "GET",
    paths: ["/user/list"],
    summary: "List users",
    query: UserListQuery,
    errors: ["invalid_request"],
    async handle({ query }) {
      refuseUnserved(query, UNSERVED_OF_USER_LISTS);
      const page = { page: query.page ?? 1, pageSize: query.page_size ?? 25 };
      const filter = {
        ...(query.user_email ? { search: query.user_email } : {}),
        ...rightsOf(query.role),
        ...(query.user_ids ? { ids: await idsOf(deps, query.user_ids) } : {}),
      };
      const { rows, total } = await deps.users.list(filter, page);
      const users = await Promise.all(rows.map((user) => userRow(deps, user)));
      const total_pages = Math.ceil(total / page.pageSize);
      return json({ users, total, page: page.page, page_size: page.pageSize, total_pages });
    },
  }),
  route({
    ...ANY,
    tag,
    method: "GET",
    paths: ["/user/available_roles"],
    summary: "The roles that a user can have",
    errors: [],
    handle: () => json(ROLES),
  }),
];

const ROLES = {
  proxy_admin: { description: "Administers this server: may do everything.", ui_label: "Administrator" },
  proxy_admin_viewer: { description: "Sees everything and changes nothing.", ui_label: "Administrator (viewer)" },
  internal_user: { description: "Has the rights of their organizations and teams.", ui_label: "User" },
  internal_user_viewer: { description: "Reads in their organizations and teams.", ui_label: "User (viewer)" },
} as const satisfies Record<WireUserRole, object>;

const idsOf = ({ stores }: GatewayAdminDeps, list: string): Promise<number[]> =>
  Promise.all(list.split(",").map((id) => findUserId(stores, id.trim())));

/** To people, other users and unknown ids look alike. */
async function seenBy(
  { users, stores }: GatewayAdminDeps,
  caller: AdminCaller,
  reference: string | undefined,
): Promise<User> {
  const authority = authorityOf(caller);
  if (authority.kind === "operator") {
    const own = caller.kind === "session" ? String(caller.userId) : undefined;
    const wanted = reference ?? own;
    if (wanted === undefined) {
      throw new GatewayError("invalid_request", "user_id: name the user; the master key is nobody's.", {
        param: "user_id",
      });
    }
    return users.get(await findUserId(stores, wanted));
  }
  const isOwn = reference === undefined || (await findUserId(stores, reference)) === authority.userId;
  if (isOwn) return users.get(authority.userId);
  throw new GatewayError("not_found", "There is no such user.");
}
