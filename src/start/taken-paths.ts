import type { PassThrough } from "../contract/pass-through.ts";
import type { Route } from "../http/route.ts";

/** Of paths that are to be passed on, those that routes of ours have, each with words that name one of these. */
export function reservedPaths(
  declared: readonly Route[],
  endpoints: readonly PassThrough[],
): readonly { readonly endpoint: PassThrough; readonly words: string }[] {
  const own = declared.flatMap(({ method, paths }) => paths.map((path) => ({ method, path })));
  return endpoints.flatMap((endpoint) => {
    const found = own.find(({ path }) => overlap(path, endpoint));
    const words = `${endpoint.path}: ${found?.method} ${found?.path} is served here already`;
    return found ? [{ endpoint, words }] : [];
  });
}

/** Whether something could be called that belongs to both. */
function overlap(own: string, { path, includeSubpath }: PassThrough): boolean {
  const [ours, theirs] = [own.split("/"), path.split("/")];
  for (let at = 1; at < ours.length; at++) {
    const [one = "", other] = [ours[at], theirs[at]];
    if (other === undefined) return includeSubpath;
    if (one.includes("...}")) return true;
    if (one !== other && !one.startsWith("{")) return false;
  }
  return ours.length === theirs.length;
}
