import { CREDENTIAL_FIELDS, GATEWAY_FIELDS, INPUT_FIELDS, OPENAI_PARAMS, type Operation } from "../contract/params.ts";

const KNOWN = new Map<Operation, ReadonlySet<string>>(
  Object.entries(OPENAI_PARAMS).map(([operation, names]) => [operation as Operation, new Set(names)]),
);

/** Goes along where fields are copied, and into no JSON. */
const INSISTED = Symbol("insisted on");

interface Insisted {
  [INSISTED]?: readonly string[];
}

/** Has a parameter of OpenAI's passed as it is to a provider that is not known to take it. */
export function insistOn(fields: object, name: string): void {
  (fields as Insisted)[INSISTED] = [...insistedOn(fields), name];
}

export const insistedOn = (fields: object): readonly string[] => (fields as Insisted)[INSISTED] ?? [];

/** Fields that OpenAI's interface does not have, or that are insisted on: passed through to a provider as they are. */
export function extraFields(operation: Operation, request: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const known = KNOWN.get(operation);
  const extra: Record<string, unknown> = {};
  for (const name in request) {
    const ours = known?.has(name) || INPUT_FIELDS.has(name) || GATEWAY_FIELDS.has(name) || CREDENTIAL_FIELDS.has(name);
    if (!ours && request[name] !== null) extra[name] = request[name];
  }
  for (const name of insistedOn(request)) extra[name] = request[name];
  return extra;
}
