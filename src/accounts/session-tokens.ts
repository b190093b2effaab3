import { errors, jwtVerify, SignJWT } from "jose";
import { GatewayError } from "../contract/errors.ts";
import { TOKEN_PREFIX } from "../contract/management-tokens.ts";
import type { Clock } from "../lib/clock.ts";
import { newId } from "../lib/ids.ts";

const ISSUER = "turnpike";
const AUDIENCE = "platform";
const ALGORITHM = "HS256";
const LIFETIME_MS = 24 * 60 * 60 * 1000;
const CLOCK_TOLERANCE_SECONDS = 30;
/** A token may be renewed this long after its end, so that a client's clock need not be right. */
const RENEWAL_GRACE_SECONDS = 60;

export interface IssuedToken {
  readonly sessionId: string;
  readonly token: string;
  readonly expiresAtMs: number;
}

export interface NamedSession {
  readonly sessionId: string;
  readonly userId: number;
}

/** Signed names of sessions. What a session may do is never in the token: it is read from the store. */
export class SessionTokens {
  constructor(
    private readonly signingKey: Uint8Array,
    private readonly clock: Clock,
  ) {}

  /** `notAfterMs` is the end of the session itself. */
  async issue(sessionId: string, userId: number, notAfterMs: number): Promise<IssuedToken> {
    const now = this.clock.nowMs();
    const expiresAtMs = Math.min(now + LIFETIME_MS, notAfterMs);
    const token = await new SignJWT({ sid: sessionId })
      .setProtectedHeader({ alg: ALGORITHM, typ: "JWT" })
      .setIssuer(ISSUER)
      .setAudience(AUDIENCE)
      .setSubject(String(userId))
      .setJti(newId())
      .setIssuedAt(Math.floor(now / 1000))
      .setExpirationTime(Math.floor(expiresAtMs / 1000))
      .sign(this.signingKey);
    return { sessionId, token, expiresAtMs };
  }

  /** The session that a token names, and whose it must be. */
  async read(token: string, renewal = false): Promise<NamedSession> {
    if (token.startsWith("sk-")) throw new GatewayError("authentication", KEY_SENT);
    if (token.startsWith(TOKEN_PREFIX)) throw new GatewayError("authentication", TOKEN_SENT);
    const verified = await jwtVerify(token, this.signingKey, {
      algorithms: [ALGORITHM],
      issuer: ISSUER,
      audience: AUDIENCE,
      requiredClaims: ["exp", "iat", "sub"],
      // Also refuses a token that was issued in the future.
      maxTokenAge: LIFETIME_MS / 1000,
      clockTolerance: renewal ? RENEWAL_GRACE_SECONDS : CLOCK_TOLERANCE_SECONDS,
      currentDate: new Date(this.clock.nowMs()),
    }).catch((cause) => {
      throw badToken(cause instanceof errors.JOSEError ? cause.code : cause);
    });
    const { sid, sub } = verified.payload;
    if (typeof sid !== "string") throw badToken();
    return { sessionId: sid, userId: Number(sub) };
  }
}

const KEY_SENT =
  "This needs the session of somebody who has logged in, and a key was sent; POST /api/auth/token logs in, and programs may have a management token (POST /api/management-tokens).";

const TOKEN_SENT = "This needs the session of somebody who has logged in, and a management token was sent.";

export const badToken = (cause?: unknown): GatewayError =>
  new GatewayError("authentication", "The session is not valid or has ended; log in again.", { cause });
