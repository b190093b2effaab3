export interface GuardrailView {
  readonly name: string;
  readonly kind: Kind | "moderation" | "webhook" | "plugin";
  readonly modes: readonly Mode[];
  readonly defaultOn: boolean;
  readonly action: "mask" | "block";
  readonly reversible: boolean;
  readonly entities: readonly string[] | null;
}

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

/** Kinds that ask nobody: they can be written and tried here. */
export const KINDS = {
  pii: "Personal data",
  secrets: "Secrets",
  regex: "Patterns",
  word_list: "Words",
  prompt_length: "Length of the prompt",
  json_schema: "JSON schema of answers",
} as const;
export type Kind = keyof typeof KINDS;

export const KIND_NAMES: Readonly<Record<GuardrailView["kind"], string>> = {
  ...KINDS,
  moderation: "Moderation model",
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
};

export const NEW_DRAFT: Draft = {
  name: "my guardrail",
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
};

/** A configured one as a beginning; what it keeps to itself (patterns, words) is written anew. */
export const draftOf = (view: GuardrailView): Draft => ({
  ...NEW_DRAFT,
  name: view.name,
  kind: view.kind in KINDS ? (view.kind as Kind) : "pii",
  modes: [...view.modes],
  defaultOn: view.defaultOn,
  action: view.action,
  entities: [...(view.entities ?? [])],
});

export const canMask = (kind: Kind): boolean => kind !== "prompt_length" && kind !== "json_schema";

const lines = (text: string): string[] =>
  text
    .split("\n")
    .map((line) => line.trim())
    .filter((line) => line !== "");

/** As the configuration file names its parameters. A schema that is no JSON is refused here, in words. */
export function paramsOf(draft: Draft): Record<string, unknown> {
  const { kind } = draft;
  return {
    guardrail: kind,
    mode: kind === "json_schema" ? ["post_call"] : draft.modes,
    default_on: draft.defaultOn,
    action: canMask(kind) ? draft.action : "block",
    ...(ENTITIES[kind] && draft.entities.length > 0 ? { entities: draft.entities } : {}),
    ...(kind === "regex" ? { patterns: lines(draft.patterns) } : {}),
    ...(kind === "word_list" ? { words: lines(draft.words), whole_words: draft.wholeWords } : {}),
    ...(kind === "prompt_length" ? { max_characters: Number(draft.maxCharacters) } : {}),
    ...(kind === "json_schema" ? { schema: readSchema(draft.schema) } : {}),
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
  return ["guardrails:", `  - guardrail_name: ${JSON.stringify(draft.name)}`, "    litellm_params:", ...params].join(
    "\n",
  );
}
