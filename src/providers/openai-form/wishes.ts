import type { ChatRequest } from "../../contract/chat.ts";
import { GatewayError } from "../../contract/errors.ts";
import { isRecord } from "../../lib/json.ts";

/** What the answer's text has to be: anything, any JSON object, or JSON that fits a schema. */
export type AnswerForm = "text" | "json" | { readonly schema: Readonly<Record<string, unknown>> };

export function answerForm(request: ChatRequest): AnswerForm {
  const format: unknown = request.response_format;
  if (!isRecord(format) || format.type === undefined || format.type === "text") return "text";
  const named = format.json_schema;
  // OpenAI wraps the schema together with a name; some providers have it bare, also under `json_object`.
  const schema = isRecord(named) && isRecord(named.schema) ? named.schema : (named ?? format.schema);
  if (isRecord(schema)) return { schema };
  if (format.type === "json_object") return "json";
  throw unknownFormat();
}

/** A form of answer that nobody keeps would be given as prose. */
export function requireKnownFormat(format: unknown): void {
  if (isRecord(format) && format.type !== undefined && !FORMATS.has(format.type)) throw unknownFormat();
}

const FORMATS: ReadonlySet<unknown> = new Set(["text", "json_object", "json_schema"]);

const unknownFormat = (): GatewayError =>
  new GatewayError("invalid_request", "`response_format` is neither text, json_object nor a json_schema.", {
    param: "response_format",
  });

export const stopList = ({ stop }: ChatRequest): readonly string[] | undefined =>
  typeof stop === "string" ? [stop] : (stop ?? undefined);

/** The limit of the answer under its newer name, else under its older one. */
export function tokensMax(request: ChatRequest): unknown {
  const fields: Readonly<Record<string, unknown>> = request;
  return fields.max_completion_tokens ?? fields.max_tokens ?? undefined;
}

export function reasoningEffort(request: Readonly<Record<string, unknown>>): string | null {
  const effort = request.reasoning_effort ?? null;
  if (effort === null || (typeof effort === "string" && EFFORTS.has(effort))) return effort;
  throw new GatewayError("invalid_request", `\`reasoning_effort\` is one of ${[...EFFORTS].join(", ")}.`, {
    param: "reasoning_effort",
  });
}

const EFFORTS: ReadonlySet<string> = new Set(["none", "minimal", "low", "medium", "high", "xhigh", "max"]);
