import type { Operation } from "../../contract/params.ts";
import type { ProviderId } from "../../contract/provider-ids.ts";
import type { MessageRules } from "../openai/messages.ts";

/** One upstream that speaks OpenAI's interface. Everything that sets it apart is data here. */
export interface Row {
  readonly id: ProviderId;
  /** For people. */
  readonly title: string;
  /**
   * Where it is, with `{blanks}` that `blanks` fills. Absent: the operator must say. In any case `api_base` of the
   * deployment and the variable `<ID>_API_BASE` come first.
   */
  readonly base?: string;
  readonly blanks?: Readonly<Record<string, Blank>>;
  /** Variables that may hold the key, the usual one first. */
  readonly key: readonly string[];
  /** It answers without a key, too. */
  readonly keyless?: boolean;
  /** A header for the key other than `Authorization: Bearer`. */
  readonly keyHeader?: string;
  /** What it can be asked; by default only chat. */
  readonly operations?: readonly Operation[];
  /** Chat parameters that it lacks of the common ones, or has beyond them: names with spaces between. */
  readonly lacks?: string;
  readonly adds?: string;
  /** Chat parameters that single models lack besides. */
  readonly lacksByModel?: readonly { readonly models: RegExp; readonly lacks: string }[];
  /** Parameters of other operations, where they are not all of OpenAI's. */
  readonly params?: Readonly<Partial<Record<Operation, string>>>;
  readonly quirks?: Quirks;
}

interface Blank {
  /** The deployment's parameter, then the environment's variables, then this. */
  readonly param?: string;
  readonly variables: readonly string[];
  readonly otherwise?: string;
}

/** Changes to a request, and to what comes back. */
export interface Quirks {
  /**
   * Parameters under the upstream's names, beside `max_completion_tokens`, which is `max_tokens` unless a row says
   * otherwise; null keeps a name as it is. `limit-names.ts` has the usual cases.
   */
  readonly rename?: Readonly<Record<string, string | null>>;
  /** Values under the upstream's names; null leaves the parameter out. */
  readonly values?: Readonly<Record<string, Readonly<Record<string, string | null>>>>;
  /** The range that the upstream takes; what lies outside is moved to its edge. */
  readonly clamp?: Readonly<Record<string, readonly [min: number, max: number]>>;
  /** Only JSON in general can be asked for, so that a schema is told to the model in words. */
  readonly schemaInWords?: boolean;
  /** No tool can be forced on its models, so that they are asked to call one. */
  readonly insistsInWords?: boolean;
  /** Fields, or `fields.of.fields`, by which a caller would have another model answer than the one that is checked and priced. */
  readonly withholds?: readonly string[];
  /** Goes before model names that have no slash. */
  readonly modelPrefix?: string;
  /** Further headers, from the environment or fixed. */
  readonly headers?: Readonly<Record<string, { readonly variable?: string; readonly otherwise?: string }>>;
  readonly messages?: MessageRules;
  /** It refuses `stream_options` and ends a stream with its usage unasked. */
  readonly refusesStreamOptions?: boolean;
  /** Fields of a delta under other names than ours. */
  readonly renameDelta?: Readonly<Record<string, string>>;
  /** The content of an answer may be a list of thoughts and text, so that answers are read and not relayed. */
  readonly thinkingParts?: boolean;
  /** The usage of embeddings has only a total. */
  readonly totalTokensOnly?: boolean;
}
