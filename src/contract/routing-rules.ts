import Type, { type Static } from "typebox";

/** Aliases, fallbacks and the mark-up as operators see and set them while the program runs. */
export const FALLBACK_KINDS = ["general", "context_window", "content_policy"] as const;

const Name = Type.String({ minLength: 1, maxLength: 512 });
const Source = Type.Enum(["configuration", "database"], {
  description: "`database`: set at run time; it takes the place of what the configuration file says.",
});
const TARGETS_MAX = 20;
const PERCENT_MAX = 10_000;

export const AliasView = Type.Object({
  alias: Type.String({ description: "Another name that callers may use." }),
  model: Type.String({ description: "The group that it stands for." }),
  hidden: Type.Boolean({ description: "It can be called, but no list of models has it." }),
  source: Source,
  configured: Type.Union([Type.Object({ model: Type.String(), hidden: Type.Boolean() }), Type.Null()], {
    description: "What the configuration file says; null where it says nothing.",
  }),
});
export type AliasView = Static<typeof AliasView>;

export const SetAliasBody = Type.Object(
  { model: Name, hidden: Type.Optional(Type.Boolean()) },
  { additionalProperties: false, examples: [{ model: "gpt-4o", hidden: false }] },
);

export const FallbackView = Type.Object({
  kind: Type.Enum([...FALLBACK_KINDS], {
    description:
      "`general` for any failure, `context_window` for prompts that are too long, `content_policy` for refused content.",
  }),
  group: Type.String({ description: "`*` for groups that have no list of their own." }),
  targets: Type.Array(Type.String(), { description: "Who stands in, in their order; empty: nobody." }),
  source: Source,
  configured: Type.Union([Type.Array(Type.String()), Type.Null()], {
    description: "What the configuration file says; null where it says nothing.",
  }),
});
export type FallbackView = Static<typeof FallbackView>;

export const SetFallbackBody = Type.Object(
  {
    targets: Type.Array(Name, {
      maxItems: TARGETS_MAX,
      uniqueItems: true,
      description: "In their order; empty: nobody stands in.",
    }),
  },
  { additionalProperties: false, examples: [{ targets: ["gpt-4o-mini", "claude-haiku"] }] },
);

export const MarkupView = Type.Object({
  percent: Type.Number({ description: "Put on top of the providers' prices, where a model says nothing of its own." }),
  source: Source,
  configured: Type.Number({ description: "What the configuration file says." }),
});
export type MarkupView = Static<typeof MarkupView>;

export const SetMarkupBody = Type.Object(
  { percent: Type.Number({ minimum: 0, maximum: PERCENT_MAX }) },
  { additionalProperties: false, examples: [{ percent: 12.5 }] },
);

export const AliasName = Type.Object({ alias: Name });
export const FallbackName = Type.Object({
  kind: Type.String({ description: `One of ${FALLBACK_KINDS.join(", ")}.` }),
  group: Name,
});
