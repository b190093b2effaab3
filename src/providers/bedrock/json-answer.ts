import { isRecord } from "../../lib/json.ts";
import { askedSchema, isToolSchema, jsonInstruction, wantsJson } from "../anthropic/json-answer.ts";
import { modelTraits } from "../anthropic/model-traits.ts";
import { nativeSchema } from "../anthropic/native-schema.ts";
import { asksForThinking } from "../anthropic/thinking.ts";
import { inputSchema } from "../anthropic/tools.ts";
import { requireKnownFormat } from "../openai-form/wishes.ts";
import type { Block } from "./blocks.ts";
import type { BedrockModel } from "./model.ts";
import { type Choice, toolSpec } from "./tool-config.ts";

type Fields = Readonly<Record<string, unknown>>;

/** The tool by which a model hands over an answer in JSON; its input becomes the content again. */
export const ANSWER_TOOL = "gateway_json_answer";

/** How `response_format` is kept: by one of the three, or by none when prose is welcome. */
export interface JsonAnswer {
  readonly tool?: Block;
  /** The choice that forces the tool where it is the only one. */
  readonly alone?: Choice;
  readonly outputConfig?: Fields;
  readonly instruction?: string;
}

export const wantsSchema = (request: Fields): boolean =>
  isRecord(request.response_format) && request.response_format.type === "json_schema";

/**
 * A forced tool binds the model to the schema wherever the family can be forced. Claude cannot while it thinks, and its
 * newest models never; those have a format of their own. All others are told in words, as is `json_object`: an object
 * without a schema makes forced models answer `{}`.
 */
export function jsonAnswer(request: Fields, model: BedrockModel): JsonAnswer {
  requireKnownFormat(request.response_format);
  if (!wantsJson(request)) return {};
  const schema = askedSchema(request.response_format);
  if (schema === null) return { instruction: jsonInstruction(null) };
  const alone = isToolSchema(schema) ? forcedChoice(request, model) : null;
  if (alone !== null) return { tool: toolSpec(ANSWER_TOOL, ANSWER_TEXT, inputSchema(schema)), alone };
  const native = hasOwnFormat(request, model) ? nativeSchema(schema) : null;
  if (native === null) return { instruction: jsonInstruction(schema) };
  const jsonSchema = { schema: JSON.stringify(native), ...schemaName(request.response_format) };
  return { outputConfig: { textFormat: { type: "json_schema", structure: { jsonSchema } } } };
}

const ANSWER_TEXT = "Gives the answer to the user. The input is the whole answer, in the form that was asked for.";

function schemaName(format: unknown): { readonly name?: string } {
  const named = isRecord(format) && isRecord(format.json_schema) ? format.json_schema.name : null;
  return typeof named === "string" ? { name: named } : {};
}

/** Beside an effort, which is a model field of the same name, the format might be refused as a conflict. */
const hasOwnFormat = (request: Fields, { family, id }: BedrockModel): boolean =>
  family === "claude" && modelTraits(id).nativeFormat && typeof request.reasoning_effort !== "string";

/** Mistral's models can be made to call some tool, not a certain one; with a single tool that is the same. */
function forcedChoice(request: Fields, model: BedrockModel): Choice | null {
  switch (model.family) {
    case "claude":
      return modelTraits(model.id).forcedTools && !asksForThinking(request)
        ? { kind: "tool", name: ANSWER_TOOL }
        : null;
    case "nova":
      return { kind: "tool", name: ANSWER_TOOL };
    case "mistral":
      return { kind: "any" };
    default:
      return null;
  }
}
