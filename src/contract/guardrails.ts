import Type, { type Static } from "typebox";
import { FOREIGN_GUARDRAILS, FOREIGN_SETTINGS } from "./foreign-guardrails.ts";
import { INSTEAD, nullable } from "./schema.ts";

export const GUARDRAIL_KINDS = [
  "secrets",
  "pii",
  "regex",
  "word_list",
  "prompt_length",
  "json_schema",
  "moderation",
  "webhook",
  "plugin",
] as const;
export type GuardrailKind = (typeof GUARDRAIL_KINDS)[number];

/** Those that ask nobody and run no code of others. */
export const OFFLINE_KINDS: readonly GuardrailKind[] = [
  "secrets",
  "pii",
  "regex",
  "word_list",
  "prompt_length",
  "json_schema",
];

/** Those that can be set while the program runs; whom else it asks and what code it runs, its file says. */
export const RUN_TIME_KINDS: readonly GuardrailKind[] = [...OFFLINE_KINDS, "moderation"];

const GUARDRAIL_MODES = ["pre_call", "during_call", "post_call", "logging_only"] as const;
export type GuardrailMode = (typeof GUARDRAIL_MODES)[number];

export const PERSONAL_ENTITIES = ["email", "credit_card", "iban", "us_ssn", "ip_address", "phone"] as const;
export const SECRET_ENTITIES = ["private_key", "api_key", "jwt", "password", "high_entropy"] as const;

/** A match of an operator's own pattern is no longer than this, unless the entry says otherwise. */
const MATCH_CHARS = 1_000;
const MATCH_CHARS_MAX = 16_384;
const WINDOW_CHARS_MAX = 100_000;

const Name = Type.String({ minLength: 1, maxLength: 100, pattern: "^[A-Za-z0-9][A-Za-z0-9_.:/ -]*$" });
const Mode = Type.Enum([...GUARDRAIL_MODES]);
const AnyObject = Type.Record(Type.String(), Type.Unknown());
const Pattern = Type.Object(
  { name: Type.String({ minLength: 1, maxLength: 60 }), pattern: Type.String({ minLength: 1, maxLength: 10_000 }) },
  { additionalProperties: false },
);

/** `litellm_params` of a guardrail, for all kinds at once; what a kind needs and has no use for is checked apart. */
export const GuardrailParams = Type.Object(
  {
    guardrail: Type.Enum([...GUARDRAIL_KINDS], {
      description: "What it looks for, or who is asked.",
      [INSTEAD]: FOREIGN_GUARDRAILS,
    }),
    mode: Type.Optional(Type.Union([Mode, Type.Array(Mode, { minItems: 1 })])),
    default_on: nullable(Type.Boolean()),
    action: nullable(Type.Enum(["mask", "block"])),
    reversible: nullable(Type.Boolean()),
    entities: nullable(Type.Array(Type.String(), { minItems: 1 })),
    patterns: nullable(
      Type.Array(Type.Union([Type.String({ minLength: 1, maxLength: 10_000 }), Pattern]), {
        minItems: 1,
        maxItems: 200,
      }),
    ),
    max_match_chars: nullable(Type.Integer({ minimum: 1, maximum: MATCH_CHARS_MAX })),
    words: nullable(Type.Array(Type.String({ minLength: 1, maxLength: 200 }), { minItems: 1, maxItems: 100_000 })),
    whole_words: nullable(Type.Boolean()),
    max_characters: nullable(Type.Integer({ minimum: 1 })),
    max_tokens: nullable(Type.Integer({ minimum: 1 })),
    schema: nullable(AnyObject),
    model: nullable(Type.String({ minLength: 1, maxLength: 512 })),
    categories: nullable(Type.Array(Type.String(), { minItems: 1 })),
    api_base: nullable(Type.String({ pattern: "^https?://" })),
    secret: nullable(Type.String({ minLength: 1 })),
    headers: nullable(Type.Record(Type.String(), Type.String())),
    timeout: nullable(Type.Number({ exclusiveMinimum: 0, maximum: 600 })),
    unreachable_fallback: nullable(Type.Enum(["fail_closed", "fail_open"])),
    window_chars: nullable(Type.Integer({ minimum: 1, maximum: WINDOW_CHARS_MAX })),
    module: nullable(Type.String({ minLength: 1 })),
    options: nullable(AnyObject),
  },
  { additionalProperties: false, [INSTEAD]: FOREIGN_SETTINGS },
);
export type GuardrailParams = Static<typeof GuardrailParams>;

/** One guardrail as it is configured, past its wire form. */
export interface GuardrailDefinition {
  readonly name: string;
  readonly kind: GuardrailKind;
  readonly modes: readonly GuardrailMode[];
  readonly defaultOn: boolean;
  readonly action: "mask" | "block";
  /** Whether what was masked in a request is put back in its answer. */
  readonly reversible: boolean;
  readonly entities: readonly string[] | null;
  readonly patterns: readonly { readonly name: string; readonly pattern: string }[];
  readonly matchCharsMax: number;
  readonly words: readonly string[];
  readonly wholeWords: boolean;
  readonly charactersMax: number | null;
  readonly tokensMax: number | null;
  readonly schema: Readonly<Record<string, unknown>> | null;
  readonly model: string | null;
  readonly categories: readonly string[] | null;
  readonly url: string | null;
  readonly secret: string | null;
  readonly headers: Readonly<Record<string, string>>;
  readonly timeoutMs: number;
  readonly failOpen: boolean;
  readonly windowChars: number;
  readonly module: string | null;
  readonly options: Readonly<Record<string, unknown>>;
  readonly info: Readonly<Record<string, unknown>>;
}

/** Kinds that can mask by themselves, which is all that can be done to what is stored. */
const FINDS_PLACES: readonly GuardrailKind[] = ["pii", "secrets", "regex", "word_list"];
const TIMEOUT_SECONDS = 5;
const WINDOW_CHARS = 1_000;

/** What a valid entry means, with what it leaves out. */
export function toGuardrail(
  name: string,
  params: GuardrailParams,
  info: Readonly<Record<string, unknown>> = {},
): GuardrailDefinition {
  const modes = params.mode === undefined ? ["pre_call" as const] : [params.mode].flat();
  const isMasking = modes.every((mode) => mode === "logging_only")
    ? FINDS_PLACES.includes(params.guardrail)
    : (params.guardrail === "pii" || params.guardrail === "secrets") && !modes.includes("during_call");
  return {
    name,
    kind: params.guardrail,
    modes: [...new Set(modes)],
    defaultOn: params.default_on ?? false,
    action: params.action ?? (isMasking ? "mask" : "block"),
    reversible: params.reversible ?? true,
    entities: params.entities ?? null,
    patterns: (params.patterns ?? []).map((one) => (typeof one === "string" ? { name: "pattern", pattern: one } : one)),
    matchCharsMax: params.max_match_chars ?? MATCH_CHARS,
    words: params.words ?? [],
    wholeWords: params.whole_words ?? true,
    charactersMax: params.max_characters ?? null,
    tokensMax: params.max_tokens ?? null,
    schema: params.schema ?? null,
    model: params.model ?? null,
    categories: params.categories ?? null,
    url: params.api_base ?? null,
    secret: params.secret ?? null,
    headers: params.headers ?? {},
    timeoutMs: (params.timeout ?? TIMEOUT_SECONDS) * 1000,
    failOpen: params.unreachable_fallback === "fail_open",
    windowChars: params.window_chars ?? WINDOW_CHARS,
    module: params.module ?? null,
    options: params.options ?? {},
    info,
  };
}

/** A parameter that does not fit the rest of its entry. */
export interface GuardrailFault {
  readonly param: string;
  readonly message: string;
  /** What stands there in place of something from a list. */
  readonly found?: string;
}

/** What each kind cannot do without. */
const NEEDED: Readonly<Record<GuardrailKind, readonly (keyof GuardrailParams)[]>> = {
  secrets: [],
  pii: [],
  regex: ["patterns"],
  word_list: ["words"],
  prompt_length: [],
  json_schema: ["schema"],
  moderation: ["model"],
  webhook: ["api_base", "secret"],
  plugin: ["module"],
};
/** Kinds that say no more than that something is wrong. */
const BLOCK_ONLY: readonly GuardrailKind[] = ["prompt_length", "json_schema", "moderation"];

export function guardrailFaults(params: GuardrailParams): GuardrailFault[] {
  const faults: GuardrailFault[] = [];
  const fault = (param: keyof GuardrailParams, message: string): number => faults.push({ param, message });
  const { kind, modes, action, entities } = toGuardrail("", params);
  for (const name of NEEDED[kind]) {
    if (params[name] === undefined || params[name] === null) fault("guardrail", `${kind} needs \`${name}\``);
  }
  if (kind === "prompt_length" && params.max_characters == null && params.max_tokens == null)
    fault("guardrail", "prompt_length needs `max_characters` or `max_tokens`");
  if (action === "mask" && modes.includes("during_call"))
    fault("action", "beside a call nothing can be masked any more; use `block`, or the mode pre_call");
  if (action === "mask" && BLOCK_ONLY.includes(kind)) fault("action", `${kind} can only block`);
  if (kind === "json_schema" && modes.some((mode) => mode !== "post_call"))
    fault("mode", "json_schema looks at answers: its mode is post_call");
  if (kind === "prompt_length" && modes.includes("post_call"))
    fault("mode", "prompt_length looks at requests: its mode is pre_call");
  if (kind === "json_schema" && hasPattern(params.schema))
    fault("schema", "`pattern` and `patternProperties` are not served here");
  const known: readonly string[] = kind === "secrets" ? SECRET_ENTITIES : PERSONAL_ENTITIES;
  for (const entity of entities ?? [])
    if (!known.includes(entity)) fault("entities", `there is no \`${entity}\`; possible are ${known.join(", ")}`);
  return faults;
}

/** An expression can be written to run for ever, and the text that it is tried on is a model's. */
function hasPattern(schema: unknown): boolean {
  if (typeof schema !== "object" || schema === null) return false;
  if (Array.isArray(schema)) return schema.some(hasPattern);
  return Object.entries(schema).some(
    ([name, part]) =>
      (name === "pattern" && typeof part === "string") || name === "patternProperties" || hasPattern(part),
  );
}

export const GuardrailTestBody = Type.Object(
  {
    name: Type.Optional(Name),
    definition: Type.Optional(GuardrailParams),
    text: Type.String({ maxLength: 400_000 }),
  },
  {
    additionalProperties: false,
    examples: [{ definition: { guardrail: "pii", action: "mask" }, text: "Write to bob@example.com" }],
  },
);
export type GuardrailTestBody = Static<typeof GuardrailTestBody>;

export const GuardrailTestAnswer = Type.Object({
  name: Type.Union([Type.String(), Type.Null()]),
  action: Type.Enum(["mask", "block"]),
  /** Whether a call with this text would be refused. */
  blocked: Type.Boolean(),
  findings: Type.Array(
    Type.Object({
      category: Type.String(),
      start: Type.Union([Type.Integer(), Type.Null()]),
      end: Type.Union([Type.Integer(), Type.Null()]),
    }),
  ),
  maskedText: Type.Union([Type.String(), Type.Null()]),
});

export const GuardrailView = Type.Object({
  id: Type.String({ description: "The name: it is the only one of its kind." }),
  name: Type.String(),
  kind: Type.Enum([...GUARDRAIL_KINDS]),
  modes: Type.Array(Mode),
  defaultOn: Type.Boolean(),
  action: Type.Enum(["mask", "block"]),
  reversible: Type.Boolean(),
  entities: Type.Union([Type.Array(Type.String()), Type.Null()], {
    description: "What it looks for, where that is chosen from a list; else null.",
  }),
  info: AnyObject,
  source: Type.Enum(["configuration", "database"], {
    description: "Those of the configuration file are changed there.",
  }),
  faults: Type.Array(Type.String(), { description: "Why it does not look at anything; empty where it does." }),
  createdAt: Type.Union([Type.String(), Type.Null()]),
  updatedAt: Type.Union([Type.String(), Type.Null()]),
});

/** One guardrail with everything that it was given. */
export const GuardrailDetails = Type.Object({
  ...GuardrailView.properties,
  definition: Type.Union([GuardrailParams, Type.Null()], {
    description: "Null for one of the configuration file, whose patterns and words are read there.",
  }),
});

/** No slash: it is part of an address. */
const RunTimeName = Type.String({
  minLength: 1,
  maxLength: 100,
  pattern: "^[A-Za-z0-9][A-Za-z0-9_.: -]*$",
  description: "Letters, digits, blanks and _ . : -",
});

const Kept = {
  definition: Type.Unsafe<GuardrailParams>({
    ...GuardrailParams,
    description: "`litellm_params` of an entry of the file.",
  }),
  info: Type.Optional(AnyObject),
};

export const CreateGuardrailBody = Type.Object(
  { name: RunTimeName, ...Kept },
  {
    additionalProperties: false,
    examples: [{ name: "code names", definition: { guardrail: "word_list", words: ["project falcon"] } }],
  },
);

export const UpdateGuardrailBody = Type.Object(Kept, {
  additionalProperties: false,
  examples: [{ definition: { guardrail: "word_list", words: ["project falcon", "project heron"] } }],
});

/** As gateway users read it. */
export const GuardrailListing = Type.Object({
  guardrails: Type.Array(
    Type.Object({
      guardrail_name: Type.String(),
      litellm_params: Type.Object({ guardrail: Type.String(), mode: Type.Array(Mode), default_on: Type.Boolean() }),
      guardrail_info: AnyObject,
    }),
  ),
});
