import Type, { type Static } from "typebox";
import { activeOrganization } from "../../accounts/access.ts";
import type { EndUsers } from "../../accounts/end-users.ts";
import type { AccountStores, EndUserSpend } from "../../accounts/store.ts";
import type { SessionCaller } from "../../contract/caller.ts";
import { CreateEndUserBody, EndUserRecord, UpdateEndUserBody } from "../../contract/end-users.ts";
import { limitsOf, limitsView } from "../../contract/limits.ts";
import { Done } from "../../contract/organizations.ts";
import { PagedList, PageQuery, paged, pageOf } from "../../contract/paging.ts";
import { sortingOf, sortQuery } from "../../contract/sorting.ts";
import { isoTime } from "../../contract/users.ts";
import { json } from "../../http/reply.ts";
import { type Route, route } from "../../http/route.ts";
import { namedOrganization } from "../organizations/named-organization.ts";

interface EndUserRouteDeps {
  readonly endUsers: EndUsers;
  readonly stores: AccountStores;
}

const shared = { tag: "End users", auth: "session", errors: ["invalid_request", "permission", "not_found"] } as const;
const LIST = { ...shared, paths: ["/api/end-users"] } as const;
const ONE = { ...shared, paths: ["/api/end-users/{id}"], params: Type.Object({ id: Type.String() }) } as const;
const BY_NAME = { by: "id", direction: "asc" } as const;
const NEEDED = "Needs the role admin or owner in the organization.";

/** Those whom the organization makes calls for, as its administrators look after them. */
export const endUserRoutes = ({ endUsers, stores }: EndUserRouteDeps): Route[] => {
  const organizationOf = async (caller: SessionCaller, request: Request): Promise<string> =>
    (await activeOrganization(stores, caller, namedOrganization(request), "admin")).organization.id;
  return [
    route({
      ...LIST,
      method: "GET",
      summary: "List the end users with limits, a budget or a block",
      description: `Others whom calls name are not among them. ${NEEDED}`,
      query: Type.Object({
        ...PageQuery.properties,
        ...sortQuery(["id", "createdAt"], "by name"),
        search: Type.Optional(Type.String({ maxLength: 100, description: "A part of the name or of the alias." })),
      }),
      success: PagedList(EndUserRecord),
      errors: ["permission", "not_found"],
      async handle({ caller, query, request }) {
        const page = pageOf(query);
        const wanted = { search: query.search, order: sortingOf(query, BY_NAME) };
        const { rows, total } = await endUsers.list(caller, await organizationOf(caller, request), page, wanted);
        return json(paged(rows.map(endUserRecord), page, total));
      },
    }),
    route({
      ...LIST,
      method: "POST",
      summary: "Give an end user limits, a budget or a block",
      description: `By the name that calls tell. ${NEEDED}`,
      body: CreateEndUserBody,
      success: EndUserRecord,
      successStatus: 201,
      errors: [...shared.errors, "conflict"],
      async handle({ caller, body, request, connection }) {
        const named = { organizationId: await organizationOf(caller, request), id: body.id };
        await endUsers.create({ caller, address: connection.remoteAddress }, named, settingsOf(body));
        return json(endUserRecord(await endUsers.get(caller, named)), 201);
      },
    }),
    route({
      ...ONE,
      method: "PATCH",
      summary: "Change an end user",
      description: `What is left out stays as it is; null empties a field. It holds for the very next call. ${NEEDED}`,
      body: UpdateEndUserBody,
      success: EndUserRecord,
      async handle({ caller, body, params, request, connection }) {
        const named = { organizationId: await organizationOf(caller, request), id: params.id };
        await endUsers.update({ caller, address: connection.remoteAddress }, named, settingsOf(body));
        return json(endUserRecord(await endUsers.get(caller, named)));
      },
    }),
    route({
      ...ONE,
      method: "DELETE",
      summary: "Let go of an end user",
      description: `Calls for them are let in as for anybody from then on. ${NEEDED}`,
      success: Done,
      errors: ["permission", "not_found"],
      async handle({ caller, params, request, connection }) {
        const named = { organizationId: await organizationOf(caller, request), id: params.id };
        await endUsers.remove({ caller, address: connection.remoteAddress }, named);
        return json({ success: true });
      },
    }),
  ];
};

const settingsOf = (body: Static<typeof UpdateEndUserBody>) => ({
  ...limitsOf(body),
  alias: body.alias,
  blocked: body.blocked,
});

const endUserRecord = ({ endUser, spent }: EndUserSpend): EndUserRecord => ({
  id: endUser.id,
  alias: endUser.alias,
  blocked: endUser.blocked,
  spent: Number(spent),
  ...limitsView(endUser),
  budgetId: endUser.budgetId,
  createdAt: isoTime(endUser.createdAt),
  updatedAt: isoTime(endUser.updatedAt),
});
