import { anthropicError, googleError } from "../../contract/error-body.ts";
import { ERRORS, type ErrorKind, type ErrorSpec } from "../../contract/errors.ts";
import { declaredErrors, type ErrorFormat, formatOfPath, type Route } from "../route.ts";
import type { JsonSchema } from "./schema-pool.ts";

interface ErrorAnswer {
  readonly description: string;
  readonly content: { readonly "application/json": { readonly schema: JsonSchema } };
}

/** Kinds that share a status are told apart by their `code`, so one response names them all. */
export function errorResponses(route: Route, path: string): Record<string, ErrorAnswer> {
  const errorFormat = formatOfPath(path);
  const byStatus = new Map<number, ErrorKind[]>();
  for (const kind of declaredErrors(route)) {
    const status = statusOf(kind, errorFormat);
    byStatus.set(status, [...(byStatus.get(status) ?? []), kind]);
  }
  const responses: Record<string, ErrorAnswer> = {};
  for (const [status, kinds] of [...byStatus].sort(([a], [b]) => a - b)) {
    const name = errorFormat === "gateway" && status === 422 ? "HTTPValidationError" : ERROR_BODIES[errorFormat];
    const own = status === 503 ? route.unavailable : undefined;
    responses[String(status)] = {
      description: kinds
        .map((kind) => `**${ERRORS[kind].name}** (\`${codeOf(kind, errorFormat)}\`): ${ERRORS[kind].meaning}`)
        .join("\n\n"),
      content: {
        "application/json": {
          schema: own === undefined ? { $ref: `#/components/schemas/${name}` } : (own as unknown as JsonSchema),
        },
      },
    };
  }
  return responses;
}

const ERROR_BODIES = {
  gateway: "ErrorResponse",
  management: "ManagementError",
  anthropic: "AnthropicError",
  google: "GoogleError",
} as const;

function statusOf(kind: ErrorKind, errorFormat: ErrorFormat): number {
  const spec: ErrorSpec = ERRORS[kind];
  if (errorFormat === "anthropic") return anthropicError(kind).status;
  if (errorFormat === "google") return googleError(kind).code;
  return errorFormat === "management" ? (spec.managementStatus ?? spec.status) : spec.status;
}

function codeOf(kind: ErrorKind, errorFormat: ErrorFormat): string {
  if (errorFormat === "anthropic") return anthropicError(kind).type;
  if (errorFormat === "google") return googleError(kind).status;
  return errorFormat === "management" ? ERRORS[kind].management : ERRORS[kind].code;
}

const text = { type: "string" };
const textOrNull = { type: ["string", "null"] };

const errorObject = {
  type: "object",
  required: ["message", "type", "param", "code", "name"],
  properties: { message: text, type: text, param: textOrNull, code: text, name: text, platform_code: text },
};

export const ERROR_SCHEMAS = {
  ErrorResponse: { type: "object", required: ["error"], properties: { error: errorObject } },
  HTTPValidationError: {
    type: "object",
    required: ["detail", "error"],
    properties: {
      error: errorObject,
      detail: {
        type: "array",
        items: {
          type: "object",
          required: ["loc", "msg", "type"],
          properties: { loc: { type: "array", items: { type: ["string", "integer"] } }, msg: text, type: text },
        },
      },
    },
  },
  AnthropicError: {
    type: "object",
    required: ["type", "error", "request_id"],
    properties: {
      type: { const: "error" },
      error: {
        type: "object",
        required: ["type", "message"],
        properties: { type: text, message: text, details: { type: "object" } },
      },
      request_id: text,
    },
  },
  GoogleError: {
    type: "object",
    required: ["error"],
    properties: {
      error: {
        type: "object",
        required: ["code", "message", "status"],
        properties: {
          code: { type: "integer" },
          message: text,
          status: text,
          details: { type: "array", items: { type: "object" } },
        },
      },
    },
  },
  ManagementError: {
    type: "object",
    required: ["error", "code"],
    properties: {
      error: text,
      code: { type: "string", enum: [...new Set(Object.values(ERRORS).map((spec) => spec.management))] },
    },
  },
} as const;
