import { compilePath, moreExactFirst, type PathPattern } from "./path.ts";
import { type ErrorFormat, formatOfPath, type Method, type Route } from "./route.ts";
import { compileReader, type Reader } from "./validate.ts";

/** A route with its schemas compiled. */
export interface Operation {
  readonly route: Route;
  readonly params: Reader | null;
  readonly query: Reader | null;
  readonly body: Reader | null;
}

/** One path with the operations that it has. */
export interface Endpoint {
  readonly pattern: PathPattern;
  readonly errorFormat: ErrorFormat;
  readonly operations: ReadonlyMap<Method, Operation>;
  /** The value of `Allow`. */
  readonly allow: string;
}

export interface EndpointTable {
  readonly literal: ReadonlyMap<string, Endpoint>;
  find(path: string): { readonly endpoint: Endpoint; readonly params: Record<string, string> } | null;
}

export function compileEndpoints(routes: readonly Route[]): EndpointTable {
  const byPath = new Map<string, Map<Method, Operation>>();
  for (const route of routes) {
    const operation = compileOperation(route);
    for (const path of route.paths) {
      const operations = byPath.get(path) ?? new Map<Method, Operation>();
      if (operations.has(route.method)) throw new Error(`${route.method} ${path} is declared twice`);
      byPath.set(path, operations.set(route.method, operation));
    }
  }
  const endpoints = Array.from(byPath, ([path, operations]) => compileEndpoint(path, operations));
  const literal = new Map(endpoints.filter((one) => one.pattern.literal).map((one) => [one.pattern.source, one]));
  const dynamic = endpoints.filter((one) => !one.pattern.literal).sort((a, b) => moreExactFirst(a.pattern, b.pattern));
  return {
    literal,
    find(path) {
      const exact = literal.get(path);
      if (exact) return { endpoint: exact, params: {} };
      for (const endpoint of dynamic) {
        const params = endpoint.pattern.match(path);
        if (params) return { endpoint, params };
      }
      return null;
    },
  };
}

function compileEndpoint(path: string, operations: ReadonlyMap<Method, Operation>): Endpoint {
  const methods: string[] = [...operations.keys()];
  if (operations.has("GET")) methods.push("HEAD");
  return {
    pattern: compilePath(path),
    errorFormat: formatOfPath(path),
    operations,
    allow: [...methods, "OPTIONS"].join(", "),
  };
}

const compileOperation = (route: Route): Operation => ({
  route,
  params: route.params ? compileReader("path", route.params) : null,
  query: route.query ? compileReader("query", route.query) : null,
  body: route.body ? compileReader("body", route.body) : null,
});
