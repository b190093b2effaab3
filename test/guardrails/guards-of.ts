import { type GuardrailParams, toGuardrail } from "../../src/contract/guardrails.ts";
import type { CallGuards } from "../../src/guardrails/call-guards.ts";
import type { JudgeServices } from "../../src/guardrails/guard.ts";
import { GuardrailSet } from "../../src/guardrails/guardrail-set.ts";

const nothing = () => {
  throw new Error("nobody is asked here");
};
const services: JudgeServices = {
  countTokens: nothing,
  moderate: nothing,
  post: nothing,
  load: nothing,
  failed: nothing,
  nowMs: () => 0,
  newId: () => "id",
};
const call = { callId: "c", model: "m", signal: new AbortController().signal };

/** The guardrails of one call; they have nobody to ask. */
export function guardsOf(...entries: GuardrailParams[]): CallGuards {
  const definitions = entries.map((params, index) => toGuardrail(`g${index}`, { default_on: true, ...params }));
  const guards = new GuardrailSet(definitions, services).of(call, [], null);
  if (!guards) throw new Error("no guards");
  return guards;
}
