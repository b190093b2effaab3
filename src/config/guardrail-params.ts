import { Compile } from "typebox/compile";
import Schema from "typebox/schema";
import { type GuardrailFault, GuardrailParams, guardrailFaults } from "../contract/guardrails.ts";
import { isRecord } from "../lib/json.ts";
import { compilePattern } from "../lib/linear-pattern.ts";

/** Compiled for the first guardrail: most starts have none. */
let compiled: ReturnType<typeof newValidator> | null = null;
const newValidator = () => Compile(GuardrailParams);

export interface ReadGuardrailParams {
  /** Null where something is wrong with it. */
  readonly params: GuardrailParams | null;
  readonly faults: readonly GuardrailFault[];
}

/** A guardrail's `litellm_params`, wherever they come from, with everything that speaks against them. */
export function readGuardrailParams(value: unknown): ReadGuardrailParams {
  compiled ??= newValidator();
  const validator = compiled;
  if (!validator.Check(value)) {
    return { params: null, faults: schemaFaults(validator.Errors(value) as SchemaError[], value) };
  }
  const faults = [...guardrailFaults(value), ...patternFaults(value), ...wordFaults(value), ...circleFaults(value)];
  return { params: faults.length === 0 ? value : null, faults };
}

interface SchemaError {
  readonly instancePath: string;
  readonly message: string;
  readonly params: object;
}

/** One for each setting that does not fit: what it may be where that is a list, else what is said of it first. */
function schemaFaults(errors: readonly SchemaError[], value: unknown): readonly GuardrailFault[] {
  const faults = new Map<string, GuardrailFault>();
  for (const { instancePath, message, params } of errors) {
    const path = instancePath.split("/").slice(1);
    const param = path[0] ?? "guardrail";
    const allowed = "allowedValues" in params && Array.isArray(params.allowedValues) ? params.allowedValues : null;
    const found = allowed === null ? null : path.reduce(step, value);
    const told = typeof found === "string" ? { found } : {};
    if (allowed) faults.set(param, { param, message: `should be one of ${allowed.join(", ")}`, ...told });
    else if (!faults.has(param)) faults.set(param, { param, message: message.replace(/^must/, "should") });
  }
  return [...faults.values()];
}

const step = (value: unknown, key: string): unknown =>
  typeof value === "object" && value !== null && Object.hasOwn(value, key)
    ? (value as Record<string, unknown>)[key]
    : undefined;

function patternFaults({ patterns }: GuardrailParams): GuardrailFault[] {
  return (patterns ?? []).flatMap((one) => {
    const source = isRecord(one) ? String(one.pattern) : one;
    try {
      compilePattern(source);
      return [];
    } catch (thrown) {
      return [{ param: "patterns", message: `one of them ${thrown instanceof Error ? thrown.message : "is none"}` }];
    }
  });
}

/** A word of nothing but blanks is found nowhere, and somebody relies on it. */
const wordFaults = ({ words }: GuardrailParams): GuardrailFault[] =>
  (words ?? []).every((word) => /[^\s\p{C}]/u.test(word))
    ? []
    : [{ param: "words", message: "one of them has nothing that could be found" }];

const PROBES: readonly unknown[] = [null, true, 0, "", [], {}];

/** A schema that refers to itself before it says anything, such as `{"$ref": "#"}`, cannot be followed to an end. */
function circleFaults({ schema }: GuardrailParams): GuardrailFault[] {
  try {
    for (const probe of schema ? PROBES : []) Schema.Check(schema ?? {}, probe);
    return [];
  } catch {
    return [
      { param: "schema", message: "its references cannot be followed: they are missing, or go round in a circle" },
    ];
  }
}
