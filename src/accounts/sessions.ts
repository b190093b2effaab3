import type { SessionCaller } from "../contract/caller.ts";
import { GatewayError } from "../contract/errors.ts";
import type { Clock } from "../lib/clock.ts";
import { newId } from "../lib/ids.ts";
import { callerOf } from "./caller-of.ts";
import { type ChangeNote, change, noteChange } from "./change.ts";
import type { LoginThrottle } from "./login-throttle.ts";
import type { Passwords } from "./passwords.ts";
import type { Session, User } from "./records.ts";
import type { RefusedSignIns, SignInWay } from "./refused-sign-ins.ts";
import { renewHash } from "./renew-hash.ts";
import { badToken, type IssuedToken, type NamedSession, type SessionTokens } from "./session-tokens.ts";
import type { AccountStores } from "./store.ts";
import type { TwoFactor } from "./two-factor.ts";

const DAY_MS = 24 * 60 * 60 * 1000;
/** A session ends when nobody has used it for a week, and after a month in any case. */
const IDLE_MS = 7 * DAY_MS;
const ABSOLUTE_MS = 30 * DAY_MS;
/** Seen is noted once a minute: a write for each call would be too much for what it tells. */
const SEEN_EVERY_MS = 60_000;
const AGENT_CHARS_MAX = 200;

/** Where a log-in comes from. */
export interface Device {
  readonly address: string | null;
  readonly userAgent: string;
}

/** What somebody sends to prove who they are. */
export interface Login {
  readonly email: string;
  readonly password: string;
  /** Of the second factor, or a recovery code. */
  readonly code?: string;
}

/** Somebody who has proved who they are, and whether with a code as well. */
export interface Proved {
  readonly user: User;
  readonly byCode: boolean;
}

export interface SessionDeps {
  readonly stores: AccountStores;
  readonly passwords: Passwords;
  readonly tokens: SessionTokens;
  readonly twoFactor: TwoFactor;
  readonly throttle: LoginThrottle;
  readonly refused: RefusedSignIns;
  readonly clock: Clock;
}

/** Log-in, log-out and the check of a token. Who somebody is and what they may do is read from the store each time. */
export class Sessions {
  constructor(private readonly deps: SessionDeps) {}

  async logIn(login: Login, device: Device): Promise<IssuedToken> {
    const { stores, clock } = this.deps;
    const proved = await this.prove(login, device);
    return stores.transaction(async (tx) => {
      // Holds back a change of the password, whose end of all sessions must find this one too.
      await tx.users.update(proved.user.id, { lastLoginAt: clock.nowMs() });
      await requireStillProved(tx, proved);
      return this.open(tx, proved.user, device, proved.byCode ? "password_and_code" : "password");
    });
  }

  /** Who it is that knows the password and, where it is asked for, has a code. Wrong ones of either kind cost time. */
  prove(login: Login, device: Device): Promise<Proved> {
    const address = login.email.trim().toLowerCase();
    return this.deps.throttle.attempt(address, device.address, () => this.tryToProve(address, login, device));
  }

  private async tryToProve(address: string, { password, code }: Login, device: Device): Promise<Proved> {
    const { stores, passwords, twoFactor, throttle, refused } = this.deps;
    const user = await stores.users.findByEmail(address);
    const matches = await passwords.verify(password, user?.passwordHash ?? null);
    const attempt = { way: "password", userId: user?.id ?? null, address: device.address } as const;
    if (!user || !matches || user.status !== "active") {
      throttle.failed(address, device.address);
      await refused.note({ ...attempt, reason: user ? (matches ? user.status : "wrong_password") : "no_account" });
      throw badCredentials();
    }
    const byCode = await twoFactor.isOn(user.id);
    if (byCode) {
      // No success yet: whoever knows the password alone must not be able to wipe out the count of wrong codes.
      if (code === undefined) {
        await refused.note({ ...attempt, action: "user.sign_in_begin", reason: "code_needed" });
        throw codeNeeded(SEND_CODE);
      }
      if (!(await twoFactor.accept(user.id, code, device.address))) {
        throttle.failed(address, device.address);
        await refused.note({ ...attempt, way: "password_and_code", reason: "wrong_code" });
        throw codeNeeded("The code is wrong or was used already.");
      }
    }
    throttle.succeeded(address, device.address);
    return { user: await renewHash(this.deps, user, password), byCode };
  }

  /** A new session for somebody who has proved who they are. `way` null: what they did is in the audit log already. */
  async open(stores: AccountStores, user: User, device: Device, way: SignInWay | null): Promise<IssuedToken> {
    const now = this.deps.clock.nowMs();
    const session: Session = {
      id: newId(),
      userId: user.id,
      organizationId: null,
      userAgent: device.userAgent.slice(0, AGENT_CHARS_MAX),
      address: device.address,
      createdAt: now,
      lastSeenAt: now,
      expiresAt: now + IDLE_MS,
      revokedAt: null,
      adminSessionId: null,
    };
    await stores.sessions.insert(session);
    if (way !== null) {
      const note = ownNote("user.sign_in", user.id, { way, sessionId: session.id });
      await noteChange(stores, this.deps.clock, { caller: callerOf(user), address: device.address }, note);
    }
    return this.deps.tokens.issue(session.id, user.id, session.expiresAt);
  }

  /** `seenAsId` names the session in which an administrator sees the platform as somebody else, from the one of the token. */
  async verify(token: string, seenAsId: string | null = null): Promise<SessionCaller> {
    const { caller } = await this.find(await this.deps.tokens.read(token));
    return seenAsId === null ? caller : this.seenAs(caller, seenAsId);
  }

  /** Who a caller is by now, whose call has lasted for a while. Nothing is noted: a call that lasts is no new sign of somebody. */
  async present({ sessionId, userId, actingAdmin }: SessionCaller): Promise<SessionCaller> {
    if (actingAdmin === undefined) return (await this.find({ sessionId, userId }, false)).caller;
    return this.seenAs((await this.find(actingAdmin, false)).caller, sessionId);
  }

  /**
   * It proves nothing by itself: it counts only over the session that it was begun from, so that a new log-in is not covered
   * by it, and only while both people are what they were.
   */
  private async seenAs(admin: SessionCaller, seenAsId: string): Promise<SessionCaller> {
    const { stores, clock } = this.deps;
    const session = await stores.sessions.find(seenAsId);
    if (session?.adminSessionId !== admin.sessionId) return admin;
    const user = await stores.users.find(session.userId);
    const isOver = session.revokedAt !== null || session.expiresAt <= clock.nowMs();
    if (isOver || user?.status !== "active" || user.role === "admin" || admin.role !== "admin") throw seenAsOver();
    const { userId, email, name, sessionId } = admin;
    const actingAdmin = { userId, email, name, sessionId, untilMs: session.expiresAt };
    return { ...callerOf(user), sessionId: session.id, organizationId: session.organizationId, actingAdmin };
  }

  /** A new token for a session that is alive; the old one stays good until its end. */
  async refresh(token: string, approve: (sessionId: string) => void = () => undefined): Promise<IssuedToken> {
    const { session } = await this.find(await this.deps.tokens.read(token, true));
    approve(session.id);
    const now = this.deps.clock.nowMs();
    const expiresAt = Math.min(now + IDLE_MS, session.createdAt + ABSOLUTE_MS);
    await this.deps.stores.sessions.update(session.id, { lastSeenAt: now, expiresAt });
    return this.deps.tokens.issue(session.id, session.userId, expiresAt);
  }

  list(caller: SessionCaller): Promise<readonly Session[]> {
    return this.deps.stores.sessions.listOpen(caller.userId, this.deps.clock.nowMs());
  }

  /** Ends one session of the caller, the present one included. */
  async revoke(caller: SessionCaller, sessionId: string, address: string | null): Promise<void> {
    const { stores, clock } = this.deps;
    await change(
      stores,
      clock,
      { caller, address },
      async (tx) => {
        const ended = await tx.sessions.revoke(caller.userId, { id: sessionId }, clock.nowMs());
        if (ended === 0) throw new GatewayError("not_found", "There is no such session.");
      },
      () =>
        sessionId === caller.sessionId
          ? ownNote("user.sign_out", caller.userId, { sessionId })
          : { action: "session.revoke", organizationId: null, targetType: "session", targetId: sessionId },
    );
  }

  private async find(named: NamedSession, isSign = true): Promise<{ session: Session; caller: SessionCaller }> {
    const { stores, clock } = this.deps;
    const session = await stores.sessions.find(named.sessionId);
    const now = clock.nowMs();
    if (!session || session.revokedAt !== null || session.expiresAt <= now) throw badToken();
    if (session.userId !== named.userId || session.adminSessionId !== null) throw badToken();
    const user = await stores.users.find(session.userId);
    if (user?.status !== "active") throw badToken();
    if (isSign && now - session.lastSeenAt > SEEN_EVERY_MS) await this.seen(session, now);
    const { id: sessionId, organizationId } = session;
    return { session, caller: { ...callerOf(user), sessionId, organizationId } };
  }

  private seen(session: Session, now: number): Promise<void> {
    const expiresAt = Math.min(now + IDLE_MS, session.createdAt + ABSOLUTE_MS);
    return this.deps.stores.sessions.update(session.id, { lastSeenAt: now, expiresAt });
  }
}

const ownNote = (action: string, userId: number, details: object): ChangeNote => ({
  action,
  organizationId: null,
  targetType: "user",
  targetId: String(userId),
  details: { ...details },
});

/** What was proved a moment ago is what is asked for now. To be called while the person's row is held. */
export async function requireStillProved(tx: AccountStores, { user, byCode }: Proved): Promise<void> {
  const present = await tx.users.find(user.id);
  if (present?.passwordHash !== user.passwordHash || present.status !== "active") throw badCredentials();
  if (!byCode && (await tx.twoFactors.confirmedAmong([user.id])).size > 0) throw codeNeeded(SEND_CODE);
}

/** The header tells a page that the administrator's own session is still there to go back to. */
const seenAsOver = (): GatewayError =>
  new GatewayError("authentication", "You no longer see the platform as somebody else; go back to your own session.", {
    headers: { "x-gw-impersonation": "over" },
  });

const SEND_CODE = "Send a code of your second factor as well, or a recovery code.";

/** The header tells programs that the password was right and what to ask for next. */
const codeNeeded = (message: string): GatewayError =>
  new GatewayError("authentication", message, { headers: { "x-gw-two-factor": "required" } });

const badCredentials = (): GatewayError => new GatewayError("authentication", "The e-mail or the password is wrong.");
