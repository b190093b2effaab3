import { GatewayError } from "../../contract/errors.ts";
import {
  type GuardrailDefinition,
  GuardrailListing,
  GuardrailTestAnswer,
  GuardrailTestBody,
  GuardrailView,
  guardrailFaults,
  OFFLINE_KINDS,
  PERSONAL_ENTITIES,
  SECRET_ENTITIES,
  toGuardrail,
} from "../../contract/guardrails.ts";
import { cutPage, PagedList, PageQuery, paged, pageOf } from "../../contract/paging.ts";
import { buildGuard } from "../../guardrails/build-guard.ts";
import type { Guard, JudgeServices } from "../../guardrails/guard.ts";
import type { GuardrailSet } from "../../guardrails/guardrail-set.ts";
import { tryOut } from "../../guardrails/try-out.ts";
import { json } from "../../http/reply.ts";
import { type Route, route } from "../../http/route.ts";

export interface GuardrailRouteDeps {
  readonly guardrails: () => GuardrailSet;
  readonly services: JudgeServices;
}

export const guardrailRoutes = (deps: GuardrailRouteDeps): Route[] => [
  showGuardrails(deps),
  testGuardrail(deps),
  listGuardrails(deps),
];

const showGuardrails = ({ guardrails }: GuardrailRouteDeps) =>
  route({
    method: "GET",
    paths: ["/api/admin/guardrails"],
    tag: "Guardrails",
    summary: "Show the guardrails of the configuration",
    description: "Their order is that in which they look. Secrets, patterns and words are not shown.",
    auth: "admin",
    query: PageQuery,
    success: PagedList(GuardrailView),
    errors: [],
    async handle({ query }) {
      const { definitions } = guardrails();
      const page = pageOf(query);
      return json(paged(cutPage(definitions.map(view), page), page, definitions.length));
    },
  });

const LISTED: Partial<Record<GuardrailDefinition["kind"], readonly string[]>> = {
  pii: PERSONAL_ENTITIES,
  secrets: SECRET_ENTITIES,
};

const view = ({ name, kind, modes, defaultOn, action, reversible, entities, info }: GuardrailDefinition) => ({
  id: name,
  name,
  kind,
  modes: [...modes],
  defaultOn,
  action,
  reversible,
  entities: entities ?? LISTED[kind] ?? null,
  info,
});

const testGuardrail = (deps: GuardrailRouteDeps) =>
  route({
    method: "POST",
    paths: ["/api/admin/guardrails/test"],
    tag: "Guardrails",
    summary: "Try a guardrail on a text",
    description:
      "By its `name`, or with a `definition` in place of it: `litellm_params` of an entry, of a kind that asks nobody. Nothing is " +
      "stored or charged. `start` and `end` count UTF-16 units; they are null where it is the text as a whole.",
    auth: "admin",
    body: GuardrailTestBody,
    success: GuardrailTestAnswer,
    errors: ["invalid_request", "not_found", "unavailable"],
    async handle({ body }) {
      const guard = guardOf(deps, body);
      const { findings, blocked, maskedText } = await tryOut(guard, body.text);
      return json({
        name: body.name ?? null,
        action: guard.action,
        blocked,
        findings: findings.map(place),
        maskedText,
      });
    },
  });

const place = ({ category, start, end }: { category: string; start: number | null; end: number | null }) => ({
  category,
  start,
  end,
});

function guardOf({ guardrails, services }: GuardrailRouteDeps, { name, definition }: GuardrailTestBody): Guard {
  if ((name === undefined) === (definition === undefined))
    throw invalid("name", "send either the name of a guardrail or a definition.");
  if (name !== undefined) {
    const found = guardrails().find(name);
    if (!found) throw new GatewayError("not_found", "There is no such guardrail.");
    return found;
  }
  if (definition === undefined) throw invalid("definition", "is missing.");
  // Whoever runs the installation says in its file whom it asks and what code it runs; a session does not.
  if (!OFFLINE_KINDS.includes(definition.guardrail))
    throw invalid("definition", `only ${OFFLINE_KINDS.join(", ")} can be tried without an entry in the file.`);
  const [fault] = guardrailFaults(definition);
  if (fault) throw invalid("definition", `${fault.param}: ${fault.message}`);
  try {
    return buildGuard(toGuardrail("definition", definition), services);
  } catch (cause) {
    throw invalid("definition", cause instanceof Error ? `a pattern ${cause.message}` : "does not fit");
  }
}

const invalid = (param: string, reason: string): GatewayError =>
  new GatewayError("invalid_request", `${param}: ${reason}`, { param });

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
