import Type from "typebox";
import { asOperator } from "../../accounts/authority.ts";
import type { AccountStores } from "../../accounts/store.ts";
import { ApiKeyRecord } from "../../contract/keys.ts";
import { PagedList, PageQuery, paged, pageOf } from "../../contract/paging.ts";
import { sortingOf, sortQuery } from "../../contract/sorting.ts";
import { json } from "../../http/reply.ts";
import { type Route, route } from "../../http/route.ts";
import { KEY_SORTS, NEWEST_FIRST } from "../keys/key-order.ts";
import { keyRecords } from "../keys/key-record.ts";
import type { KeyRouteDeps } from "../keys/key-route-deps.ts";
import { organizationNames } from "./organization-names.ts";

interface AdminKeyDeps extends KeyRouteDeps {
  readonly stores: Pick<AccountStores, "organizations" | "teams">;
}

const Listed = Type.Object({
  ...ApiKeyRecord.properties,
  teamName: Type.String(),
  organizationName: Type.String(),
  budgetId: Type.Union([Type.String(), Type.Null()]),
});
const Id = Type.Optional(Type.String({ maxLength: 64 }));

/** Every key of the installation. They are changed by `/key/update` and its like. */
export const adminKeyRoutes = (deps: AdminKeyDeps): Route[] => [
  route({
    tag: "Administration",
    auth: "admin",
    method: "GET",
    paths: ["/api/admin/api-keys"],
    summary: "List the keys of all organizations",
    query: Type.Object({
      ...PageQuery.properties,
      ...sortQuery(KEY_SORTS, "the newest first"),
      search: Type.Optional(
        Type.String({ maxLength: 100, pattern: "^[^\\u0000]*$", description: "Part of the name or of the last four." }),
      ),
      organizationId: Id,
      teamId: Id,
    }),
    success: PagedList(Listed),
    errors: ["not_found"],
    async handle({ caller, query }) {
      const page = pageOf(query);
      const { rows, total } = await deps.keys.search({
        caller: asOperator(caller),
        filter: {
          ...(query.search ? { search: query.search } : {}),
          ...(query.organizationId ? { organizationId: query.organizationId } : {}),
          ...(query.teamId ? { teamId: query.teamId } : {}),
        },
        page,
        order: sortingOf(query, NEWEST_FIRST),
      });
      const [records, teams, organizations] = await Promise.all([
        keyRecords(deps, rows),
        teamNames(
          deps,
          rows.map(({ key }) => key.teamId),
        ),
        organizationNames(
          deps.stores,
          rows.map(({ organizationId }) => organizationId),
        ),
      ]);
      const listed = records.map((record, at) => ({
        ...record,
        teamName: teams.get(record.teamId) ?? "",
        organizationName: organizations.get(record.organizationId) ?? "",
        budgetId: rows[at]?.key.budgetId ?? null,
      }));
      return json(paged(listed, page, total));
    },
  }),
];

async function teamNames({ stores }: AdminKeyDeps, ids: readonly string[]): Promise<ReadonlyMap<string, string>> {
  const found = await Promise.all([...new Set(ids)].map((id) => stores.teams.find(id)));
  return new Map(found.flatMap((one) => (one ? [[one.id, one.name] as const] : [])));
}
