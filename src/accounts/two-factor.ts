import type { AdminCaller, SessionCaller } from "../contract/caller.ts";
import { GatewayError } from "../contract/errors.ts";
import type { Clock } from "../lib/clock.ts";
import { hmacHex } from "../lib/hmac.ts";
import { newId } from "../lib/ids.ts";
import { seal, unseal } from "../lib/seal.ts";
import { type ChangeNote, change } from "./change.ts";
import { endSignIns, lockSignedIn } from "./end-sign-ins.ts";
import type { LoginThrottle } from "./login-throttle.ts";
import { newRecoveryCode, newTotpSecret, plainCode, stepOf, totpUri } from "./one-time-codes.ts";
import type { Passwords } from "./passwords.ts";
import { requireFresh } from "./require-fresh.ts";
import type { AccountStores } from "./store.ts";

const RECOVERY_CODES = 10;
const TOTP_CODE = /^\d{6}$/;

export interface TwoFactorDeps {
  readonly stores: AccountStores;
  readonly passwords: Passwords;
  readonly throttle: LoginThrottle;
  /** Of wrong codes. */
  readonly codeThrottle: LoginThrottle;
  readonly clock: Clock;
  readonly sealingKey: Uint8Array;
  readonly codePepper: Uint8Array;
}

/** That it is really the person, not only somebody at their open session. */
export interface Proof {
  readonly password?: string;
  readonly code?: string;
}

/** The first code of a new secret, and the password. */
export interface FirstProof {
  readonly code: string;
  readonly password?: string;
}

/** Codes by time as a second factor, with recovery codes for who has lost the app. */
export class TwoFactor {
  constructor(private readonly deps: TwoFactorDeps) {}

  async isOn(userId: number): Promise<boolean> {
    return (await this.deps.stores.twoFactors.confirmedAmong([userId])).has(userId);
  }

  enabledAmong(userIds: readonly number[]): Promise<ReadonlySet<number>> {
    return this.deps.stores.twoFactors.confirmedAmong(userIds);
  }

  /** A secret for the app; it counts from when the first code of it is shown. */
  async setUp(
    caller: SessionCaller,
    address: string | null,
  ): Promise<{ readonly secret: string; readonly uri: string }> {
    const { stores, clock, sealingKey } = this.deps;
    const secret = await newTotpSecret();
    const { userId, email } = caller;
    const sealed = seal(sealingKey, useOf(userId), secret);
    const record = { userId, secret: sealed, confirmedAt: null, lastStep: null, createdAt: clock.nowMs() };
    await change(
      stores,
      clock,
      { caller, address },
      async (tx) => {
        if (!(await tx.twoFactors.propose(record))) throw alreadyOn();
      },
      () => noteOf("two_factor.set_up", userId),
    );
    return { secret, uri: await totpUri(secret, email) };
  }

  /**
   * Gives the recovery codes: the only time that they can be shown. Needs the password as well, so that nobody at an open
   * session locks its owner out, and ends all other sessions: they had been opened with less.
   */
  enable(caller: SessionCaller, proof: FirstProof, address: string | null): Promise<readonly string[]> {
    return this.deps.throttle.attempt(caller.email, address, () => this.tryToEnable(caller, proof, address));
  }

  private async tryToEnable(
    caller: SessionCaller,
    { code, password }: FirstProof,
    address: string | null,
  ): Promise<readonly string[]> {
    const { stores, clock, throttle } = this.deps;
    const { userId, email } = caller;
    const record = await stores.twoFactors.find(userId);
    if (!record) throw new GatewayError("conflict", "Set the second factor up first: POST /api/auth/2fa/setup.");
    if (record.confirmedAt !== null) throw alreadyOn();
    await this.provePassword(caller, password, address);
    const step = await stepOf(this.secretOf(userId, record.secret), plainCode(code), clock.nowMs());
    if (step === null) {
      throttle.failed(email, address);
      throw new GatewayError("permission", "code: it is wrong; check the clock of the device that shows it.");
    }
    return change(
      stores,
      clock,
      { caller, address },
      async (tx) => {
        const now = clock.nowMs();
        // A log-in that is under way without a code is ended here, or sees that it needs one. Who was logged out since they
        // have proved anything switches nothing on: its owner, who has a new password, would be locked out.
        await lockSignedIn(tx, caller, now);
        if (!(await tx.twoFactors.confirm(userId, record.secret, step, now))) throw alreadyOn();
        await endSignIns(tx, userId, now, { except: caller.sessionId });
        return this.newCodes(tx, userId);
      },
      () => noteOf("two_factor.enable", userId),
    );
  }

  /** Who signs in elsewhere and has none must have done so a moment ago: codes are a proof of more than a session from then on. */
  private async provePassword(
    caller: SessionCaller,
    password: string | undefined,
    address: string | null,
  ): Promise<void> {
    const { userId, email } = caller;
    const hash = (await this.deps.stores.users.find(userId))?.passwordHash ?? null;
    if (hash === null) return requireFresh(this.deps, caller);
    if (password === undefined)
      throw new GatewayError("invalid_request", "password: send it too.", { param: "password" });
    if (await this.deps.passwords.verify(password, hash)) return;
    this.deps.throttle.failed(email, address);
    throw new GatewayError("permission", "password: it is wrong.");
  }

  async disable(caller: SessionCaller, proof: Proof, address: string | null): Promise<void> {
    await this.prove(caller, proof, address);
    await this.remove(caller, caller.userId, "two_factor.disable", address, (tx) => this.hold(tx, caller));
  }

  /** The old codes are worth nothing from then on. */
  async renewCodes(caller: SessionCaller, proof: Proof, address: string | null): Promise<readonly string[]> {
    const { stores, clock } = this.deps;
    await this.prove(caller, proof, address);
    return change(
      stores,
      clock,
      { caller, address },
      async (tx) => {
        await this.hold(tx, caller);
        return this.newCodes(tx, caller.userId);
      },
      () => noteOf("two_factor.renew_recovery_codes", caller.userId),
    );
  }

  /** By an administrator, for somebody who has lost both the app and the codes. */
  reset(caller: AdminCaller, userId: number, address: string | null): Promise<void> {
    return this.remove(caller, userId, "two_factor.reset", address);
  }

  /**
   * Whether the code is good, which it is once: whoever sends it a second time, or races with it, is refused. Wrong ones are
   * counted from all networks together: there are few codes, and only who knows the password or is logged in gets here.
   */
  accept(userId: number, typed: string, address: string | null): Promise<boolean> {
    const { codeThrottle } = this.deps;
    const subject = useOf(userId);
    return codeThrottle.attempt(subject, null, async () => {
      const isGood = await this.tryToAccept(userId, typed, address);
      if (isGood) codeThrottle.succeeded(subject, null);
      else codeThrottle.failed(subject, null);
      return isGood;
    });
  }

  private async tryToAccept(userId: number, typed: string, address: string | null): Promise<boolean> {
    const { stores, clock } = this.deps;
    const code = plainCode(typed);
    if (!TOTP_CODE.test(code)) return this.acceptRecoveryCode(userId, code, address);
    const record = await stores.twoFactors.find(userId);
    if (!record) return false;
    const step = await stepOf(this.secretOf(userId, record.secret), code, clock.nowMs());
    return step !== null && stores.twoFactors.useStep(userId, step);
  }

  private acceptRecoveryCode(userId: number, code: string, address: string | null): Promise<boolean> {
    const { stores, clock } = this.deps;
    return change(
      stores,
      clock,
      { caller: null, address },
      (tx) => tx.twoFactors.useCode(userId, this.hash(userId, code), clock.nowMs()),
      (used) => (used ? noteOf("two_factor.use_recovery_code", userId) : null),
    );
  }

  private prove(caller: SessionCaller, proof: Proof, address: string | null): Promise<void> {
    return this.deps.throttle.attempt(caller.email, address, () => this.tryToProve(caller, proof, address));
  }

  private async tryToProve({ userId, email }: SessionCaller, proof: Proof, address: string | null): Promise<void> {
    const { stores, passwords, throttle } = this.deps;
    if (!(await this.isOn(userId))) throw new GatewayError("conflict", "The second factor is not switched on.");
    if (proof.code === undefined && proof.password === undefined) {
      throw new GatewayError("invalid_request", "Send your password, or a code of the second factor.");
    }
    const user = await stores.users.find(userId);
    const isProved =
      proof.code === undefined
        ? await passwords.verify(proof.password ?? "", user?.passwordHash ?? null)
        : await this.accept(userId, proof.code, address);
    if (!isProved) {
      throttle.failed(email, address);
      throw new GatewayError("permission", `${proof.code === undefined ? "password" : "code"}: it is wrong.`);
    }
    throttle.succeeded(email, address);
  }

  /** What was proved in a session that has ended since changes nothing. */
  private hold(tx: AccountStores, caller: SessionCaller): Promise<void> {
    return lockSignedIn(tx, caller, this.deps.clock.nowMs());
  }

  private async remove(
    caller: AdminCaller,
    userId: number,
    action: string,
    address: string | null,
    first: (tx: AccountStores) => Promise<void> = async () => undefined,
  ): Promise<void> {
    const { stores, clock } = this.deps;
    await change(
      stores,
      clock,
      { caller, address },
      async (tx) => {
        await first(tx);
        if (!(await tx.twoFactors.remove(userId)))
          throw new GatewayError("not_found", "There is no second factor to remove.");
      },
      () => noteOf(action, userId),
    );
  }

  private async newCodes(tx: AccountStores, userId: number): Promise<readonly string[]> {
    const codes = Array.from({ length: RECOVERY_CODES }, newRecoveryCode);
    const rows = codes.map((code) => ({
      id: newId(),
      userId,
      hash: this.hash(userId, plainCode(code)),
      usedAt: null,
    }));
    await tx.twoFactors.replaceCodes(userId, rows);
    return codes;
  }

  private hash(userId: number, code: string): string {
    return hmacHex(this.deps.codePepper, `recovery:${userId}:${code}`);
  }

  private secretOf(userId: number, sealed: string): string {
    return unseal(this.deps.sealingKey, useOf(userId), sealed);
  }
}

const useOf = (userId: number): string => `totp:${userId}`;

const alreadyOn = (): GatewayError =>
  new GatewayError("conflict", "The second factor is switched on already; switch it off first.");

const noteOf = (action: string, userId: number): ChangeNote => ({
  action,
  organizationId: null,
  targetType: "user",
  targetId: String(userId),
});
