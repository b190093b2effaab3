import { insteadOfOperation } from "../../src/contract/named-elsewhere.ts";
import { compilePath, parameterNames } from "../../src/http/path.ts";
import { type ErrorFormat, formatOfPath, type Route } from "../../src/http/route.ts";
import { MASTER_KEY } from "../app.ts";

export interface FaultCase {
  readonly name: string;
  readonly path: string;
  readonly init: RequestInit & { headers?: Record<string, string> };
  readonly status: number;
  /** The gateway's `error.code`, the management `code`, Anthropic's `error.type` or Google's `error.status`. */
  readonly code: string | null;
  readonly headers?: Record<string, string>;
}

const METHODS = ["GET", "POST", "PUT", "PATCH", "DELETE"] as const;
const MIB = 1024 * 1024;

/** Every wrong way to call every path of every route, with the answer that it must get. */
export function faultCases(
  routes: readonly Route[],
  limits: { gateway: number; management: number },
  session: string,
): FaultCase[] {
  const allowed = new Map<string, Set<string>>();
  for (const route of routes) {
    for (const path of route.paths) allowed.set(path, (allowed.get(path) ?? new Set()).add(route.method));
  }
  const patterns = [...allowed.keys()].map(compilePath);
  return routes.flatMap((route) =>
    route.paths.flatMap((pattern) => [
      ...methodCases(pattern, allowed.get(pattern) ?? new Set()),
      ...pathCases(pattern).filter(({ path }) => !patterns.some((one) => one.match(path))),
      ...authCases(route, pattern),
      ...formCases(route, pattern),
      ...bodyCases(
        route,
        pattern,
        route.bodyBytesMax ?? limits[formatOfPath(pattern) === "management" ? "management" : "gateway"],
        session,
      ),
    ]),
  );
}

/** A pattern with something in place of each parameter: a file of the API page, or what may be a number or a name. */
export const samplePath = (pattern: string): string => {
  const sample = pattern.startsWith("/docs/") ? "start.js" : "1";
  return parameterNames(pattern).reduce(
    (path, name) => path.replace(new RegExp(`\\{${name}(\\.\\.\\.)?\\}`), sample),
    pattern,
  );
};

const pick = (
  pattern: string,
  gateway: string,
  management: string,
  anthropic = "invalid_request_error",
  google = "INVALID_ARGUMENT",
): string => ({ gateway, management, anthropic, google })[formatOfPath(pattern)];

function methodCases(pattern: string, has: ReadonlySet<string>): FaultCase[] {
  const path = samplePath(pattern);
  // Some methods are known from OpenAI: they are 404, with what to use instead.
  const isKnown = (method: string) => insteadOfOperation(method, path) !== null;
  return METHODS.filter((method) => !has.has(method) && !isKnown(method)).map((method) => ({
    name: `${method} ${pattern}: wrong method`,
    path,
    init: { method },
    status: 405,
    code: pick(pattern, "method_not_allowed", "VALIDATION_ERROR"),
    headers: { allow: [...has, ...(has.has("GET") ? ["HEAD"] : []), "OPTIONS"].join(", ") },
  }));
}

/** Of the root there is nothing before and nothing behind. */
const pathCases = (pattern: string): FaultCase[] =>
  (pattern === "/"
    ? []
    : [`${samplePath(pattern)}/no/such/path`, `${samplePath(pattern)}/`, `/x${samplePath(pattern)}`]
  ).map((path) => ({
    name: `${path}: unknown path`,
    path,
    init: { method: "GET" },
    status: 404,
    code: pick(path, "not_found", "NOT_FOUND", "not_found_error", "NOT_FOUND"),
  }));

/** Well-formed credentials that nobody has: the right shape alone opens nothing. */
const BAD_CREDENTIALS: readonly (readonly [string, Record<string, string>])[] = [
  ["no credential", {}],
  ["an unknown key", { authorization: `Bearer sk-${"x".repeat(40)}` }],
  ["another scheme", { authorization: `Basic ${btoa(MASTER_KEY)}` }],
  ["a token that nobody signed", { authorization: "Bearer eyJhbGciOiJub25lIn0.eyJzdWIiOiIxIn0." }],
  ["an empty header", { authorization: "" }],
];

function authCases(route: Route, pattern: string): FaultCase[] {
  if (route.auth === "none") return [];
  return BAD_CREDENTIALS.map(([what, headers]) => ({
    name: `${route.method} ${pattern}: ${what}`,
    path: samplePath(pattern),
    init: { method: route.method, headers },
    status: 401,
    code: pick(pattern, "invalid_api_key", "UNAUTHORIZED", "authentication_error", "UNAUTHENTICATED"),
  }));
}

function bodyCases(route: Route, pattern: string, limit: number, session: string): FaultCase[] {
  if (!route.body) return [];
  const credential = route.auth === "session" ? session : MASTER_KEY;
  const auth: Record<string, string> = route.auth === "none" ? {} : { authorization: `Bearer ${credential}` };
  const json = { ...auth, "content-type": "application/json" };
  const make = (
    what: string,
    headers: Record<string, string>,
    body: Bun.BodyInit,
    status: number,
    code: string | null,
  ): FaultCase => ({
    name: `${route.method} ${pattern}: ${what}`,
    path: samplePath(pattern),
    init: { method: route.method, headers, body },
    status,
    code,
  });
  const media = pick(pattern, "unsupported_media_type", "VALIDATION_ERROR");
  const tooLarge = pick(pattern, "request_too_large", "VALIDATION_ERROR", "request_too_large");
  const malformed = pick(pattern, "malformed_body", "VALIDATION_ERROR");
  const invalid = INVALID[formatOfPath(pattern)];
  return [
    ...WRONG_TYPES.map((type) =>
      make(`content type ${JSON.stringify(type)}`, { ...auth, "content-type": type }, "{}", 415, media),
    ),
    make("a compressed body", { ...json, "content-encoding": "br" }, "{}", 415, media),
    ...MALFORMED.map(([what, body]) => make(what, json, body, 400, malformed)),
    make("a list in place of an object", json, "[]", invalid.status, invalid.code),
    make("a string in place of an object", json, '"{}"', invalid.status, invalid.code),
    ...(hasRequiredFields(route)
      ? [
          make("an empty object", json, "{}", invalid.status, invalid.code),
          make("only a prototype", json, '{"__proto__":{"model":"x","messages":[]}}', invalid.status, invalid.code),
        ]
      : []),
    make("a body over the limit", json, oversized(limit), 413, tooLarge),
  ];
}

/** What a body that does not fit its schema is answered with. */
const INVALID: Readonly<Record<ErrorFormat, { readonly status: number; readonly code: string | null }>> = {
  gateway: { status: 422, code: null },
  management: { status: 400, code: "VALIDATION_ERROR" },
  anthropic: { status: 400, code: "invalid_request_error" },
  google: { status: 400, code: "INVALID_ARGUMENT" },
};

const hasRequiredFields = (route: Route): boolean =>
  ((route.body as { required?: readonly string[] } | undefined)?.required ?? []).length > 0;

/** A route that takes a form: another type, no file, and a file that is announced as larger than the limit. */
function formCases(route: Route, pattern: string): FaultCase[] {
  if (!route.form) return [];
  const auth: Record<string, string> = { authorization: `Bearer ${MASTER_KEY}` };
  const make = (
    what: string,
    headers: Record<string, string>,
    body: Bun.BodyInit,
    status: number,
    code: string | null,
  ): FaultCase => ({
    name: `${route.method} ${pattern}: ${what}`,
    path: samplePath(pattern),
    init: { method: route.method, headers: { ...auth, ...headers }, body },
    status,
    code,
  });
  const form = { "content-type": "multipart/form-data; boundary=b" };
  return [
    ...["application/json", "multipart/form-data", "multipart/mixed; boundary=b", "text/plain"].map((type) =>
      make(`content type ${JSON.stringify(type)}`, { "content-type": type }, "{}", 415, "unsupported_media_type"),
    ),
    make("a body that is no form", form, "nothing of the kind", 400, "malformed_body"),
    make(
      "a form without a file",
      form,
      '--b\r\nContent-Disposition: form-data; name="model"\r\n\r\nx\r\n--b--\r\n',
      422,
      null,
    ),
  ];
}

/** Spellings that have slipped past validation elsewhere: none of them is parsed here. */
const WRONG_TYPES = [
  "text/plain",
  "application/x-www-form-urlencoded",
  "multipart/form-data; boundary=x",
  "application/jsonx",
  "application/json garbage",
  "application/json, text/plain",
  "application/json; charset=utf-16",
  "text/application/json",
];

const MALFORMED: readonly (readonly [string, Bun.BodyInit])[] = [
  ["an empty body", ""],
  ["half a body", '{"model":"echo","messages":['],
  ["trailing text", "{} x"],
  ["a byte that is not UTF-8", new Uint8Array([0x7b, 0x22, 0x80, 0x22, 0x3a, 0x31, 0x7d])],
  ["a byte-order mark", "\ufeff{}"],
  ["not a number", '{"n":NaN}'],
  ["arrays without an end", "[".repeat(15_000)],
  ["arrays nested past any use", `${"[".repeat(7_500)}${"]".repeat(7_500)}`],
];

const oversized = (limit: number): Bun.BodyInit => `{"padding":"${"x".repeat(Math.min(limit, 8 * MIB))}"}`;
