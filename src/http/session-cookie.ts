import { timingSafeEqual } from "node:crypto";
import { GatewayError } from "../contract/errors.ts";

export interface SessionCookieSettings {
  /** Where people reach the program. Behind a proxy that ends TLS, the request itself does not tell. */
  readonly publicUrl: string | null;
  /** The token that a page of ours sends with each change; it can be made for one session only. */
  readonly csrfTokenOf: (sessionId: string) => string;
}

const NAME = "turnpike";
const CSRF_HEADER = "x-csrf-token";
const READS: ReadonlySet<string> = new Set(["GET", "HEAD", "OPTIONS"]);

/** A session in a browser: no script can read it, no other host can set it, and no other page can use it for a change. */
export class SessionCookie {
  private readonly publicOrigin: string | null;

  constructor(private readonly settings: SessionCookieSettings) {
    this.publicOrigin = settings.publicUrl === null ? null : new URL(settings.publicUrl).origin;
  }

  /** The token in the cookie. Two cookies of the name are none: one of them is not ours. */
  find({ headers, url }: Request): string | null {
    const name = this.nameFor(url);
    const values = (headers.get("cookie") ?? "")
      .split(";")
      .map((pair) => pair.trim())
      .filter((pair) => pair.startsWith(`${name}=`))
      .map((pair) => pair.slice(name.length + 1));
    const [value] = values;
    return values.length === 1 && value !== undefined && value !== "" ? value : null;
  }

  /** `Set-Cookie` for a new session, or for a new token of one. */
  give({ url }: Request, token: string, lifetimeMs: number): string {
    return this.write(url, token, Math.max(0, Math.floor(lifetimeMs / 1000)));
  }

  clear({ url }: Request): string {
    return this.write(url, "", 0);
  }

  csrfTokenOf(sessionId: string): string {
    return this.settings.csrfTokenOf(sessionId);
  }

  /** A browser sends the cookie with whatever a foreign page makes it send: a change has to come from a page of ours. */
  requireOwnPage({ method, headers, url }: Request, sessionId: string): void {
    if (READS.has(method)) return;
    const origin = headers.get("origin");
    if (origin === null || (origin !== new URL(url).origin && origin !== this.publicOrigin)) {
      throw new GatewayError("permission", "A change with a session cookie has to come from this server's own pages.");
    }
    const sent = Buffer.from(headers.get(CSRF_HEADER) ?? "");
    const wanted = Buffer.from(this.csrfTokenOf(sessionId));
    if (sent.length === wanted.length && timingSafeEqual(sent, wanted)) return;
    throw new GatewayError("permission", `A change with a session cookie needs the \`${CSRF_HEADER}\` of its session.`);
  }

  private write(url: string, value: string, seconds: number): string {
    const secure = this.isPlain(url) ? "" : " Secure;";
    return `${this.nameFor(url)}=${value}; Path=/; Max-Age=${seconds}; HttpOnly;${secure} SameSite=Lax`;
  }

  private nameFor(url: string): string {
    return this.isPlain(url) ? NAME : `__Host-${NAME}`;
  }

  /** On one's own machine without TLS a browser keeps no `__Host-` cookie. Anywhere else there has to be TLS. */
  private isPlain(url: string): boolean {
    if (this.publicOrigin !== null) return isLoopback(this.publicOrigin);
    return isLoopback(url);
  }
}

function isLoopback(address: string): boolean {
  const { protocol, hostname } = new URL(address);
  return protocol === "http:" && (hostname === "localhost" || hostname === "[::1]" || /^127(\.\d+){3}$/.test(hostname));
}
