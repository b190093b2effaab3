import type { TSchema } from "typebox";
import { openApiPath, parameterNames } from "../path.ts";
import { formatOfPath, type Route } from "../route.ts";
import { ComponentPool } from "./component-pool.ts";
import { ERROR_SCHEMAS, errorResponses } from "./errors.ts";
import { inPascalCase, type JsonSchema, SchemaPool } from "./schema-pool.ts";
import { TAG_DESCRIPTIONS } from "./tags.ts";

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

/** One operation at one of its paths, before what it has in common with others is taken out. */
interface Described {
  readonly route: Route;
  readonly path: string;
  readonly id: string;
  readonly parameters: readonly Parameter[];
  readonly body: Content | null;
  readonly answers: Readonly<Record<string, Content>>;
}

interface Content {
  readonly description?: string;
  readonly content?: Readonly<Record<string, { readonly schema: JsonSchema }>>;
}

interface Parameter {
  readonly name: string;
  readonly in: "path" | "query";
  readonly required?: true;
  readonly description?: string;
  readonly schema: object;
}

/** What stands under `components`: most of what operations say, they say in the same words. */
class Pools {
  readonly parameters = new ComponentPool("parameters");
  readonly bodies = new ComponentPool("requestBodies");
  readonly answers = new ComponentPool("responses");

  constructor(operations: readonly Described[]) {
    for (const { parameters, body, answers } of operations) {
      for (const parameter of parameters) this.parameters.count(parameter);
      if (body) this.bodies.count(body);
      for (const answer of Object.values(answers)) this.answers.count(answer);
    }
  }
}

/** The API description, from the same declarations that serve the calls. */
export function buildOpenApi(routes: readonly Route[], settings: OpenApiSettings): object {
  const shown = routes.filter((route) => !route.hidden);
  const schemas = countSchemas(shown);
  const operations = shown.flatMap((route) => route.paths.map((path) => describe(route, path, schemas)));
  const pools = new Pools(operations);
  const paths: Record<string, Record<string, object>> = {};
  for (const operation of operations) {
    const path = openApiPath(operation.path);
    const entry = paths[path] ?? {};
    paths[path] = entry;
    entry[operation.route.method.toLowerCase()] = writeOperation(operation, settings, pools);
  }
  return {
    openapi: "3.1.0",
    info: {
      title: "Turnpike",
      version: settings.version,
      description:
        "One OpenAI-style address for many model providers, and the platform behind it.\n\n" +
        `${settings.version} is the version of the interface, which clients are written for. Turnpike has a version of its own: ` +
        "the header `x-gw-version` of models' answers and `turnpike version` tell it.",
      license: { name: "Apache-2.0", identifier: "Apache-2.0" },
    },
    servers: [{ url: "/" }],
    tags: [...new Set(shown.map((route) => route.tag))].map((name) => ({ name, description: TAG_DESCRIPTIONS[name] })),
    paths,
    components: {
      securitySchemes: securitySchemes(settings),
      schemas: schemas.schemas,
      parameters: pools.parameters.parts,
      requestBodies: pools.bodies.parts,
      responses: pools.answers.parts,
    },
  };
}

function countSchemas(routes: readonly Route[]): SchemaPool {
  const schemas = new SchemaPool(ERROR_SCHEMAS);
  for (const route of routes) {
    const name = inPascalCase(operationId(route, route.paths[0]));
    const body = route.form?.schema ?? route.body;
    if (body) schemas.count(asJson(body), [`${name}Body`]);
    if (typeof route.success === "object") schemas.count(asJson(route.success), [`${name}Answer`]);
  }
  return schemas;
}

const describe = (route: Route, path: string, schemas: SchemaPool): Described => ({
  route,
  path,
  id: operationId(route, path),
  parameters: [...pathParameters(route, path), ...queryParameters(route)],
  body: requestBody(route, schemas),
  answers: { ...successResponse(route, schemas), ...errorResponses(route, path) },
});

function writeOperation(operation: Described, settings: OpenApiSettings, pools: Pools): object {
  const { route, path, id, parameters, body, answers } = operation;
  const nameOf = (status: string, answer: Content): string =>
    /^[45]/.test(status) ? inPascalCase(formatOfPath(path)) + status : (sharedName(answer) ?? "Done");
  return {
    operationId: id,
    tags: [route.tag],
    summary: route.summary,
    ...words(route, path),
    security: [
      ...SECURITY[route.auth].filter((scheme) => settings.takesBearerKeys || !("BearerKey" in scheme)),
      ...(route.scope ? [{ ManagementToken: [route.scope] }] : []),
    ],
    ...(parameters.length > 0
      ? { parameters: parameters.map((one) => pools.parameters.write(one, inPascalCase(one.name))) }
      : {}),
    ...(body ? { requestBody: pools.bodies.write(body, sharedName(body) ?? `${inPascalCase(id)}Body`) } : {}),
    responses: Object.fromEntries(
      Object.entries(answers).map(([status, answer]) => [status, pools.answers.write(answer, nameOf(status, answer))]),
    ),
  };
}

/** What holds nothing but a schema that has a name is called the same. */
const sharedName = ({ content = {} }: Content): string | undefined =>
  Object.values(content)[0]?.schema.$ref?.toString().split("/").at(-1);

/** An operation is explained at its first path. */
function words({ description, paths, method }: Route, path: string): object {
  const first = openApiPath(paths[0]);
  if (path !== paths[0]) return { description: `The same as \`${method} ${first}\`.`, "x-alias-of": first };
  return description ? { description } : {};
}

function requestBody({ body, form }: Route, schemas: SchemaPool): Content | null {
  const content = (type: string, schema: TSchema): Content & { required: true } => ({
    required: true,
    content: { [type]: { schema: schemas.write(asJson(schema)) } },
  });
  if (form) return content("multipart/form-data", form.schema);
  return body ? content("application/json", body) : null;
}

const asJson = (schema: TSchema): JsonSchema => schema as unknown as JsonSchema;

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

function pathParameters(route: Route, path: string): Parameter[] {
  const known = (route.params as Schema | undefined)?.properties ?? {};
  return parameterNames(path).map((name) => ({
    name,
    in: "path",
    required: true,
    schema: known[name] ?? { type: "string" },
  }));
}

function queryParameters(route: Route): Parameter[] {
  const query = route.query as Schema | undefined;
  return Object.entries(query?.properties ?? {}).map(([name, { description, ...schema }]) => ({
    name,
    in: "query",
    ...(query?.required?.includes(name) ? { required: true } : {}),
    ...(description ? { description } : {}),
    schema,
  }));
}

function successResponse(
  { success, otherTypes = [], successStatus = 200 }: Route,
  schemas: SchemaPool,
): Record<string, Content> {
  if (success === undefined) return { [successStatus]: { description: "Done." } };
  const content: Record<string, { readonly schema: JsonSchema }> =
    typeof success === "string"
      ? { [success]: { schema: { type: "string" } } }
      : { "application/json": { schema: schemas.write(asJson(success)) } };
  for (const type of otherTypes) content[type] = { schema: { type: "string" } };
  return { [successStatus]: { description: "Done.", content } };
}

function operationId(route: Route, path: string): string {
  const words = openApiPath(path).match(/[a-z0-9_]+/gi) ?? [];
  return [route.method.toLowerCase(), ...words].join("_");
}
