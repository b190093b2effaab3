import { CREDENTIAL_FIELDS, GATEWAY_FIELDS, INPUT_FIELDS, OPENAI_PARAMS, type Operation } from "../contract/params.ts";

const KNOWN = new Map<Operation, ReadonlySet<string>>(
  Object.entries(OPENAI_PARAMS).map(([operation, names]) => [operation as Operation, new Set(names)]),
);

/** Fields that OpenAI's interface does not have: a provider's own, passed through to it as they are. */
export function extraFields(operation: Operation, request: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const known = KNOWN.get(operation);
  const extra: Record<string, unknown> = {};
  for (const name in request) {
    const ours = known?.has(name) || INPUT_FIELDS.has(name) || GATEWAY_FIELDS.has(name) || CREDENTIAL_FIELDS.has(name);
    if (!ours && request[name] !== null) extra[name] = request[name];
  }
  return extra;
}
