import { badRequest } from "../failure.ts";
import type { Fields } from "../fields.ts";
import { findFlag, findInteger, findNumber, findObject, findText, getText } from "../fields.ts";
import { OUTPUT_TOKENS_MAX, parseStops } from "../text/cut.ts";
import { countTokens } from "../text/tokenize.ts";
import type { Message } from "./messages.ts";
import { parseMessages, REPLY_OVERHEAD_TOKENS } from "./messages.ts";
import type { ToolRequest } from "./tools.ts";
import { parseToolRequest } from "./tools.ts";

type AnswerFormat =
  | { readonly type: "text" }
  | { readonly type: "json_object" }
  | { readonly type: "json_schema"; readonly schema: unknown };

export interface ChatRequest {
  readonly model: string;
  readonly messages: readonly Message[];
  readonly tools: ToolRequest;
  readonly format: AnswerFormat;
  readonly stops: readonly string[];
  readonly tokensMax: number;
  readonly choices: number;
  readonly isStream: boolean;
  readonly includeUsage: boolean;
  /** How many alternatives each piece is given with; undefined when no logprobs were asked for. */
  readonly topLogprobs: number | undefined;
  readonly promptTokens: number;
}

export function parseChatRequest(body: Fields): ChatRequest {
  const messages = parseMessages(body);
  findNumber(body, "temperature", { min: 0, max: 2 });
  findNumber(body, "top_p", { min: 0, max: 1 });
  const choices = findInteger(body, "n", { min: 1, max: 128 }) ?? 1;
  const topLogprobs = parseTopLogprobs(body);
  return {
    model: getText(body, "model"),
    messages,
    tools: parseToolRequest(body),
    format: parseFormat(body),
    stops: parseStops(body),
    tokensMax: Math.min(parseTokensMax(body), shareOfOutput(choices, topLogprobs)),
    choices,
    isStream: findFlag(body, "stream") ?? false,
    includeUsage: parseIncludeUsage(body),
    topLogprobs,
    promptTokens: countPrompt(body, messages),
  };
}

/** OpenAI refuses `stream_options` without `stream`, so echo does. */
export function parseIncludeUsage(body: Fields): boolean {
  const options = findObject(body, "stream_options");
  if (options === undefined) return false;
  if (body.stream === true) return findFlag(options, "include_usage") ?? false;
  throw badRequest("'stream_options' is only allowed with 'stream': true.", "stream_options", "invalid_value");
}

/** All choices together, with the alternatives of their pieces, stay below what fits into an answer of a few megabytes. */
const PIECES_MAX = 100_000;

const shareOfOutput = (choices: number, topLogprobs: number | undefined): number =>
  Math.max(1, Math.floor(PIECES_MAX / (choices * (1 + (topLogprobs ?? 0)))));

function parseTokensMax(body: Fields): number {
  const range = { min: 1, max: 10_000_000 };
  const asked = findInteger(body, "max_completion_tokens", range) ?? findInteger(body, "max_tokens", range);
  return Math.min(asked ?? OUTPUT_TOKENS_MAX, OUTPUT_TOKENS_MAX);
}

function parseTopLogprobs(body: Fields): number | undefined {
  const top = findInteger(body, "top_logprobs", { min: 0, max: 20 });
  if (findFlag(body, "logprobs") === true) return top ?? 0;
  if (top === undefined || top === 0) return undefined;
  throw badRequest("'top_logprobs' needs 'logprobs': true.", "top_logprobs", "invalid_value");
}

const SCHEMA_CHARS_MAX = 64 * 1024;

function boundedSchema(schema: unknown): unknown {
  if (JSON.stringify(schema).length <= SCHEMA_CHARS_MAX) return schema;
  throw badRequest(`A schema may have at most ${SCHEMA_CHARS_MAX} characters.`, "response_format", "invalid_value");
}

function parseFormat(body: Fields): AnswerFormat {
  const format = findObject(body, "response_format");
  if (format === undefined) return { type: "text" };
  const type = findText(format, "type");
  if (type === "text" || type === "json_object") return { type };
  const holder = type === "json_schema" ? findObject(format, "json_schema") : undefined;
  if (holder !== undefined) return { type: "json_schema", schema: boundedSchema(holder.schema ?? true) };
  throw badRequest(
    "'response_format' must be text, json_object, or json_schema with a schema.",
    "response_format",
    "invalid_value",
  );
}

/** Messages, and the definitions of tools and of the answer's schema, which a model reads as well. */
function countPrompt(body: Fields, messages: readonly Message[]): number {
  const definitions = [body.tools, body.functions, findObject(body, "response_format")?.json_schema];
  const read = definitions.map((value) => (value === undefined || value === null ? "" : JSON.stringify(value)));
  const definitionTokens = read.reduce((sum, text) => sum + countTokens(text), 0);
  return messages.reduce((sum, message) => sum + message.tokens, REPLY_OVERHEAD_TOKENS + definitionTokens);
}
