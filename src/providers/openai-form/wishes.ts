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
  throw new GatewayError("invalid_request", "`response_format` is neither text, json_object nor a json_schema.", {
    param: "response_format",
  });
}

export const stopList = ({ stop }: ChatRequest): readonly string[] | undefined =>
  typeof stop === "string" ? [stop] : (stop ?? undefined);

/** The limit of the answer under its newer name, else under its older one. */
export function tokensMax(request: ChatRequest): unknown {
  const fields: Readonly<Record<string, unknown>> = request;
  return fields.max_completion_tokens ?? fields.max_tokens ?? undefined;
}

export function reasoningEffort(request: ChatRequest): string | null {
  const { reasoning_effort: effort }: Readonly<Record<string, unknown>> = request;
  return typeof effort === "string" ? effort : null;
}
