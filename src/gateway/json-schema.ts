import Schema from "typebox/schema";
import type { ChatAnswer, ChatRequest } from "../contract/chat.ts";
import { GatewayError } from "../contract/errors.ts";
import { isRecord } from "../lib/json.ts";

/**
 * Checks an answer against the JSON schema that its request asked for. The schema is the caller's: it is interpreted, never
 * compiled to code, and its `pattern`s are left out, because an expression can be written to run for ever.
 */
export function checkJsonSchema(request: ChatRequest, answer: ChatAnswer): void {
  const schema = askedSchema(request);
  if (schema === null) return;
  for (const { message, finish_reason } of answer.choices) {
    if (finish_reason !== "stop" || typeof message.content !== "string") continue;
    let value: unknown;
    try {
      value = JSON.parse(message.content);
    } catch (cause) {
      throw mismatch("the answer is not JSON", cause);
    }
    if (!Schema.Check(schema, value)) throw mismatch("the answer does not fit the schema");
  }
}

function askedSchema(request: ChatRequest): Record<string, unknown> | null {
  const format = request.response_format as Record<string, unknown> | null | undefined;
  if (!isRecord(format)) return null;
  const wrapped = isRecord(format.json_schema) ? format.json_schema.schema : format.response_schema;
  return isRecord(wrapped) ? (withoutPatterns(wrapped) as Record<string, unknown>) : null;
}

function withoutPatterns(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutPatterns);
  if (!isRecord(value)) return value;
  const kept = Object.entries(value).filter(
    ([name, part]) => !(name === "pattern" && typeof part === "string") && name !== "patternProperties",
  );
  return Object.fromEntries(kept.map(([name, part]) => [name, withoutPatterns(part)]));
}

const mismatch = (reason: string, cause?: unknown): GatewayError =>
  new GatewayError("json_schema_validation", `The model did not keep to the JSON schema: ${reason}.`, { cause });
