import { GatewayError } from "../../../contract/errors.ts";
import { refuseUnserved } from "../../../contract/gateway-admin/fields.ts";
import { KeyAliasesQuery, KeyListQuery, UNSERVED_OF_KEY_LISTS } from "../../../contract/gateway-admin/keys.ts";
import { json } from "../../../http/reply.ts";
import { type Route, route } from "../../../http/route.ts";
import type { GatewayAdminDeps } from "../admin-deps.ts";
import { authorityOf } from "../authority-of.ts";
import { knownUserId } from "../require-known.ts";
import { ANY } from "../shared.ts";
import { keyRows } from "./key-row.ts";

const ORDERS = { created_at: "createdAt", updated_at: "updatedAt", key_alias: "name" } as const;

export const listKeys = (deps: GatewayAdminDeps): Route[] => [
  route({
    ...ANY,
    method: "GET",
    paths: ["/key/list"],
    tag: "Keys",
    summary: "List keys",
    description:
      "Their hashes, or with `return_full_object` all that is known of them. The newest come first unless told.",
    query: KeyListQuery,
    errors: ["invalid_request", "permission", "not_found"],
    async handle({ query, caller }) {
      refuseUnserved(query, UNSERVED_OF_KEY_LISTS);
      if (query.include_team_keys && query.user_id !== undefined) throw narrowsTeams();
      const page = { page: query.page ?? 1, pageSize: query.size ?? 10 };
      const authority = authorityOf(caller);
      const named =
        query.key_hash === undefined ? null : await deps.keys.get({ caller: authority, reference: query.key_hash });
      const createdBy = query.user_id === undefined ? undefined : await knownUserId(deps, authority, query.user_id);
      const { rows, total } = await deps.keys.search({
        caller: authority,
        filter: {
          ...(query.team_id === undefined ? {} : { teamId: query.team_id }),
          ...(query.organization_id === undefined ? {} : { organizationId: query.organization_id }),
          ...(createdBy === undefined ? {} : { createdBy }),
          ...(named === null ? {} : { handle: named.key.handle }),
          ...(query.key_alias === undefined ? {} : { name: query.key_alias }),
        },
        page,
        order: { by: ORDERS[query.sort_by ?? "created_at"], direction: query.sort_order ?? "desc" },
      });
      const keys = query.return_full_object ? await keyRows(deps, rows) : rows.map(({ key }) => key.handle);
      return json({ keys, ...pageCounts(total, page) });
    },
  }),
  route({
    ...ANY,
    method: "GET",
    paths: ["/key/aliases"],
    tag: "Keys",
    summary: "List the aliases of keys",
    query: KeyAliasesQuery,
    errors: ["permission", "not_found"],
    async handle({ query, caller }) {
      const page = { page: query.page ?? 1, pageSize: query.size ?? 50 };
      const { rows, total } = await deps.keys.search({
        caller: authorityOf(caller),
        filter: {
          ...(query.team_id === undefined ? {} : { teamId: query.team_id }),
          ...(query.search ? { search: query.search } : {}),
        },
        page,
        order: { by: "name", direction: "asc" },
      });
      return json({ aliases: rows.map(({ key }) => key.name), ...pageCounts(total, page), size: page.pageSize });
    },
  }),
];

const narrowsTeams = (): GatewayError =>
  new GatewayError(
    "invalid_request",
    "include_team_keys: `user_id` leaves only keys of this person; leave one of the two out.",
    { param: "include_team_keys" },
  );

const pageCounts = (total: number, { page, pageSize }: { page: number; pageSize: number }) => ({
  total_count: total,
  current_page: page,
  total_pages: Math.ceil(total / pageSize),
});
