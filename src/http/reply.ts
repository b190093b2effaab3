/** Answers. Headers that every answer carries are added by the dispatcher. */
export const json = (value: unknown, status = 200, headers?: Record<string, string>): Response =>
  Response.json(value, headers ? { status, headers } : { status });

export const created = (value: unknown): Response => json(value, 201);

export const text = (value: string, contentType = "text/plain; charset=utf-8"): Response =>
  new Response(value, { headers: { "content-type": contentType } });

/** Pages run only our own files, are never framed and tell no other host where the reader came from. */
const PAGE_HEADERS = {
  "content-type": "text/html; charset=utf-8",
  "content-security-policy":
    "default-src 'self'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; object-src 'none'; " +
    "base-uri 'none'; form-action 'self'; frame-ancestors 'none'",
  "x-content-type-options": "nosniff",
  "x-frame-options": "DENY",
  "referrer-policy": "no-referrer",
  "cross-origin-opener-policy": "same-origin",
  "permissions-policy": "camera=(), microphone=(), geolocation=()",
};

/** For a page without any file of its own: not even our own scripts run on it. */
const PLAIN_POLICY =
  "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'";

export const plainPage = (
  html: string | ReadableStream<Uint8Array>,
  status = 200,
  headers: Readonly<Record<string, string>> = {},
): Response =>
  new Response(html, {
    status,
    headers: {
      ...PAGE_HEADERS,
      "content-security-policy": PLAIN_POLICY,
      "cache-control": "no-store",
      ...headers,
    },
  });

/** For the pages under `/ui`: scripts are files of ours, styles are too or carry the nonce of this very answer. */
export const scriptedPage = (html: string, nonce: string): Response =>
  new Response(html, {
    headers: {
      ...PAGE_HEADERS,
      "content-security-policy":
        `default-src 'self'; script-src 'self'; style-src 'self' 'nonce-${nonce}'; img-src 'self' data: blob:; ` +
        "media-src 'self' data: blob:; connect-src 'self'; font-src 'self'; object-src 'none'; base-uri 'none'; " +
        "form-action 'self'; frame-ancestors 'none'",
      "permissions-policy": "camera=(), microphone=(self), geolocation=()",
      "cache-control": "no-cache",
    },
  });

export const page = (html: string, status = 200): Response => new Response(html, { status, headers: PAGE_HEADERS });
