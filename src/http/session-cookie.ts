import { timingSafeEqual } from "node:crypto";
import { GatewayError } from "../contract/errors.ts";
import { HostCookie } from "./host-cookie.ts";
import { originOf } from "./own-origin.ts";

export interface SessionCookieSettings {
  /** Where people reach the program. */
  readonly publicUrl: string | null;
  /** The token that a page of ours sends with each change; it can be made for one session only. */
  readonly csrfTokenOf: (sessionId: string) => string;
}

const CSRF_HEADER = "x-csrf-token";
const READS: ReadonlySet<string> = new Set(["GET", "HEAD", "OPTIONS"]);

export const isRead = (method: string): boolean => READS.has(method);

/** A session in a browser; no other page can use it for a change. */
export class SessionCookie extends HostCookie {
  /** Names the session in which an administrator sees the platform as somebody else; their own stays where it is, below it. */
  readonly seenAs: HostCookie;
  private readonly ownOrigin: string | null;

  constructor(private readonly settings: SessionCookieSettings) {
    super("turnpike", settings.publicUrl);
    this.seenAs = new HostCookie("turnpike-seen-as", settings.publicUrl);
    this.ownOrigin = settings.publicUrl === null ? null : new URL(settings.publicUrl).origin;
  }

  csrfTokenOf(sessionId: string): string {
    return this.settings.csrfTokenOf(sessionId);
  }

  /** A browser sends the cookie with whatever a foreign page makes it send: a change has to come from a page of ours. */
  requireOwnPage(request: Request, sessionId: string): void {
    if (isRead(request.method)) return;
    this.requireOwnForm(request, sessionId, request.headers.get(CSRF_HEADER) ?? "");
  }

  /** The same for a form without a script, which has the token in a field. */
  requireOwnForm(request: Request, sessionId: string, token: string): void {
    if (!this.isOwnOrigin(request)) {
      throw new GatewayError("permission", "A change with a session cookie has to come from this server's own pages.");
    }
    const sent = Buffer.from(token);
    const wanted = Buffer.from(this.csrfTokenOf(sessionId));
    if (sent.length === wanted.length && timingSafeEqual(sent, wanted)) return;
    throw new GatewayError("permission", `A change with a session cookie needs the \`${CSRF_HEADER}\` of its session.`);
  }

  isOwnOrigin(request: Request): boolean {
    const origin = request.headers.get("origin");
    return origin !== null && (origin === originOf(request) || origin === this.ownOrigin);
  }
}
