import { isOfConnection, type PassThrough } from "../../../contract/pass-through.ts";

/** What a caller says of the call itself. */
const ALONG: ReadonlySet<string> = new Set(
  `accept accept-language content-type content-encoding content-language content-disposition range if-match if-none-match
   if-modified-since if-unmodified-since if-range idempotency-key last-event-id`.split(/\s+/),
);
const PASS = "x-pass-";

/** Whether a header says who calls, or steers this gateway. */
export type IsOurs = (name: string) => boolean;

/** Headers that may carry a key anywhere, whatever this gateway takes them from. */
const CREDENTIALS: ReadonlySet<string> = new Set(
  "authorization cookie x-api-key api-key x-goog-api-key ocp-apim-subscription-key".split(" "),
);

export const oursBy = (carriers: readonly string[], prefix: string): IsOurs => {
  const named = new Set([...CREDENTIALS, ...carriers]);
  return (name) => named.has(name) || name.startsWith("x-gw-") || name.startsWith(prefix);
};

/** What the target gets: the operator's own headers over what the caller wants passed, over what goes along anyway. */
export function sentHeaders(
  given: Headers,
  { headers, forwardHeaders }: PassThrough,
  isOurs: IsOurs,
): Record<string, string> {
  const dropped = namedByConnection(given);
  const sent: Record<string, string> = {};
  const passed: Record<string, string> = {};
  given.forEach((value, name) => {
    if (isOfConnection(name) || dropped.has(name)) return;
    const wanted = name.startsWith(PASS) ? name.slice(PASS.length) : null;
    if (wanted === null) {
      if (ALONG.has(name) || (forwardHeaders && name !== "host" && !isOurs(name))) sent[name] = value;
    } else if (wanted !== "" && wanted !== "host" && !isOfConnection(wanted)) passed[wanted] = value;
  });
  return { ...sent, ...passed, ...headers };
}

/** What means something for the address that it came from, which is not ours; and the body comes as it is read here. */
const NOT_BACK =
  /^(set-cookie2?|content-encoding|content-length|date|strict-transport-security|alt-svc|clear-site-data|service-worker-allowed|content-security-policy.*|access-control-.*|cross-origin-.*|permissions-policy|nel|report-to|reporting-endpoints)$/;

/** A page of the target must not act on ours: in a browser it has no origin. */
const HARMLESS = { "content-security-policy": "sandbox", "x-content-type-options": "nosniff" };

/** What of the target's headers the caller gets. */
export function returnedHeaders(given: Headers, isOurs: IsOurs): Record<string, string> {
  const dropped = namedByConnection(given);
  const returned: Record<string, string> = {};
  given.forEach((value, name) => {
    if (!isOfConnection(name) && !dropped.has(name) && !NOT_BACK.test(name) && !isOurs(name)) returned[name] = value;
  });
  return { ...returned, ...HARMLESS };
}

const namedByConnection = (headers: Headers): ReadonlySet<string> =>
  new Set((headers.get("connection") ?? "").toLowerCase().split(/[\s,]+/));
