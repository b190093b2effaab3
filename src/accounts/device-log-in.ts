import type { SessionCaller } from "../contract/caller.ts";
import { GatewayError } from "../contract/errors.ts";
import type { Clock } from "../lib/clock.ts";
import { hmacHex } from "../lib/hmac.ts";
import { newId, randomBase62 } from "../lib/ids.ts";
import { networkOf } from "../lib/ip-range.ts";
import { KeyedSerialQueue } from "../lib/keyed-serial-queue.ts";
import { callerOf } from "./caller-of.ts";
import { change } from "./change.ts";
import { lockUser } from "./end-sign-ins.ts";
import type { LoginThrottle } from "./login-throttle.ts";
import { drawLetters } from "./one-time-codes.ts";
import { badToken, type IssuedToken } from "./session-tokens.ts";
import { type Device, type Proved, requireStillProved, type Sessions } from "./sessions.ts";
import type { DeviceLogin } from "./sign-in-records.ts";
import type { AccountStores } from "./store.ts";

const LIFETIME_MS = 10 * 60 * 1000;
const INTERVAL_SECONDS = 5;
/** What a program that asks too early is slowed down by, each time. */
const SLOW_DOWN_SECONDS = 5;
const PENDING_MAX = 20;
const DEVICE_CODE_CHARS = 43;
const AGENT_CHARS_MAX = 200;
/** Consonants that are not mistaken for each other and make no words. */
const USER_CODE_LETTERS = "BCDFGHJKLMNPQRSTVWXZ";

export interface DeviceLogInDeps {
  readonly stores: AccountStores;
  readonly sessions: Sessions;
  readonly clock: Clock;
  /** Of wrong user codes. */
  readonly throttle: LoginThrottle;
  readonly codePepper: Uint8Array;
}

export interface StartedLogIn {
  readonly deviceCode: string;
  readonly userCode: string;
  readonly expiresInSeconds: number;
  readonly intervalSeconds: number;
}

interface Decision {
  readonly caller: SessionCaller;
  readonly userCode: string;
  readonly isApproved: boolean;
  readonly address: string | null;
}

/** Why a program has no token yet, in the words of RFC 8628. */
export type Waiting = "authorization_pending" | "slow_down" | "access_denied" | "expired_token" | "invalid_grant";

/** Lets a program without a browser in: it shows a short code, and a person who is logged in elsewhere approves it. */
export class DeviceLogIn {
  private readonly starts = new KeyedSerialQueue();

  constructor(private readonly deps: DeviceLogInDeps) {}

  /** One after another of one network: many that are begun at once are counted like many that are begun one by one. */
  start(device: Device): Promise<StartedLogIn> {
    const network = device.address === null ? null : networkOf(device.address);
    return this.starts.run(network ?? "", () => this.startNext(device, network));
  }

  private async startNext(device: Device, network: string | null): Promise<StartedLogIn> {
    const { stores, clock } = this.deps;
    const now = clock.nowMs();
    await stores.deviceLogins.removeOver(now - LIFETIME_MS);
    if ((await stores.deviceLogins.countPending(network, now)) >= PENDING_MAX) {
      throw new GatewayError("rate_limit", "Too many log-ins of devices wait already. Try again in some minutes.", {
        headers: { "retry-after": "60" },
      });
    }
    const deviceCode = randomBase62(DEVICE_CODE_CHARS);
    const letters = drawLetters(USER_CODE_LETTERS, 8);
    await stores.deviceLogins.insert({
      id: newId(),
      deviceHash: this.hash("device", deviceCode),
      userCodeHash: this.hash("user", letters),
      status: "pending",
      userId: null,
      userAgent: device.userAgent.slice(0, AGENT_CHARS_MAX),
      address: network,
      intervalSeconds: INTERVAL_SECONDS,
      lastPolledAt: null,
      createdAt: now,
      expiresAt: now + LIFETIME_MS,
    });
    const userCode = `${letters.slice(0, 4)}-${letters.slice(4)}`;
    return { deviceCode, userCode, expiresInSeconds: LIFETIME_MS / 1000, intervalSeconds: INTERVAL_SECONDS };
  }

  /** A token once somebody has approved, and that once; else why there is none. */
  async poll(deviceCode: string, device: Device): Promise<IssuedToken | Waiting> {
    const { stores, sessions, clock } = this.deps;
    const login = await stores.deviceLogins.findByDevice(this.hash("device", deviceCode));
    const now = clock.nowMs();
    if (!login || login.status === "used") return "invalid_grant";
    if (login.status === "denied") return "access_denied";
    if (login.expiresAt <= now) return "expired_token";
    if (login.status === "pending") return this.tooEarly(login, now);
    const { userId } = login;
    if (userId === null) return "invalid_grant";
    return stores.transaction(async (tx) => {
      // Holds back a change of the password, which ends what was approved and every session.
      await tx.users.update(userId, { lastLoginAt: now });
      const user = await tx.users.find(userId);
      if (user?.status !== "active" || !(await tx.deviceLogins.redeem(login.id, now))) return "invalid_grant";
      return sessions.open(tx, user, device, "device");
    });
  }

  /** By a person who is logged in. */
  decide(caller: SessionCaller, userCode: string, isApproved: boolean, address: string | null): Promise<void> {
    return this.attempt({ caller, userCode, isApproved, address }, async (tx) => {
      const session = await tx.sessions.find(caller.sessionId);
      if (!session || session.revokedAt !== null) throw badToken();
    });
  }

  private attempt(decision: Decision, requireStill: (tx: AccountStores) => Promise<void>): Promise<void> {
    const { caller, address } = decision;
    const work = () => this.tryToDecide(decision, requireStill);
    return this.deps.throttle.attempt(`user ${caller.userId}`, address, work);
  }

  private async tryToDecide(
    { caller, userCode, isApproved, address }: Decision,
    requireStill: (tx: AccountStores) => Promise<void>,
  ): Promise<void> {
    const { stores, clock, throttle } = this.deps;
    const subject = `user ${caller.userId}`;
    const letters = userCode.toUpperCase().replace(/[^A-Z]/g, "");
    const login = await stores.deviceLogins.findByUserCode(this.hash("user", letters));
    if (!login) {
      throttle.failed(subject, address);
      throw missing();
    }
    const status = isApproved ? "approved" : "denied";
    await change(
      stores,
      clock,
      { caller, address },
      async (tx) => {
        const now = clock.nowMs();
        // Holds back a change of the password, which ends what was approved: what comes after it must not be left over.
        await lockUser(tx, caller.userId, now);
        await requireStill(tx);
        if (!(await tx.deviceLogins.decide(login.id, status, caller.userId, now))) throw missing();
      },
      () => ({
        action: isApproved ? "device_login.approve" : "device_login.deny",
        organizationId: null,
        targetType: "device_login",
        targetId: login.id,
        details: { address: login.address, userAgent: login.userAgent },
      }),
    );
    throttle.succeeded(subject, address);
  }

  /** By a person who has proved who they are on the spot, without a session. */
  decideAs(proved: Proved, userCode: string, isApproved: boolean, address: string | null): Promise<void> {
    const caller = callerOf(proved.user);
    return this.attempt({ caller, userCode, isApproved, address }, (tx) => requireStillProved(tx, proved));
  }

  private async tooEarly(login: DeviceLogin, now: number): Promise<Waiting> {
    const { id, lastPolledAt, intervalSeconds } = login;
    const isHasty = lastPolledAt !== null && now - lastPolledAt < intervalSeconds * 1000;
    const next = isHasty ? intervalSeconds + SLOW_DOWN_SECONDS : intervalSeconds;
    await this.deps.stores.deviceLogins.polled(id, now, next);
    return isHasty ? "slow_down" : "authorization_pending";
  }

  private hash(which: "device" | "user", code: string): string {
    return hmacHex(this.deps.codePepper, `${which}:${code}`);
  }
}

const missing = (): GatewayError =>
  new GatewayError("not_found", "userCode: no device waits with this code; it may have ended.");
