import Type from "typebox";
import { GatewayError } from "../../contract/errors.ts";
import { Done } from "../../contract/organizations.ts";
import { cutPage, PagedList, PageQuery, paged, pageOf } from "../../contract/paging.ts";
import {
  AliasName,
  AliasView,
  FALLBACK_KINDS,
  FallbackName,
  FallbackView,
  MarkupView,
  SetAliasBody,
  SetFallbackBody,
  SetMarkupBody,
} from "../../contract/routing-rules.ts";
import { json } from "../../http/reply.ts";
import { type Route, route } from "../../http/route.ts";
import type { RoutingRules } from "../../models/routing-rules.ts";

const shared = { tag: "Administration", auth: "admin" } as const;
const AT_ONCE = "It takes the place of what the configuration file says, in every process within two seconds.";
const BACK =
  "What the configuration file says holds again, if it says anything. Nothing set at run time: 404, or 409 for the file's.";

/** Aliases, fallbacks and the mark-up at run time. */
export const routingRuleRoutes = (rules: RoutingRules): Route[] => [
  ...aliasRoutes(rules),
  ...fallbackRoutes(rules),
  ...markupRoutes(rules),
];

const aliasRoutes = (rules: RoutingRules): Route[] => [
  route({
    ...shared,
    method: "GET",
    paths: ["/api/admin/aliases"],
    summary: "List the aliases of groups",
    query: PageQuery,
    success: PagedList(AliasView),
    errors: [],
    handle({ query }) {
      const [all, page] = [rules.aliases(), pageOf(query)];
      return json(paged(cutPage(all, page), page, all.length));
    },
  }),
  route({
    ...shared,
    method: "PUT",
    paths: ["/api/admin/aliases/{alias...}"],
    summary: "Set what an alias stands for",
    description: AT_ONCE,
    params: AliasName,
    body: SetAliasBody,
    success: AliasView,
    errors: ["invalid_request", "conflict"],
    async handle({ caller, params, body: { model, hidden = false }, connection }) {
      return json(await rules.setAlias({ caller, address: connection.remoteAddress }, params.alias, { model, hidden }));
    },
  }),
  route({
    ...shared,
    method: "DELETE",
    paths: ["/api/admin/aliases/{alias...}"],
    summary: "Remove an alias that was set at run time",
    description: BACK,
    params: AliasName,
    success: Done,
    errors: ["invalid_request", "not_found", "conflict"],
    async handle({ caller, params, connection }) {
      await rules.removeAlias({ caller, address: connection.remoteAddress }, params.alias);
      return json({ success: true });
    },
  }),
];

const fallbackRoutes = (rules: RoutingRules): Route[] => [
  route({
    ...shared,
    method: "GET",
    paths: ["/api/admin/fallbacks"],
    summary: "List which groups stand in for which",
    query: Type.Object({
      ...PageQuery.properties,
      group: Type.Optional(Type.String({ maxLength: 512, description: "Only those of this group." })),
    }),
    success: PagedList(FallbackView),
    errors: [],
    handle({ query }) {
      const all = rules.fallbacks().filter(({ group }) => query.group === undefined || group === query.group);
      const page = pageOf(query);
      return json(paged(cutPage(all, page), page, all.length));
    },
  }),
  route({
    ...shared,
    method: "PUT",
    paths: ["/api/admin/fallbacks/{kind}/{group...}"],
    summary: "Set who stands in for a group",
    description: `${AT_ONCE} The group \`*\` stands for all that have no list of their own.`,
    params: FallbackName,
    body: SetFallbackBody,
    success: FallbackView,
    errors: ["invalid_request", "conflict"],
    async handle({ caller, params: { kind, group }, body, connection }) {
      const actor = { caller, address: connection.remoteAddress };
      return json(await rules.setFallback(actor, kindOf(kind), group, body.targets));
    },
  }),
  route({
    ...shared,
    method: "DELETE",
    paths: ["/api/admin/fallbacks/{kind}/{group...}"],
    summary: "Remove fallbacks that were set at run time",
    description: BACK,
    params: FallbackName,
    success: Done,
    errors: ["invalid_request", "not_found", "conflict"],
    async handle({ caller, params: { kind, group }, connection }) {
      await rules.removeFallback({ caller, address: connection.remoteAddress }, kindOf(kind), group);
      return json({ success: true });
    },
  }),
];

function kindOf(text: string): (typeof FALLBACK_KINDS)[number] {
  const kind = FALLBACK_KINDS.find((known) => known === text);
  if (kind) return kind;
  throw new GatewayError("invalid_request", `kind: should be one of ${FALLBACK_KINDS.join(", ")}.`, { param: "kind" });
}

const markupRoutes = (rules: RoutingRules): Route[] => [
  route({
    ...shared,
    method: "GET",
    paths: ["/api/admin/markup"],
    summary: "Show the mark-up of the installation",
    success: MarkupView,
    errors: [],
    handle: () => json(rules.markup()),
  }),
  route({
    ...shared,
    method: "PUT",
    paths: ["/api/admin/markup"],
    summary: "Set the mark-up of the installation",
    description: `${AT_ONCE} Calls that begin from then on are charged with it.`,
    body: SetMarkupBody,
    success: MarkupView,
    errors: ["invalid_request", "conflict"],
    handle: async ({ caller, body, connection }) =>
      json(await rules.setMarkup({ caller, address: connection.remoteAddress }, body.percent)),
  }),
  route({
    ...shared,
    method: "DELETE",
    paths: ["/api/admin/markup"],
    summary: "Go back to the mark-up of the configuration file",
    success: MarkupView,
    errors: ["invalid_request", "not_found"],
    handle: async ({ caller, connection }) =>
      json(await rules.removeMarkup({ caller, address: connection.remoteAddress })),
  }),
];
