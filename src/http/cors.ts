/** CORS by configuration: off when no origin is listed. `*` allows any origin, never with credentials. */
export interface Cors {
  /** Headers for an answer to `origin`, or null when it is not allowed. */
  headersFor(origin: string | null): Record<string, string> | null;
  preflight(request: Request, allow: string): Response | null;
}

const EXPOSED = ["call-id", "model-id", "model-group", "response-cost"];

export function createCors(origins: readonly string[], exposedPrefix: string): Cors {
  const any = origins.includes("*");
  const known = new Set(origins);
  const headersFor = (origin: string | null): Record<string, string> | null => {
    if (origins.length === 0) return null;
    if (origin === null || !(any || known.has(origin))) return any ? null : { vary: "origin" };
    return {
      "access-control-allow-origin": any ? "*" : origin,
      "access-control-expose-headers":
        [...new Set(["x-gw-", exposedPrefix])].flatMap((prefix) => EXPOSED.map((name) => prefix + name)).join(", ") +
        ", x-request-id, request-id, retry-after",
      ...(any ? {} : { vary: "origin" }),
    };
  };
  return {
    headersFor,
    preflight(request, allow) {
      const headers = headersFor(request.headers.get("origin"));
      if (!headers?.["access-control-allow-origin"] || !request.headers.has("access-control-request-method"))
        return null;
      const asked = request.headers.get("access-control-request-headers");
      headers["access-control-allow-methods"] = allow;
      if (asked !== null && /^[\w ,-]*$/.test(asked)) headers["access-control-allow-headers"] = asked;
      headers["access-control-max-age"] = "600";
      return new Response(null, { status: 204, headers });
    },
  };
}
