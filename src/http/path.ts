/**
 * Path patterns: `/v1/models/{model_id}` takes one segment, `{model...}` takes several, so that a model name
 * with slashes works whether it is encoded or not.
 */
export interface PathPattern {
  readonly source: string;
  readonly literal: boolean;
  match(path: string): Record<string, string> | null;
}

const PARAMETER = /\{([a-z_]+)(\.\.\.)?\}/gi;

export function compilePath(source: string): PathPattern {
  const names: string[] = [];
  const pattern = source
    .replace(/[.*+?^$()|[\]\\]/g, "\\$&")
    .replace(/\{([a-z_]+)(\\\.\\\.\\\.)?\}/gi, (_, name, many) => {
      names.push(String(name));
      return many ? "(.+)" : "([^/]+)";
    });
  if (names.length === 0) return { source, literal: true, match: (path) => (path === source ? {} : null) };
  const expression = new RegExp(`^${pattern}$`);
  return {
    source,
    literal: false,
    match(path) {
      const found = expression.exec(path);
      if (!found) return null;
      const params: Record<string, string> = {};
      for (let index = 0; index < names.length; index++) {
        const value = decodeSegment(found[index + 1] ?? "");
        if (value === null) return null;
        params[names[index] ?? ""] = value;
      }
      return params;
    },
  };
}

/** The parameters' names of a pattern, in order. */
export const parameterNames = (source: string): string[] =>
  Array.from(source.matchAll(PARAMETER), (found) => found[1] ?? "");

/** The pattern as OpenAPI writes it. */
export const openApiPath = (source: string): string => source.replaceAll("...}", "}");

/** Orders patterns so that the more exact one is tried first: literal text counts, greedy parameters come last. */
export function moreExactFirst(a: PathPattern, b: PathPattern): number {
  const greedy = Number(a.source.includes("...}")) - Number(b.source.includes("...}"));
  return greedy || literalLength(b.source) - literalLength(a.source);
}

const literalLength = (source: string): number => source.replace(PARAMETER, "").length;

/** A path parameter that is not valid percent-encoded UTF-8, or holds a NUL, names nothing. */
function decodeSegment(text: string): string | null {
  if (!text.includes("%")) return text;
  try {
    const value = decodeURIComponent(text);
    return value.includes("\0") ? null : value;
  } catch {
    return null;
  }
}

/** The path of a request's address without building a URL object: this runs on every call. */
export function pathOf(url: string): string {
  // A `Host` that is no address leaves the path alone.
  const start = url.startsWith("/") ? 0 : url.indexOf("/", url.indexOf("://") + 3);
  if (start < 0) return "/";
  const query = url.indexOf("?", start);
  return query < 0 ? url.slice(start) : url.slice(start, query);
}

export function queryOf(url: string): URLSearchParams | null {
  const start = url.indexOf("?");
  return start < 0 ? null : new URLSearchParams(url.slice(start + 1));
}
