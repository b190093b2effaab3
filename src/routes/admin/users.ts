import Type from "typebox";
import type { User } from "../../accounts/records.ts";
import type { Users } from "../../accounts/users.ts";
import { toUserId } from "../../contract/organizations.ts";
import { PagedList, PageQuery, paged, pageOf } from "../../contract/paging.ts";
import { sortingOf, sortQuery } from "../../contract/sorting.ts";
import { AdminUserView, Email, PersonName } from "../../contract/users.ts";
import { json } from "../../http/reply.ts";
import { type Route, route } from "../../http/route.ts";
import { adminUserViews, type UserViewDeps } from "./user-view.ts";

const BY_ID = { by: "id", direction: "asc" } as const;
const UserId = Type.Object({ id: Type.String({ pattern: "^[1-9][0-9]{0,9}$" }) });
const shared = { tag: "Administration", auth: "admin" } as const;

export const userRoutes = (users: Users, deps: UserViewDeps): Route[] => [
  route({
    ...shared,
    method: "GET",
    paths: ["/api/admin/users"],
    summary: "List users",
    query: Type.Object({
      ...PageQuery.properties,
      ...sortQuery(["email", "name", "createdAt", "lastLoginAt"], "by id"),
      search: Type.Optional(Type.String({ maxLength: 100 })),
    }),
    success: PagedList(AdminUserView),
    errors: [],
    async handle({ query }) {
      const page = pageOf(query);
      const filter = query.search === undefined ? {} : { search: query.search };
      const { rows, total } = await users.list(filter, page, sortingOf(query, BY_ID));
      return json(paged(await adminUserViews(rows, deps), page, total));
    },
  }),
  route({
    ...shared,
    method: "GET",
    paths: ["/api/admin/users/{id}"],
    summary: "Show a user",
    params: UserId,
    success: AdminUserView,
    errors: ["not_found"],
    handle: async ({ params }) => one(await users.get(toUserId(params.id)), deps),
  }),
  route({
    ...shared,
    method: "PATCH",
    paths: ["/api/admin/users/{id}"],
    summary: "Change a user's name, role or status",
    description: "An email can be added to a record without sign-in, and not be changed afterwards.",
    params: UserId,
    body: Type.Object({
      name: Type.Optional(PersonName),
      email: Type.Optional(Email),
      role: Type.Optional(Type.Enum(["user", "admin"])),
      viewer: Type.Optional(Type.Boolean()),
      status: Type.Optional(Type.Enum(["active", "disabled"])),
    }),
    success: AdminUserView,
    errors: ["invalid_request", "not_found", "conflict"],
    async handle({ caller, params, body, connection }) {
      const { name, email, role, viewer, status } = body;
      const changes = { name, email, role, viewer, status };
      return one(await users.update(caller, toUserId(params.id), changes, connection.remoteAddress), deps);
    },
  }),
  route({
    ...shared,
    method: "DELETE",
    paths: ["/api/admin/users/{id}"],
    summary: "Remove a user",
    description:
      "They are logged out and no longer named, and their keys are switched off; what they did stays in the books. Refused " +
      "while they are the only owner of an organization that has other members, or credit.",
    params: UserId,
    success: Type.Object({ success: Type.Boolean() }),
    errors: ["not_found", "conflict"],
    async handle({ caller, params, connection }) {
      await users.remove(caller, toUserId(params.id), connection.remoteAddress);
      return json({ success: true });
    },
  }),
  route({
    ...shared,
    method: "DELETE",
    paths: ["/api/admin/users/{id}/2fa"],
    summary: "Take away a user's second factor, for who has lost it",
    params: UserId,
    success: Type.Object({ success: Type.Boolean() }),
    errors: ["not_found"],
    async handle({ caller, params, connection }) {
      await deps.twoFactor.reset(caller, toUserId(params.id), connection.remoteAddress);
      return json({ success: true });
    },
  }),
  route({
    ...shared,
    method: "DELETE",
    paths: ["/api/admin/users/{id}/passkeys"],
    summary: "Take away all passkeys of a user, for who has lost a device",
    params: UserId,
    success: Type.Object({ success: Type.Boolean() }),
    errors: ["not_found"],
    async handle({ caller, params, connection }) {
      await deps.passkeys.reset(caller, toUserId(params.id), connection.remoteAddress);
      return json({ success: true });
    },
  }),
];

const one = async (user: User, deps: UserViewDeps): Promise<Response> => json((await adminUserViews([user], deps))[0]);
