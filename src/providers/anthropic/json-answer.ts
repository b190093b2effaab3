import { GatewayError } from "../../contract/errors.ts";
import { isRecord } from "../../lib/json.ts";
import { requireKnownFormat } from "../openai-form/wishes.ts";
import type { ModelTraits } from "./model-traits.ts";
import { nativeSchema } from "./native-schema.ts";
import { asksForThinking } from "./thinking.ts";
import { inputSchema, type NamedTool } from "./tools.ts";

type Fields = Readonly<Record<string, unknown>>;

/** The tool by which models without a JSON format hand over their answer; its input becomes the content again. */
export const JSON_TOOL = "json_tool_call";

/** How `response_format` is kept: one of the three, or none when prose is welcome. */
export interface JsonAnswer {
  readonly format?: Fields;
  readonly tool?: NamedTool;
  readonly instruction?: string;
}

const PROSE: JsonAnswer = {};
const JSON_FORMATS: ReadonlySet<unknown> = new Set(["json_object", "json_schema"]);

export const wantsJson = (request: Fields): boolean =>
  isRecord(request.response_format) && JSON_FORMATS.has(request.response_format.type);

/**
 * Anthropic's own format binds the model best, but only newer models have it, and not for every schema. A forced tool
 * binds as well, except beside thinking and with models that refuse to be forced; for those a sentence has to do.
 */
export function jsonAnswer(request: Fields, traits: ModelTraits): JsonAnswer {
  requireKnownFormat(request.response_format);
  if (!wantsJson(request)) return PROSE;
  const schema = askedSchema(request.response_format);
  const native = traits.nativeFormat && schema !== null ? nativeSchema(schema) : null;
  if (native !== null) return { format: { type: "json_schema", schema: native } };
  if (traits.forcedTools && isToolSchema(schema) && !asksForThinking(request)) return { tool: answerTool(schema) };
  return { instruction: jsonInstruction(schema) };
}

/** A tool's input is an object, and may not be a choice of several at its root. */
export const isToolSchema = (schema: Fields | null): boolean =>
  schema === null ||
  ((schema.type ?? "object") === "object" && !["anyOf", "oneOf", "allOf"].some((name) => name in schema));

/** The schema of a `json_schema` format, null for the formats that have none. */
export function askedSchema(format: unknown): Fields | null {
  if (!isRecord(format) || format.type !== "json_schema") return null;
  const schema = isRecord(format.json_schema) ? format.json_schema.schema : null;
  if (isRecord(schema)) return schema;
  throw new GatewayError("invalid_request", "A response_format of type json_schema needs json_schema.schema.", {
    param: "response_format",
  });
}

const answerTool = (schema: Fields | null): NamedTool => ({
  name: JSON_TOOL,
  description: "Gives the answer to the user. The input is the whole answer, as the user asked for it.",
  input_schema: inputSchema(schema ?? { type: "object", additionalProperties: true }),
});

/** What a model is told that nothing else can bind to the form. */
export function jsonInstruction(schema: Fields | null): string {
  const form = "Answer with JSON alone: no code fence, no word before or after it.";
  return schema === null
    ? `${form} It has to be one object.`
    : `${form} It has to fit this JSON schema: ${JSON.stringify(schema)}`;
}
