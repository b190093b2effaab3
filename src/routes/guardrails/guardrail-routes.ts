import Type from "typebox";
import {
  CreateGuardrailBody,
  GuardrailDetails,
  type GuardrailKind,
  GuardrailListing,
  GuardrailView,
  PERSONAL_ENTITIES,
  SECRET_ENTITIES,
  UpdateGuardrailBody,
} from "../../contract/guardrails.ts";
import { Done } from "../../contract/organizations.ts";
import { cutPage, PagedList, PageQuery, paged, pageOf } from "../../contract/paging.ts";
import { created, json } from "../../http/reply.ts";
import { type Route, route } from "../../http/route.ts";
import type { SeenGuardrail, StoredGuardrails } from "../../models/stored-guardrails.ts";
import { type TestGuardrailDeps, testGuardrail } from "./test-guardrail.ts";

export interface GuardrailRouteDeps extends TestGuardrailDeps {
  readonly stored: StoredGuardrails;
}

export const guardrailRoutes = (deps: GuardrailRouteDeps): Route[] => [
  showGuardrails(deps),
  createGuardrail(deps),
  getGuardrail(deps),
  updateGuardrail(deps),
  removeGuardrail(deps),
  testGuardrail(deps),
  listGuardrails(deps),
];

const Named = Type.Object({ id: Type.String({ minLength: 1, maxLength: 100, description: "Its name." }) });
const shared = { tag: "Guardrails", auth: "admin" } as const;

const showGuardrails = ({ stored }: GuardrailRouteDeps) =>
  route({
    ...shared,
    method: "GET",
    paths: ["/api/admin/guardrails"],
    summary: "Show the guardrails, those of the file and those that are stored",
    description: "Their order is that in which they look. Secrets, patterns and words are not shown.",
    query: PageQuery,
    success: PagedList(GuardrailView),
    errors: [],
    async handle({ query }) {
      const all = stored.list();
      const page = pageOf(query);
      return json(paged(cutPage(all, page).map(view), page, all.length));
    },
  });

const createGuardrail = ({ stored }: GuardrailRouteDeps) =>
  route({
    ...shared,
    method: "POST",
    paths: ["/api/admin/guardrails"],
    summary: "Add a guardrail",
    description:
      "It looks at calls from now on, in every process within two seconds. Of a kind that asks nobody outside: webhooks and plugins " +
      "are set in the configuration file alone.",
    body: CreateGuardrailBody,
    success: GuardrailDetails,
    successStatus: 201,
    errors: ["invalid_request", "conflict"],
    async handle({ caller, body: { name, definition, info = {} }, connection }) {
      const actor = { caller, address: connection.remoteAddress };
      return created(details(await stored.create(actor, name, { params: definition, info })));
    },
  });

const getGuardrail = ({ stored }: GuardrailRouteDeps) =>
  route({
    ...shared,
    method: "GET",
    paths: ["/api/admin/guardrails/{id}"],
    summary: "Show a guardrail",
    params: Named,
    success: GuardrailDetails,
    errors: ["not_found"],
    handle: async ({ params }) => json(details(stored.get(params.id))),
  });

const updateGuardrail = ({ stored }: GuardrailRouteDeps) =>
  route({
    ...shared,
    method: "PUT",
    paths: ["/api/admin/guardrails/{id}"],
    summary: "Change a stored guardrail",
    description: "The definition takes the place of the one before. A guardrail of the configuration file: 409.",
    params: Named,
    body: UpdateGuardrailBody,
    success: GuardrailDetails,
    errors: ["invalid_request", "not_found", "conflict"],
    async handle({ caller, params, body: { definition, info = {} }, connection }) {
      const actor = { caller, address: connection.remoteAddress };
      return json(details(await stored.update(actor, params.id, { params: definition, info })));
    },
  });

const removeGuardrail = ({ stored }: GuardrailRouteDeps) =>
  route({
    ...shared,
    method: "DELETE",
    paths: ["/api/admin/guardrails/{id}"],
    summary: "Remove a stored guardrail",
    description: "Keys and teams that name it cannot call (403) until it is taken off them.",
    params: Named,
    success: Done,
    errors: ["invalid_request", "not_found", "conflict"],
    async handle({ caller, params, connection }) {
      await stored.remove({ caller, address: connection.remoteAddress }, params.id);
      return json({ success: true });
    },
  });

const LISTED: Partial<Record<GuardrailKind, readonly string[]>> = {
  pii: PERSONAL_ENTITIES,
  secrets: SECRET_ENTITIES,
};

function view({ definition, source, faults, createdAt, updatedAt }: SeenGuardrail) {
  const { name, kind, modes, defaultOn, action, reversible, entities, info } = definition;
  return {
    id: name,
    name,
    kind,
    modes: [...modes],
    defaultOn,
    action,
    reversible,
    entities: entities ?? LISTED[kind] ?? null,
    info,
    source,
    faults: [...faults],
    createdAt: instant(createdAt),
    updatedAt: instant(updatedAt),
  };
}

const details = (seen: SeenGuardrail) => ({ ...view(seen), definition: seen.params });

const instant = (atMs: number | null): string | null => (atMs === null ? null : new Date(atMs).toISOString());

const listGuardrails = ({ guardrails }: GuardrailRouteDeps) =>
  route({
    method: "GET",
    paths: ["/guardrails/list", "/v2/guardrails/list"],
    tag: "Guardrails",
    summary: "List guardrails that a request can name",
    auth: "any",
    success: GuardrailListing,
    errors: [],
    handle: async () =>
      json({
        guardrails: guardrails().definitions.map(({ name, kind, modes, defaultOn, info }) => ({
          guardrail_name: name,
          litellm_params: { guardrail: kind, mode: [...modes], default_on: defaultOn },
          guardrail_info: info,
        })),
      }),
  });
