export interface GuardrailView {
  readonly name: string;
  readonly kind: Kind | "webhook" | "plugin";
  readonly modes: readonly Mode[];
  readonly defaultOn: boolean;
  readonly action: "mask" | "block";
  readonly reversible: boolean;
  readonly entities: readonly string[] | null;
  readonly source: "configuration" | "database";
  /** Why it does not look at anything. */
  readonly faults: readonly string[];
}

export interface GuardrailDetails extends GuardrailView {
  /** Null for those of the configuration file. */
  readonly definition: Readonly<Record<string, unknown>> | null;
}

export const GUARDRAILS_KEY = ["operator", "guardrails"] as const;

export interface TryAnswer {
  readonly action: "mask" | "block";
  readonly blocked: boolean;
  readonly findings: readonly {
    readonly category: string;
    readonly start: number | null;
    readonly end: number | null;
  }[];
  readonly maskedText: string | null;
}

/** Kinds that ask nobody outside: they can be made here. */
export const KINDS = {
  pii: "Personal data",
  secrets: "Secrets",
  regex: "Patterns",
  word_list: "Words",
  prompt_length: "Length of the prompt",
  json_schema: "JSON schema of answers",
  moderation: "What a moderation model flags",
} as const;
export type Kind = keyof typeof KINDS;

export const KIND_NAMES: Readonly<Record<GuardrailView["kind"], string>> = {
  ...KINDS,
  webhook: "Webhook",
  plugin: "Plugin",
};

export const MODES = {
  pre_call: "before the call",
  during_call: "beside the call",
  post_call: "at the answer",
  logging_only: "at what is stored",
} as const;
export type Mode = keyof typeof MODES;

export const ENTITIES: Readonly<Partial<Record<Kind, readonly string[]>>> = {
  pii: ["email", "credit_card", "iban", "us_ssn", "ip_address", "phone"],
  secrets: ["private_key", "api_key", "jwt", "password", "high_entropy"],
};

/** A guardrail that is being written. */
export type Draft = {
  /** The one that is changed; null for a new one. */
  kept: string | null;
  name: string;
  kind: Kind;
  modes: Mode[];
  defaultOn: boolean;
  action: "mask" | "block";
  entities: string[];
  patterns: string;
  words: string;
  wholeWords: boolean;
  maxCharacters: string | number;
  schema: string;
  model: string;
  /** What the one that is changed has beside all this; it stays. */
  rest: Readonly<Record<string, unknown>>;
};

export const NEW_DRAFT: Draft = {
  kept: null,
  name: "",
  kind: "pii",
  modes: ["pre_call"],
  defaultOn: true,
  action: "mask",
  entities: [],
  patterns: "",
  words: "",
  wholeWords: true,
  maxCharacters: 10_000,
  schema: '{"type": "object"}',
  model: "",
  rest: {},
};

/** One of the file as a beginning; what it keeps to itself (patterns, words) is written anew. */
export const copyOf = (view: GuardrailView): Draft => ({
  ...NEW_DRAFT,
  name: `${view.name} 2`,
  kind: view.kind in KINDS ? (view.kind as Kind) : "pii",
  modes: [...view.modes],
  defaultOn: view.defaultOn,
  action: view.action,
  entities: [...(view.entities ?? [])],
});

/** One that is kept, with all that it was given. */
export function draftOf(details: GuardrailDetails): Draft {
  const { definition } = details;
  if (definition === null) return copyOf(details);
  const { entities, patterns, words, whole_words, max_characters, schema, model, ...rest } = definition;
  return {
    ...copyOf(details),
    kept: details.name,
    name: details.name,
    entities: listOf(entities).map(String),
    patterns: listOf(patterns)
      .map((one) => sourceOf(one))
      .join("\n"),
    words: listOf(words).join("\n"),
    wholeWords: whole_words !== false,
    maxCharacters: typeof max_characters === "number" ? max_characters : "",
    schema: JSON.stringify(schema ?? {}, null, 2),
    model: typeof model === "string" ? model : "",
    rest: { ...rest, ...(patterns ? { patterns } : {}) },
  };
}

const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);

/** A pattern may have a name, under which what it finds is told. */
const sourceOf = (one: unknown): string => {
  const { pattern } = (typeof one === "object" && one !== null ? one : { pattern: one }) as { pattern?: unknown };
  return String(pattern ?? "");
};

export const canMask = (kind: Kind): boolean => !["prompt_length", "json_schema", "moderation"].includes(kind);

const lines = (text: string): string[] =>
  text
    .split("\n")
    .map((line) => line.trim())
    .filter((line) => line !== "");

/** As the configuration file names its parameters. A schema that is no JSON is refused here, in words. */
export function paramsOf(draft: Draft): Record<string, unknown> {
  const { kind, rest } = draft;
  const named = new Map(listOf(rest.patterns).map((one) => [sourceOf(one), one]));
  const { patterns: _, ...others } = rest.guardrail === kind ? rest : {};
  return {
    ...others,
    guardrail: kind,
    mode: kind === "json_schema" ? ["post_call"] : draft.modes,
    default_on: draft.defaultOn,
    action: canMask(kind) ? draft.action : "block",
    ...(ENTITIES[kind] && draft.entities.length > 0 ? { entities: draft.entities } : {}),
    ...(kind === "regex" ? { patterns: lines(draft.patterns).map((line) => named.get(line) ?? line) } : {}),
    ...(kind === "word_list" ? { words: lines(draft.words), whole_words: draft.wholeWords } : {}),
    ...(kind === "prompt_length" && draft.maxCharacters !== "" ? { max_characters: Number(draft.maxCharacters) } : {}),
    ...(kind === "json_schema" ? { schema: readSchema(draft.schema) } : {}),
    ...(kind === "moderation" ? { model: draft.model } : {}),
  };
}

export function readSchema(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

/** An entry for the file. JSON values are YAML, too, so nothing that was typed can break out of its place. */
export function yamlOf(draft: Draft): string {
  const params = Object.entries(paramsOf(draft)).map(([name, value]) => `      ${name}: ${JSON.stringify(value)}`);
  return [
    "guardrails:",
    `  - guardrail_name: ${JSON.stringify(draft.name || "my guardrail")}`,
    "    litellm_params:",
    ...params,
  ].join("\n");
}
