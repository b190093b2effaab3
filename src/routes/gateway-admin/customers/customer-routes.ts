import Type from "typebox";
import type { EndUserSettings } from "../../../accounts/end-users.ts";
import {
  CustomerBody,
  CustomerListQuery,
  CustomerQuery,
  CustomersBody,
  UNSERVED_OF_CUSTOMERS,
} from "../../../contract/gateway-admin/customers.ts";
import { refuseNulls, refuseUnserved, TRUE_OR_FALSE } from "../../../contract/gateway-admin/fields.ts";
import { json } from "../../../http/reply.ts";
import { type Route, route } from "../../../http/route.ts";
import type { GatewayAdminDeps } from "../admin-deps.ts";
import { actorOf, authorityOf } from "../authority-of.ts";
import { ANY, EVERYTHING } from "../shared.ts";
import { limitSettings } from "../wire-values.ts";
import { customerRow, customerRows } from "./customer-row.ts";
import { organizationOf, organizationToAddTo } from "./organization-for.ts";

const shared = {
  ...ANY,
  tag: "End users",
  errors: ["invalid_request", "permission", "not_found"],
} as const;

/** Scripts know end users by either name. */
const at = (word: string): [string, string] => [`/customer/${word}`, `/end_user/${word}`];

const WHERE =
  "Without `organization_id` it is the operator's own organization, or the one that a person's session works in. " +
  "Needs the role admin or owner in it.";

/** Those whom calls are made for, with limits, budgets and blocks of their own. */
export const customerRoutes = (deps: GatewayAdminDeps): Route[] => [
  ...([true, false] as const).map((isNew) =>
    route({
      ...shared,
      method: "POST",
      paths: at(isNew ? "new" : "update"),
      summary: isNew ? "Give an end user limits, a budget or a block" : "Change an end user",
      description: isNew
        ? `By the name that calls tell. ${WHERE}`
        : `What is left out stays as it is; null empties a field. It holds for the very next call. ${WHERE}`,
      body: CustomerBody,
      errors: isNew ? [...shared.errors, "conflict"] : shared.errors,
      async handle({ body, caller, connection }) {
        const settings = settingsOf(body);
        if (!isNew) refuseNulls(body, ["blocked"], TRUE_OR_FALSE);
        const actor = actorOf({ caller, connection });
        const organizationId = await (isNew
          ? organizationToAddTo(deps, actor, body.organization_id)
          : organizationOf(deps, actor.caller, body.organization_id));
        const named = { organizationId, id: body.user_id };
        await (isNew ? deps.endUsers.create(actor, named, settings) : deps.endUsers.update(actor, named, settings));
        return json(await customerRow(deps, await deps.endUsers.get(actor.caller, named)));
      },
    }),
  ),
  route({
    ...shared,
    method: "POST",
    paths: at("delete"),
    summary: "Let go of end users",
    description: `All are looked up before the first one goes. Calls for them are let in as for anybody from then on. ${WHERE}`,
    body: CustomersBody,
    async handle({ body, caller, connection }) {
      const actor = actorOf({ caller, connection });
      const named = await allOf(deps, actor, body);
      for (const one of named) await deps.endUsers.remove(actor, one);
      return json({ deleted_customers: named.length, message: `Let go of: ${named.map(({ id }) => id).join(", ")}` });
    },
  }),
  ...([true, false] as const).map((blocked) =>
    route({
      ...shared,
      method: "POST",
      paths: at(blocked ? "block" : "unblock"),
      summary: blocked ? "Block end users" : "Unblock end users",
      description: blocked
        ? `Calls for them are refused (403) from the very next one on. Who has no record gets one. ${WHERE}`
        : `All are looked up before the first one changes. ${WHERE}`,
      body: CustomersBody,
      async handle({ body, caller, connection }) {
        const actor = actorOf({ caller, connection });
        const rows = blocked ? await block(deps, actor, body) : await unblock(deps, actor, body);
        return json({ blocked_users: rows });
      },
    }),
  ),
  route({
    ...shared,
    method: "GET",
    paths: at("info"),
    summary: "Show an end user",
    description: `\`spend\` is of all calls since there is a record, and of those before that the log still had. ${WHERE}`,
    query: CustomerQuery,
    async handle({ query, caller }) {
      const authority = authorityOf(caller);
      const organizationId = await organizationOf(deps, authority, query.organization_id);
      return json(
        await customerRow(deps, await deps.endUsers.get(authority, { organizationId, id: query.end_user_id })),
      );
    },
  }),
  route({
    ...shared,
    method: "GET",
    paths: at("list"),
    summary: "List end users",
    description: `Those with a record, by name; the first 10,000 unless a \`page\` or \`page_size\` is asked for. ${WHERE}`,
    query: CustomerListQuery,
    success: Type.Array(ANY.success),
    async handle({ query, caller }) {
      const { organization_id, page, page_size } = query;
      const authority = authorityOf(caller);
      const organizationId = await organizationOf(deps, authority, organization_id);
      const isPart = page !== undefined || page_size !== undefined;
      const part = isPart ? { page: page ?? 1, pageSize: page_size ?? 100 } : EVERYTHING;
      const { rows } = await deps.endUsers.list(authority, organizationId, part);
      return json(await customerRows(deps, rows));
    },
  }),
];

type Actor = ReturnType<typeof actorOf>;
interface Several {
  readonly user_ids: readonly string[];
  readonly organization_id?: string | null;
}

function settingsOf(body: Parameters<typeof limitSettings>[0] & CustomerFields): EndUserSettings {
  refuseUnserved(body, UNSERVED_OF_CUSTOMERS);
  return { ...limitSettings(body), alias: body.alias, blocked: body.blocked ?? undefined };
}

interface CustomerFields {
  readonly alias?: string | null;
  readonly blocked?: boolean | null;
}

async function allOf(deps: GatewayAdminDeps, actor: Actor, { user_ids, organization_id }: Several) {
  const organizationId = await organizationOf(deps, actor.caller, organization_id);
  const named = [...new Set(user_ids)].map((id) => ({ organizationId, id }));
  for (const one of named) await deps.endUsers.get(actor.caller, one);
  return named;
}

async function unblock(deps: GatewayAdminDeps, actor: Actor, body: Several) {
  const rows = [];
  for (const one of await allOf(deps, actor, body)) {
    await deps.endUsers.update(actor, one, { blocked: false });
    rows.push(await customerRow(deps, await deps.endUsers.get(actor.caller, one)));
  }
  return rows;
}

/** Somebody who misuses a service is blocked before anybody thought of a record for them. */
async function block(deps: GatewayAdminDeps, actor: Actor, { user_ids, organization_id }: Several) {
  const organizationId = await organizationToAddTo(deps, actor, organization_id);
  const rows = [];
  for (const id of new Set(user_ids)) {
    await deps.endUsers.block(actor, { organizationId, id });
    rows.push(await customerRow(deps, await deps.endUsers.get(actor.caller, { organizationId, id })));
  }
  return rows;
}
