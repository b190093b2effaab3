import { anthropicError, googleError } from "../contract/error-body.ts";
import { ERRORS, type ErrorKind, type ErrorSpec } from "../contract/errors.ts";
import { openApiPath, parameterNames } from "./path.ts";
import { declaredErrors, type Face, faceOf, type Route } from "./route.ts";

export interface OpenApiSettings {
  readonly version: string;
  readonly headerName: string;
  /** Whether a key may come as a bearer value too. */
  readonly takesBearerKeys: boolean;
}

interface Schema {
  readonly description?: string;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
}

/** The API description, from the same declarations that serve the calls. */
export function buildOpenApi(routes: readonly Route[], settings: OpenApiSettings): object {
  const paths: Record<string, Record<string, object>> = {};
  const shown = routes.filter((route) => !route.hidden);
  for (const route of shown) {
    for (const path of route.paths) {
      const entry = paths[openApiPath(path)] ?? {};
      paths[openApiPath(path)] = entry;
      entry[route.method.toLowerCase()] = describeOperation(route, path, settings);
    }
  }
  return {
    openapi: "3.1.0",
    info: {
      title: "Turnpike",
      version: settings.version,
      description: "One OpenAI-style address for many model providers, and the platform behind it.",
      license: { name: "Apache-2.0", identifier: "Apache-2.0" },
    },
    servers: [{ url: "/" }],
    tags: [...new Set(shown.map((route) => route.tag))].map((name) => ({ name })),
    paths,
    components: { securitySchemes: securitySchemes(settings), schemas: ERROR_SCHEMAS },
  };
}

function describeOperation(route: Route, path: string, settings: OpenApiSettings): object {
  return {
    operationId: operationId(route, path),
    tags: [route.tag],
    summary: route.summary,
    ...(route.description ? { description: route.description } : {}),
    ...(path === route.paths[0] ? {} : { "x-alias-of": openApiPath(route.paths[0]) }),
    security: [
      ...SECURITY[route.auth].filter((scheme) => settings.takesBearerKeys || !("BearerKey" in scheme)),
      ...(route.scope ? [{ ManagementToken: [route.scope] }] : []),
    ],
    parameters: [...pathParameters(route, path), ...queryParameters(route)],
    ...requestBody(route),
    responses: { ...successResponse(route), ...errorResponses(route, path) },
  };
}

function requestBody({ body, form }: Route): object {
  if (form) return { requestBody: { required: true, content: { "multipart/form-data": { schema: form.schema } } } };
  return body ? { requestBody: { required: true, content: { "application/json": { schema: body } } } } : {};
}

const SECURITY = {
  none: [],
  key: [{ APIKeyHeader: [] }, { BearerKey: [] }],
  session: [{ Session: [] }, { SessionCookie: [] }],
  admin: [{ APIKeyHeader: [] }, { Session: [] }, { SessionCookie: [] }],
  any: [{ APIKeyHeader: [] }, { BearerKey: [] }, { Session: [] }, { SessionCookie: [] }],
} as const;

const securitySchemes = ({ headerName, takesBearerKeys }: OpenApiSettings): object => ({
  APIKeyHeader: { type: "apiKey", in: "header", name: headerName, description: "A key that begins with `sk-`." },
  ...(takesBearerKeys
    ? { BearerKey: { type: "http", scheme: "bearer", description: "The same key as a bearer value." } }
    : {}),
  Session: { type: "http", scheme: "bearer", bearerFormat: "JWT", description: "From `POST /api/auth/token`." },
  ManagementToken: {
    type: "http",
    scheme: "bearer",
    description:
      "A token that begins with `mk-`, from `POST /api/management-tokens`, made for the scope that is named.",
  },
  SessionCookie: {
    type: "apiKey",
    in: "cookie",
    name: "__Host-turnpike",
    description: "The same for browsers; a change also needs `x-csrf-token` and the server's own origin.",
  },
});

function pathParameters(route: Route, path: string): object[] {
  const known = (route.params as Schema | undefined)?.properties ?? {};
  return parameterNames(path).map((name) => ({
    name,
    in: "path",
    required: true,
    schema: known[name] ?? { type: "string" },
  }));
}

function queryParameters(route: Route): object[] {
  const query = route.query as Schema | undefined;
  return Object.entries(query?.properties ?? {}).map(([name, schema]) => ({
    name,
    in: "query",
    required: query?.required?.includes(name) ?? false,
    ...(schema.description ? { description: schema.description } : {}),
    schema,
  }));
}

function successResponse(route: Route): object {
  const status = String(route.successStatus ?? 200);
  if (route.success === undefined) return { [status]: { description: "Done." } };
  const content =
    typeof route.success === "string"
      ? { [route.success]: { schema: { type: "string" } } }
      : { "application/json": { schema: route.success } };
  return { [status]: { description: "Done.", content } };
}

/** Kinds that share a status are told apart by their `code`, so one response names them all. */
function errorResponses(route: Route, path: string): object {
  const face = faceOf(path);
  const byStatus = new Map<number, ErrorKind[]>();
  for (const kind of declaredErrors(route)) {
    const status = statusOf(kind, face);
    byStatus.set(status, [...(byStatus.get(status) ?? []), kind]);
  }
  const responses: Record<string, object> = {};
  for (const [status, kinds] of [...byStatus].sort(([a], [b]) => a - b)) {
    const name = face === "gateway" && status === 422 ? "HTTPValidationError" : ERROR_BODIES[face];
    const own = status === 503 ? route.unavailable : undefined;
    responses[String(status)] = {
      description: kinds
        .map((kind) => `**${ERRORS[kind].name}** (\`${codeOf(kind, face)}\`): ${ERRORS[kind].meaning}`)
        .join("\n\n"),
      content: { "application/json": { schema: own ?? { $ref: `#/components/schemas/${name}` } } },
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

function statusOf(kind: ErrorKind, face: Face): number {
  const spec: ErrorSpec = ERRORS[kind];
  if (face === "anthropic") return anthropicError(kind).status;
  if (face === "google") return googleError(kind).code;
  return face === "management" ? (spec.managementStatus ?? spec.status) : spec.status;
}

function codeOf(kind: ErrorKind, face: Face): string {
  if (face === "anthropic") return anthropicError(kind).type;
  if (face === "google") return googleError(kind).status;
  return face === "management" ? ERRORS[kind].management : ERRORS[kind].code;
}

function operationId(route: Route, path: string): string {
  const words = openApiPath(path).match(/[a-z0-9_]+/gi) ?? [];
  return [route.method.toLowerCase(), ...words].join("_");
}

const text = { type: "string" };
const textOrNull = { type: ["string", "null"] };

const errorObject = {
  type: "object",
  required: ["message", "type", "param", "code", "name"],
  properties: { message: text, type: text, param: textOrNull, code: text, name: text, platform_code: text },
};

const ERROR_SCHEMAS = {
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
      error: { type: "object", required: ["type", "message"], properties: { type: text, message: text } },
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
        properties: { code: { type: "integer" }, message: text, status: text, details: { type: "array" } },
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
