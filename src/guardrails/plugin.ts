/** A guardrail of one's own: the default export of a TypeScript module. See docs/guardrails.md. */
export interface GuardrailPlugin {
  /** What is wrong with these texts; an empty list where nothing is. Throwing counts as not having been reached. */
  inspect(input: PluginInput): readonly PluginFinding[] | Promise<readonly PluginFinding[]>;
}

export interface PluginInput {
  /** The texts of the request, in its order; or a piece of the answer. */
  readonly texts: readonly string[];
  readonly phase: "request" | "answer";
  readonly callId: string;
  /** The name that the caller asked for. */
  readonly model: string;
  /** `options` of the guardrail's entry. */
  readonly options: Readonly<Record<string, unknown>>;
  /** `extra_body` that the request has for this guardrail. */
  readonly extra: Readonly<Record<string, unknown>>;
  /** Aborted when nobody waits any more. */
  readonly signal: AbortSignal;
}

export interface PluginFinding {
  /** A short name of what was found; the caller is told. */
  readonly category: string;
  /** Which of the texts. */
  readonly index?: number;
  /** Where in it, for masking: from `start` up to `end`. Without them it is the text as a whole, which cannot be masked. */
  readonly start?: number;
  readonly end?: number;
}

export const defineGuardrail = (plugin: GuardrailPlugin): GuardrailPlugin => plugin;
