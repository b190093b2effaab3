import type { KeyRights } from "../../accounts/key-rights.ts";
import type { KeyCaller } from "../../contract/caller.ts";
import { GatewayError } from "../../contract/errors.ts";
import { FALLBACK_TYPES, type FallbackType, ListModelsQuery, ModelList } from "../../contract/models.ts";
import { PROGRAM_VERSION } from "../../contract/version.ts";
import { type FallbackTables, fallbacksOf } from "../../gateway/attempts/fallback-tables.ts";
import { accessGroups, findVisible, visibleGroups, visibleModels } from "../../gateway/info/visible-models.ts";
import { json } from "../../http/reply.ts";
import { route } from "../../http/route.ts";
import { isWildcard } from "../../lib/wildcard.ts";
import { isOfAnthropic, listForAnthropic } from "./anthropic-models.ts";
import { isOfGoogle, listForGoogle } from "./google-models.ts";
import type { ModelDeps } from "./model-deps.ts";
import { modelEntry } from "./model-entry.ts";

/** An access group belongs to no provider. */
const ACCESS_GROUP_OWNER = "gateway";

/** As answers of models carry it. */
const VERSION = { "x-gw-version": PROGRAM_VERSION };

export const listModels = (deps: ModelDeps) =>
  route({
    method: "GET",
    paths: ["/v1/models", "/models", "/anthropic/v1/models"],
    tag: "Models",
    summary: "List the models that the key may call",
    description:
      "A wildcard group appears as the models that its provider is known to have; any other model that fits it can be " +
      "called as well. With `scope=expand`, keys of platform, organization and team administrators see every model; to other " +
      "keys it makes no difference. With the key in `x-goog-api-key` the list is in Google's form, with `anthropic-version` in Anthropic's.",
    auth: "key",
    query: ListModelsQuery,
    success: ModelList,
    errors: ["invalid_request", "not_found"],
    async handle({ caller: asking, query, request }) {
      if (isOfAnthropic(request)) return listForAnthropic(deps, asking, query);
      if (isOfGoogle(request)) return listForGoogle(deps, asking, query);
      const fallbackType = checkQuery(query);
      const caller = await seenAs(deps.rights, asking, query);
      const catalog = deps.catalog();
      const models = await visibleModels(deps, caller);
      const patterns = visibleGroups(catalog, caller).filter(({ name }) => isWildcard(name));
      const groups = accessGroups([...models, ...patterns]);
      const shown = query.return_wildcard_routes ? [...models, ...patterns] : models;
      const entries = query.only_model_access_groups
        ? []
        : shown.map(({ name, deployments }) => modelEntry(name, deployments[0]?.provider));
      if (query.only_model_access_groups || query.include_model_access_groups) {
        entries.push(...groups.map((name) => modelEntry(name, ACCESS_GROUP_OWNER)));
      }
      if (!query.include_metadata) return json({ object: "list", data: entries }, 200, VERSION);
      const fallbacks = (name: string) =>
        visibleFallbacks(deps.fallbacks(), fallbackType, name, (other) => findVisible(catalog, caller, other) !== null);
      const data = entries.map((entry) => ({ ...entry, metadata: { fallbacks: fallbacks(entry.id) } }));
      return json({ object: "list", data }, 200, VERSION);
    },
  });

const visibleFallbacks = (
  tables: FallbackTables,
  type: FallbackType,
  name: string,
  isVisible: (name: string) => boolean,
): string[] => (fallbacksOf(tables, type, { own: [name], upstreamModel: null }) ?? []).filter(isVisible);

/** Whose eyes the list is seen with: an administrator's who asks for everything, a team's, or the key's own. */
async function seenAs(rights: KeyRights, caller: KeyCaller, query: ListModelsQuery): Promise<KeyCaller> {
  const own = query.team_id ? await rights.inTeam(caller, query.team_id) : caller;
  if (query.scope !== "expand" || !(await rights.isAdmin(caller))) return own;
  return { ...own, models: [], within: [] };
}

/** Faults that a schema cannot say, with the status that clients of this interface know. */
function checkQuery(query: ListModelsQuery): FallbackType {
  if (query.scope && query.scope !== "expand") {
    throw new GatewayError("invalid_request", "`scope` can only be `expand`.", { param: "scope" });
  }
  const asked = query.include_metadata ? (query.fallback_type ?? "general") : "general";
  const type = FALLBACK_TYPES.find((one) => one === asked);
  if (type) return type;
  const accepted = FALLBACK_TYPES.map((one) => `\`${one}\``).join(", ");
  throw new GatewayError("invalid_request", `\`fallback_type\` is one of ${accepted}.`, { param: "fallback_type" });
}
