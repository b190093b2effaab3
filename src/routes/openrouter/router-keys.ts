import Type from "typebox";
import type { Keys } from "../../accounts/keys.ts";
import type { KeySettings } from "../../accounts/keys-settings.ts";
import { readExpiry } from "../../accounts/read-expiry.ts";
import type { Teams } from "../../accounts/teams.ts";
import type { SessionCaller } from "../../contract/caller.ts";
import { GatewayError } from "../../contract/errors.ts";
import {
  CreateRouterKeyBody,
  RouterKey,
  type RouterKeyChanges,
  RouterKeysQuery,
  UpdateRouterKeyBody,
} from "../../contract/openrouter.ts";
import { json } from "../../http/reply.ts";
import { type Route, route } from "../../http/route.ts";
import { EVERYTHING } from "../gateway-admin/shared.ts";
import { nanoOf } from "../gateway-admin/wire-values.ts";
import { NEWEST_FIRST } from "../keys/key-order.ts";
import { referenceOf } from "../keys/key-path.ts";
import { NOT_STORED } from "../keys/key-record.ts";
import type { KeyRouteDeps } from "../keys/key-route-deps.ts";
import { switchedKey } from "../keys/switched-key.ts";
import { namedOrganization } from "../organizations/named-organization.ts";
import { type KeyUsageDeps, keyView, keyViews } from "./key-usage.ts";
import { ROUTER_BASE } from "./under-api.ts";

export type RouterKeyDeps = Omit<KeyRouteDeps, "usage"> & KeyUsageDeps & { readonly teams: Pick<Teams, "list"> };

const ALL = `${ROUTER_BASE}/keys`;
const ONE = `${ALL}/{hash}`;
const PAGE_SIZE = 100;
const shared = { tag: "OpenRouter", auth: "session", stored: true } as const;
const params = Type.Object({ hash: Type.String({ description: "The hash or the id of the key." }) });
const Shown = Type.Object({ data: RouterKey });
const WINDOWS = { daily: "day", weekly: "week", monthly: "month" } as const;

/** OpenRouter's keys API, for sessions and management tokens: `/api/gw/api-keys` sets more. */
export const routerKeys = (deps: RouterKeyDeps): Route[] => [
  route({
    ...shared,
    method: "GET",
    paths: [ALL],
    summary: "List API keys, as OpenRouter does",
    description: `The newest first, ${PAGE_SIZE} at a time: those of the teams that the caller may see.`,
    scope: "keys:read",
    query: RouterKeysQuery,
    success: Type.Object({ data: Type.Array(RouterKey) }),
    errors: ["not_found"],
    async handle({ caller, query, request }) {
      const { offset = 0, include_disabled: withDisabled = false, workspace_id: teamId = null } = query;
      const named = namedOrganization(request);
      const asked = { caller, named, teamId, query: { order: NEWEST_FIRST }, page: EVERYTHING };
      const all = (await deps.keys.list(asked)).rows.filter(({ status }) => withDisabled || status !== "disabled");
      const seen = all.slice(offset, offset + PAGE_SIZE);
      const [first] = seen;
      return json({ data: first ? await keyViews(deps, seen, { organizationId: first.organizationId }) : [] });
    },
  }),
  route({
    ...shared,
    method: "POST",
    paths: [ALL],
    summary: "Create an API key, as OpenRouter does",
    description: "`key` of the answer is the whole key: it is shown this once, because only its hash is kept.",
    scope: "keys:write",
    body: CreateRouterKeyBody,
    success: Type.Object({ data: RouterKey, key: Type.String() }),
    successStatus: 201,
    errors: ["invalid_request", "permission", "not_found", "conflict"],
    async handle({ caller, body, connection, request }) {
      if (body.expires_at) readExpiry(body.expires_at, deps.clock.nowMs(), "expires_at");
      const fresh = await deps.keys.create({
        actor: { caller, address: connection.remoteAddress },
        teamId: body.workspace_id ?? (await defaultTeam(deps, caller, namedOrganization(request))),
        name: body.name,
        settings: { ...settingsOf({ ...body, limit: body.limit ?? null }), expiresAt: body.expires_at },
      });
      return json({ data: await keyView(deps, fresh), key: fresh.secret }, 201, NOT_STORED);
    },
  }),
  route({
    ...shared,
    method: "GET",
    paths: [ONE],
    summary: "Show an API key, as OpenRouter does",
    scope: "keys:read",
    params,
    success: Shown,
    errors: ["not_found"],
    handle: async ({ caller, params: { hash } }) =>
      json({ data: await keyView(deps, await deps.keys.get({ caller, reference: referenceOf({ id: hash }) })) }),
  }),
  route({
    ...shared,
    method: "PATCH",
    paths: [ONE],
    summary: "Change an API key, as OpenRouter does",
    scope: "keys:write",
    params,
    body: UpdateRouterKeyBody,
    success: Shown,
    errors: ["invalid_request", "permission", "not_found", "conflict"],
    async handle({ caller, params: { hash }, body, connection }) {
      const target = { actor: { caller, address: connection.remoteAddress }, reference: referenceOf({ id: hash }) };
      const settings = { name: body.name, ...settingsOf(body) };
      if (settings.budgetWindow && body.limit === undefined) await requireLimit(deps, { ...target, caller });
      const changed = await deps.keys.update({ ...target, settings });
      return json({ data: await keyView(deps, await switchedKey(deps.keys, target, changed, body.disabled)) });
    },
  }),
  route({
    ...shared,
    method: "DELETE",
    paths: [ONE],
    summary: "Remove an API key, as OpenRouter does",
    description: "It is refused from the very next call on.",
    scope: "keys:write",
    params,
    success: Type.Object({ deleted: Type.Boolean() }),
    errors: ["permission", "not_found"],
    async handle({ caller, params: { hash }, connection }) {
      const actor = { caller, address: connection.remoteAddress };
      await deps.keys.remove({ actor, reference: referenceOf({ id: hash }) });
      return json({ deleted: true });
    },
  }),
];

/** Without a limit there is nothing to begin anew. */
function settingsOf({ limit, limit_reset: reset }: RouterKeyChanges): KeySettings {
  if (limit === null && reset) throw needsLimit();
  if (limit === null) return { budget: null };
  const budgetWindow = reset ? WINDOWS[reset] : reset;
  return { budget: nanoOf(limit), budgetWindow };
}

async function requireLimit({ keys }: RouterKeyDeps, asked: Parameters<Keys["get"]>[0]): Promise<void> {
  if ((await keys.get(asked)).key.budget !== null) return;
  throw needsLimit();
}

const needsLimit = (): GatewayError =>
  new GatewayError("invalid_request", "limit_reset: it needs a `limit`.", { param: "limit_reset" });

/** As new organizations have it, else the first by name. */
async function defaultTeam({ teams }: RouterKeyDeps, caller: SessionCaller, named: string | null): Promise<string> {
  const all = await teams.list({ caller, named });
  const chosen = all.find(({ team }) => team.name === "Default") ?? all[0];
  if (chosen) return chosen.team.id;
  throw new GatewayError("invalid_request", "workspace_id: there is no team for the key yet.", {
    param: "workspace_id",
  });
}
