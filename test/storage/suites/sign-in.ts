import { describe, expect, test } from "bun:test";
import type {
  ConnectGrant,
  DeviceLogin,
  Passkey,
  TwoFactorRecord,
  UserIdentity,
} from "../../../src/accounts/sign-in-records.ts";
import { newId } from "../../../src/lib/ids.ts";
import { AT } from "../new-records.ts";
import { rejection } from "../rejection.ts";
import type { StoreBench } from "../store-bench.ts";

/** Second factors, identities of single sign-on, and programs that wait to be let in. */
export function signInSuite(bench: StoreBench): void {
  const proposed = (userId: number, given: Partial<TwoFactorRecord> = {}): TwoFactorRecord => ({
    userId,
    secret: "v1.sealed",
    confirmedAt: null,
    lastStep: null,
    createdAt: AT,
    ...given,
  });
  const recoveryCode = (userId: number) => ({ id: newId(), userId, hash: `hash ${newId()}`, usedAt: null });
  const count = (answers: readonly boolean[]): number => answers.filter(Boolean).length;

  describe("second factors", () => {
    test("one is replaced until it is confirmed, and stays from then on", async () => {
      const { twoFactors } = bench.stores;
      const { id } = await bench.storedUser();
      expect(await twoFactors.find(id)).toBeNull();
      expect(await twoFactors.propose(proposed(id))).toBe(true);
      expect(await twoFactors.propose(proposed(id, { secret: "v1.other", createdAt: AT + 1 }))).toBe(true);
      expect(await twoFactors.find(id)).toEqual(proposed(id, { secret: "v1.other", createdAt: AT + 1 }));
      expect(await twoFactors.confirm(id, "v1.sealed", 7, AT + 2)).toBe(false);
      expect(await twoFactors.useStep(id, 7)).toBe(false);
      expect(await twoFactors.confirmedAmong([id])).toEqual(new Set());
      expect(await twoFactors.confirm(id, "v1.other", 7, AT + 2)).toBe(true);
      expect(await twoFactors.confirm(id, "v1.other", 8, AT + 3)).toBe(false);
      expect(await twoFactors.propose(proposed(id))).toBe(false);
      const stored = proposed(id, { secret: "v1.other", confirmedAt: AT + 2, lastStep: 7, createdAt: AT + 1 });
      expect(await twoFactors.find(id)).toEqual(stored);
      expect(await twoFactors.confirmedAmong([id, -1])).toEqual(new Set([id]));
      expect(await twoFactors.confirmedAmong([])).toEqual(new Set());
    });

    test("a step is used once, by one of those who race for it, and none before it afterwards", async () => {
      const { twoFactors } = bench.stores;
      const { id } = await bench.storedUser();
      await twoFactors.propose(proposed(id));
      await twoFactors.confirm(id, "v1.sealed", 10, AT);
      expect(await twoFactors.useStep(id, 10)).toBe(false);
      expect(count(await Promise.all([11, 11, 11, 11].map((step) => twoFactors.useStep(id, step))))).toBe(1);
      expect(await twoFactors.useStep(id, 9)).toBe(false);
      expect(await twoFactors.useStep(id, 12)).toBe(true);
    });

    test("a recovery code is used once, by its owner, and goes with the second factor", async () => {
      const { twoFactors } = bench.stores;
      const [user, other] = [await bench.storedUser(), await bench.storedUser()];
      await twoFactors.propose(proposed(user.id));
      const [first, second] = [recoveryCode(user.id), recoveryCode(user.id)];
      await twoFactors.replaceCodes(user.id, [recoveryCode(user.id)]);
      await twoFactors.replaceCodes(user.id, [first, second]);
      await twoFactors.replaceCodes(other.id, [recoveryCode(other.id)]);
      expect(await twoFactors.countCodes(user.id)).toBe(2);
      expect(await twoFactors.useCode(other.id, first.hash, AT)).toBe(false);
      const races = await Promise.all([1, 2, 3].map(() => twoFactors.useCode(user.id, first.hash, AT)));
      expect([count(races), await twoFactors.countCodes(user.id)]).toEqual([1, 1]);
      expect(await twoFactors.remove(user.id)).toBe(true);
      expect(await twoFactors.remove(user.id)).toBe(false);
      expect(await twoFactors.useCode(user.id, second.hash, AT)).toBe(false);
      expect([await twoFactors.countCodes(user.id), await twoFactors.countCodes(other.id)]).toEqual([0, 1]);
    });
  });

  describe("identities", () => {
    const identity = (userId: number, given: Partial<UserIdentity> = {}): UserIdentity => ({
      id: newId(),
      issuer: "https://issuer.example.com",
      subject: newId(),
      userId,
      email: "ada@example.com",
      createdAt: AT,
      lastLoginAt: AT,
      ...given,
    });

    test("an issuer's subject belongs to one user", async () => {
      const { identities } = bench.stores;
      const [user, other] = [await bench.storedUser(), await bench.storedUser()];
      const first = identity(user.id);
      const elsewhere = identity(other.id, { issuer: "https://other.example.com", subject: first.subject });
      await identities.insert(first);
      await identities.insert(elsewhere);
      expect(await identities.find(first.issuer, first.subject)).toEqual(first);
      expect(await identities.find(elsewhere.issuer, first.subject)).toEqual(elsewhere);
      expect(await identities.find(first.issuer, "nobody")).toBeNull();
      const again = identity(other.id, { subject: first.subject });
      expect(await rejection(identities.insert(again))).toMatchObject({ kind: "conflict" });
    });

    test("what is seen of it changes, and it is removed with all others of its user", async () => {
      const { identities } = bench.stores;
      const [user, other] = [await bench.storedUser(), await bench.storedUser()];
      const [first, second, kept] = [identity(user.id), identity(user.id, { createdAt: AT + 1 }), identity(other.id)];
      for (const one of [second, first, kept]) await identities.insert(one);
      await identities.update(first.id, { email: "ada@example.org", lastLoginAt: AT + 9 });
      await identities.update(first.id, {});
      const seen = { ...first, email: "ada@example.org", lastLoginAt: AT + 9 };
      expect(await identities.listOf(user.id)).toEqual([seen, second]);
      await identities.removeOf(user.id);
      expect(await identities.listOf(user.id)).toEqual([]);
      expect(await identities.listOf(other.id)).toEqual([kept]);
    });
  });

  describe("device log-ins", () => {
    const login = (given: Partial<DeviceLogin> = {}): DeviceLogin => ({
      id: newId(),
      deviceHash: newId(),
      userCodeHash: newId(),
      status: "pending",
      userId: null,
      userAgent: "cli",
      address: null,
      intervalSeconds: 5,
      lastPolledAt: null,
      createdAt: AT,
      expiresAt: AT + 1000,
      ...given,
    });

    test("one is found by either of its codes", async () => {
      const { deviceLogins } = bench.stores;
      const stored = login({ address: "192.0.2.1" });
      await deviceLogins.insert(stored);
      expect(await deviceLogins.findByDevice(stored.deviceHash)).toEqual(stored);
      expect(await deviceLogins.findByUserCode(stored.userCodeHash)).toEqual(stored);
      expect(await deviceLogins.findByDevice(stored.userCodeHash)).toBeNull();
      await deviceLogins.polled(stored.id, AT + 5, 10);
      const polled = { ...stored, lastPolledAt: AT + 5, intervalSeconds: 10 };
      expect(await deviceLogins.findByDevice(stored.deviceHash)).toEqual(polled);
    });

    test("it is decided once and redeemed once, and neither when it is over", async () => {
      const { deviceLogins } = bench.stores;
      const { id: userId } = await bench.storedUser();
      const [good, denied, late] = [login(), login(), login()];
      for (const one of [good, denied, late]) await deviceLogins.insert(one);
      expect(await deviceLogins.redeem(good.id, AT)).toBe(false);
      expect(await deviceLogins.decide(good.id, "approved", userId, AT + 999)).toBe(true);
      expect(await deviceLogins.decide(good.id, "denied", userId, AT + 999)).toBe(false);
      expect(count(await Promise.all([1, 2, 3].map(() => deviceLogins.redeem(good.id, AT + 999))))).toBe(1);
      expect(await deviceLogins.decide(denied.id, "denied", userId, AT)).toBe(true);
      expect(await deviceLogins.redeem(denied.id, AT)).toBe(false);
      expect(await deviceLogins.decide(late.id, "approved", userId, AT + 1000)).toBe(false);
      await deviceLogins.decide(late.id, "approved", userId, AT);
      expect(await deviceLogins.redeem(late.id, AT + 1000)).toBe(false);
      expect(await deviceLogins.findByDevice(good.deviceHash)).toMatchObject({ status: "used", userId });
    });

    test("what a person has approved is removed, and nobody else's", async () => {
      const { deviceLogins } = bench.stores;
      const [own, other] = [await bench.storedUser(), await bench.storedUser()];
      const all = [login(), login(), login()] as const;
      const [approved, used, others] = all;
      for (const one of all) await deviceLogins.insert(one);
      for (const { id } of [approved, used]) await deviceLogins.decide(id, "approved", own.id, AT);
      await deviceLogins.redeem(used.id, AT);
      await deviceLogins.decide(others.id, "approved", other.id, AT);
      await deviceLogins.removeApproved(own.id);
      const left = await Promise.all(all.map(({ deviceHash }) => deviceLogins.findByDevice(deviceHash)));
      expect(left.map((one) => one?.status)).toEqual([undefined, "used", "approved"]);
    });

    test("those that wait are counted by address, and those that are over are removed", async () => {
      const { deviceLogins } = bench.stores;
      const address = "192.0.2.77";
      const [waiting, over] = [login({ address }), login({ address, expiresAt: AT - 10 })];
      for (const one of [waiting, over, login({ address, status: "denied" })]) await deviceLogins.insert(one);
      expect(await deviceLogins.countPending(address, AT)).toBe(1);
      expect(await deviceLogins.countPending("192.0.2.78", AT)).toBe(0);
      await deviceLogins.removeOver(AT);
      expect(await deviceLogins.findByDevice(over.deviceHash)).toBeNull();
      expect(await deviceLogins.findByDevice(waiting.deviceHash)).toEqual(waiting);
    });
  });

  describe("apps that may fetch a key", () => {
    const grant = (userId: number, teamId: string, given: Partial<ConnectGrant> = {}): ConnectGrant => ({
      id: newId(),
      codeHash: newId(),
      status: "open",
      userId,
      teamId,
      callbackUrl: "https://app.example.com/",
      challenge: "x".repeat(43),
      budget: 2n ** 53n,
      budgetWindow: "month",
      keyExpiresAt: AT + 5000,
      createdAt: AT,
      expiresAt: AT + 1000,
      ...given,
    });

    test("a code is found by its hash and used once, by one of those who race for it, and not when it is over", async () => {
      const { connectGrants } = bench.stores;
      const { id: userId } = await bench.storedUser();
      const { id: teamId } = await bench.storedTeam();
      const bare = { budget: null, budgetWindow: null, keyExpiresAt: null };
      const [good, late] = [grant(userId, teamId), grant(userId, teamId, bare)];
      for (const one of [good, late]) await connectGrants.insert(one);
      expect(await connectGrants.find(good.codeHash)).toEqual(good);
      expect(await connectGrants.find(late.codeHash)).toEqual(late);
      expect(await connectGrants.find(good.id)).toBeNull();
      expect(count(await Promise.all([1, 2, 3].map(() => connectGrants.use(good.id, AT + 999))))).toBe(1);
      expect(await connectGrants.use(late.id, AT + 1000)).toBe(false);
      expect(await connectGrants.find(good.codeHash)).toEqual({ ...good, status: "used" });
    });

    test("those that nobody has used are removed with the person's other sign-ins, and all when they are over", async () => {
      const { connectGrants } = bench.stores;
      const [own, other] = [await bench.storedUser(), await bench.storedUser()];
      const { id: teamId } = await bench.storedTeam();
      const all = [grant(own.id, teamId), grant(own.id, teamId), grant(other.id, teamId)] as const;
      for (const one of all) await connectGrants.insert(one);
      await connectGrants.use(all[1].id, AT);
      await connectGrants.removeOpen(own.id);
      const left = () => Promise.all(all.map(({ codeHash }) => connectGrants.find(codeHash)));
      expect((await left()).map((one) => one?.status)).toEqual([undefined, "used", "open"]);
      await connectGrants.removeOver(AT + 1001);
      expect(await left()).toEqual([null, null, null]);
    });
  });

  describe("passkeys", () => {
    const passkey = (userId: number, given: Partial<Passkey> = {}): Passkey => ({
      id: newId(),
      userId,
      credentialId: newId(),
      publicKey: "pQECAyYgASFYIA",
      counter: 0n,
      rpId: "gateway.example.com",
      transports: ["internal", "hybrid"],
      name: "Laptop",
      createdAt: AT,
      lastUsedAt: null,
      ...given,
    });

    test("one is found by its credential, which nobody else has", async () => {
      const { passkeys } = bench.stores;
      const [own, other] = [await bench.storedUser(), await bench.storedUser()];
      const one = passkey(own.id, { counter: 4_294_967_294n });
      await passkeys.insert(one);
      expect(await passkeys.findByCredential(one.credentialId)).toEqual(one);
      expect(await passkeys.findByCredential(one.id)).toBeNull();
      const again = passkey(other.id, { credentialId: one.credentialId });
      expect(await rejection(passkeys.insert(again))).toMatchObject({ kind: "conflict" });
    });

    test("its counter goes up alone, by one of those who race with it, unless the device does not count", async () => {
      const { passkeys } = bench.stores;
      const { id: userId } = await bench.storedUser();
      const [counting, plain] = [passkey(userId), passkey(userId)];
      for (const one of [counting, plain]) await passkeys.insert(one);
      expect(count(await Promise.all([1, 2, 3].map(() => passkeys.used(counting.id, 7n, AT + 1))))).toBe(1);
      for (const counter of [7n, 6n, 0n]) expect(await passkeys.used(counting.id, counter, AT + 2)).toBe(false);
      expect(await passkeys.used(counting.id, 4_294_967_295n, AT + 3)).toBe(true);
      const stored = { ...counting, counter: 4_294_967_295n, lastUsedAt: AT + 3 };
      expect(await passkeys.findByCredential(counting.credentialId)).toEqual(stored);
      for (const atMs of [AT + 4, AT + 5]) expect(await passkeys.used(plain.id, 0n, atMs)).toBe(true);
      expect(await passkeys.used(newId(), 1n, AT)).toBe(false);
    });

    test("people have their own, the oldest first; another's is neither renamed nor removed", async () => {
      const { passkeys } = bench.stores;
      const [own, other, nobody] = [await bench.storedUser(), await bench.storedUser(), await bench.storedUser()];
      const [late, early] = [passkey(own.id, { createdAt: AT + 1 }), passkey(own.id)];
      const theirs = passkey(other.id);
      for (const one of [late, early, theirs]) await passkeys.insert(one);
      expect(await passkeys.listOf(own.id)).toEqual([early, late]);
      const counts = await passkeys.countAmong([own.id, other.id, nobody.id]);
      expect([...counts].sort()).toEqual([[own.id, 2] as const, [other.id, 1] as const].sort() as never);
      expect(await passkeys.countAmong([])).toEqual(new Map());
      expect(await passkeys.rename(own.id, theirs.id, "Mine")).toBeNull();
      expect(await passkeys.remove(own.id, theirs.id)).toBeNull();
      expect(await passkeys.rename(own.id, late.id, "Phone")).toEqual({ ...late, name: "Phone" });
      expect(await passkeys.remove(own.id, early.id)).toEqual(early);
      expect([await passkeys.removeOf(own.id), await passkeys.removeOf(own.id)]).toEqual([1, 0]);
      expect(await passkeys.listOf(other.id)).toEqual([theirs]);
    });

    test("a challenge is spent once, by one of those who race for it, and forgotten when it is over", async () => {
      const { spentChallenges } = bench.stores;
      const challenge = newId();
      const spend = () => spentChallenges.spend(challenge, AT);
      expect(count(await Promise.all([spend(), spend(), spend()]))).toBe(1);
      await spentChallenges.removeOver(AT);
      expect(await spend()).toBe(false);
      await spentChallenges.removeOver(AT + 1);
      expect(await spend()).toBe(true);
    });
  });
}
