import Schema from "typebox/schema";
import type { ChatAnswer, ChatRequest } from "../../contract/chat.ts";
import { GatewayError } from "../../contract/errors.ts";
import { isRecord } from "../../lib/json.ts";

/** Puts back what guardrails have masked in the request, since the schema is the caller's own. */
interface Restoring {
  restored(json: string): string;
}

/**
 * Checks an answer against the JSON schema that its request asked for. The schema is the caller's: it is interpreted, never
 * compiled to code, and its `pattern`s are left out, because an expression can be written to run for ever.
 */
export function checkJsonSchema(request: ChatRequest, answer: ChatAnswer, guard: Restoring | null): void {
  const schema = askedSchema(request);
  if (schema === null || !Array.isArray(answer.choices)) return;
  for (const { message, finish_reason } of answer.choices) {
    if (finish_reason !== "stop" || typeof message.content !== "string") continue;
    let value: unknown;
    try {
      value = JSON.parse(guard?.restored(message.content) ?? message.content);
    } catch (cause) {
      throw mismatch("the answer is not JSON", cause);
    }
    if (!fits(schema, value)) throw mismatch("the answer does not fit the schema");
  }
}

/** A schema that refers to itself without taking anything in has no answer. */
function fits(schema: Record<string, unknown>, value: unknown): boolean {
  try {
    return Schema.Check(schema, value);
  } catch (cause) {
    throw new GatewayError("invalid_request", "The JSON schema of `response_format` cannot be checked.", { cause });
  }
}

const NODES_MAX = 20_000;

/**
 * Refuses a schema whose references unfold to more than can be checked in reasonable time; asked before the call is sent. Each
 * reference is followed as the check would, but not into itself.
 */
export function rejectRecursiveSchema(request: ChatRequest): void {
  const schema = askedSchema(request);
  if (schema === null) return;
  let left = NODES_MAX;
  const walk = (node: unknown, open: ReadonlySet<string>): void => {
    if (left-- <= 0)
      throw new GatewayError("invalid_request", "The JSON schema is too large to be checked.", {
        param: "response_format",
      });
    if (Array.isArray(node)) for (const item of node) walk(item, open);
    if (!isRecord(node)) return;
    for (const [name, part] of Object.entries(node)) {
      if (name === "$defs" || name === "definitions") continue;
      if (name !== "$ref" || typeof part !== "string") walk(part, open);
      else if (!open.has(part)) walk(resolvePointer(schema, part), new Set([...open, part]));
    }
  };
  walk(schema, new Set());
}

function resolvePointer(root: unknown, pointer: string): unknown {
  if (!pointer.startsWith("#")) return null;
  const parts = pointer.slice(1).split("/").slice(1);
  return parts.reduce<unknown>((node, part) => {
    const name = part.replaceAll("~1", "/").replaceAll("~0", "~");
    return isRecord(node) && Object.hasOwn(node, name) ? node[name] : null;
  }, root);
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
