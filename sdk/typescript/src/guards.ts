import { createHash, timingSafeEqual } from "node:crypto";
import { Failure } from "./failure.ts";

/** Whether only programs on the same machine can reach it. */
export function isLoopback(host: string): boolean {
  const name = host.toLowerCase().replace(/^\[(.*)\]$/, "$1");
  return name === "localhost" || name === "::1" || /^127(\.\d{1,3}){3}$/.test(name);
}

/** A page in a browser can be made to call a local address; its Host then is the page's own name. */
export function checkHost(request: Request, boundTo: string): void {
  if (!isLoopback(boundTo)) return;
  const host = request.headers.get("host") ?? "";
  const name = host.replace(/:\d+$/, "");
  if (host !== "" && !isLoopback(name)) {
    throw new Failure(403, "host", "this participant is bound to its own machine and called by another name");
  }
}

/** Pages of other origins may not call, unless they are on the list. Gives the origin that may read the answer. */
export function checkOrigin(request: Request, allowed: readonly string[]): string | null {
  const origin = request.headers.get("origin");
  if (origin !== null && allowed.includes(origin)) return origin;
  if (origin !== null || request.headers.get("sec-fetch-site") === "cross-site") {
    throw new Failure(403, "origin", "pages of this origin may not call the participant");
  }
  return null;
}

export function checkToken(request: Request, tokens: readonly string[]): void {
  if (tokens.length === 0) return;
  const refuse = (reason: string, message: string) =>
    new Failure(401, reason, message, { headers: { "www-authenticate": "Bearer" } });
  const header = request.headers.get("authorization");
  if (header === null) throw refuse("missing_token", "a bearer token is required");
  const token = /^bearer +(\S+) *$/i.exec(header)?.[1] ?? "";
  // Every token is looked at, and in the same time, so that a wrong one tells nothing.
  const matches = tokens.filter((own) => timingSafeEqual(hash(own), hash(token)));
  if (matches.length === 0) throw refuse("bad_token", "the bearer token is not one of this participant's");
}

const hash = (text: string): Buffer => createHash("sha256").update(text).digest();
