import { jwtVerify, SignJWT } from "jose";
import type { SessionCaller } from "../contract/caller.ts";
import { GatewayError } from "../contract/errors.ts";
import type { Clock } from "../lib/clock.ts";
import { newId } from "../lib/ids.ts";
import type { Passwords } from "./passwords.ts";
import type { AccountStores } from "./store.ts";

const ISSUER = "turnpike";
const AUDIENCE = "platform";
const ALGORITHM = "HS256";
const LIFETIME_MS = 24 * 60 * 60 * 1000;
const CLOCK_TOLERANCE_SECONDS = 30;

export interface IssuedToken {
  readonly token: string;
  readonly expiresAtMs: number;
}

/** Log-in and the check of a token. The token names a session; who that is and what they may do is read from the store. */
export class Sessions {
  constructor(
    private readonly stores: AccountStores,
    private readonly passwords: Passwords,
    private readonly signingKey: Uint8Array,
    private readonly clock: Clock,
  ) {}

  async logIn(email: string, password: string): Promise<IssuedToken> {
    const user = await this.stores.users.findByEmail(email.trim().toLowerCase());
    const matches = await this.passwords.verify(password, user?.passwordHash ?? null);
    if (!user || !matches || user.status !== "active") throw badCredentials();
    const now = this.clock.nowMs();
    const session = { id: newId(), userId: user.id, createdAt: now, expiresAt: now + LIFETIME_MS, revokedAt: null };
    await this.stores.sessions.insert(session);
    return { token: await this.sign(session.id, user.id, now, session.expiresAt), expiresAtMs: session.expiresAt };
  }

  async verify(token: string): Promise<SessionCaller> {
    const sessionId = await this.sessionIdOf(token);
    const session = await this.stores.sessions.find(sessionId);
    if (!session || session.revokedAt !== null || session.expiresAt <= this.clock.nowMs()) throw badToken();
    const user = await this.stores.users.find(session.userId);
    if (user?.status !== "active") throw badToken();
    return { kind: "session", sessionId, userId: user.id, email: user.email, name: user.name, role: user.role };
  }

  private sign(sessionId: string, userId: number, nowMs: number, expiresAtMs: number): Promise<string> {
    return new SignJWT({ sid: sessionId })
      .setProtectedHeader({ alg: ALGORITHM, typ: "JWT" })
      .setIssuer(ISSUER)
      .setAudience(AUDIENCE)
      .setSubject(String(userId))
      .setJti(newId())
      .setIssuedAt(Math.floor(nowMs / 1000))
      .setExpirationTime(Math.floor(expiresAtMs / 1000))
      .sign(this.signingKey);
  }

  private async sessionIdOf(token: string): Promise<string> {
    const verified = await jwtVerify(token, this.signingKey, {
      algorithms: [ALGORITHM],
      issuer: ISSUER,
      audience: AUDIENCE,
      clockTolerance: CLOCK_TOLERANCE_SECONDS,
      currentDate: new Date(this.clock.nowMs()),
    }).catch((cause) => {
      throw badToken(cause);
    });
    const { sid } = verified.payload;
    if (typeof sid !== "string") throw badToken();
    return sid;
  }
}

const badCredentials = (): GatewayError => new GatewayError("authentication", "The e-mail or the password is wrong.");
const badToken = (cause?: unknown): GatewayError =>
  new GatewayError("authentication", "The session is not valid or has ended; log in again.", { cause });
