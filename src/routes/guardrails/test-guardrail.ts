import { readGuardrailParams } from "../../config/guardrail-params.ts";
import { GatewayError } from "../../contract/errors.ts";
import { GuardrailTestAnswer, GuardrailTestBody, OFFLINE_KINDS, toGuardrail } from "../../contract/guardrails.ts";
import { buildGuard } from "../../guardrails/build-guard.ts";
import type { Guard, JudgeServices } from "../../guardrails/guard.ts";
import type { GuardrailSet } from "../../guardrails/guardrail-set.ts";
import { runGuardrailTest } from "../../guardrails/run-guardrail-test.ts";
import { json } from "../../http/reply.ts";
import { route } from "../../http/route.ts";

export interface TestGuardrailDeps {
  readonly guardrails: () => GuardrailSet;
  readonly services: JudgeServices;
}

export const testGuardrail = (deps: TestGuardrailDeps) =>
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
      const { findings, blocked, maskedText } = await runGuardrailTest(guard, body.text);
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

function guardOf({ guardrails, services }: TestGuardrailDeps, { name, definition }: GuardrailTestBody): Guard {
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
    throw invalid("definition", `only ${OFFLINE_KINDS.join(", ")} can be tried before they are kept.`);
  const [fault] = readGuardrailParams(definition).faults;
  if (fault) throw invalid("definition", `${fault.param}: ${fault.message}`);
  return buildGuard(toGuardrail("definition", definition), services);
}

const invalid = (param: string, reason: string): GatewayError =>
  new GatewayError("invalid_request", `${param}: ${reason}`, { param });
