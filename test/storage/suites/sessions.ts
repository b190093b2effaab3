import { describe, expect, test } from "bun:test";
import type { Session } from "../../../src/accounts/records.ts";
import { AT, newSession } from "../new-records.ts";
import { rejection } from "../rejection.ts";
import type { StoreBench } from "../store-bench.ts";

export function sessionSuite(bench: StoreBench): void {
  async function storedSession(userId: number, given: Partial<Session> = {}): Promise<Session> {
    const session = newSession(userId, given);
    await bench.stores.sessions.insert(session);
    return session;
  }

  const openIdsOf = async (userId: number, nowMs: number): Promise<readonly string[]> =>
    (await bench.stores.sessions.listOpen(userId, nowMs)).map((session) => session.id);

  describe("sessions", () => {
    test("a session is found as it was stored", async () => {
      const organization = await bench.storedOrganization();
      const session = await storedSession(organization.ownerId, {
        organizationId: organization.id,
        userAgent: "Mozilla/5.0 (Größe; 🚀)",
        address: "2001:db8::1",
        lastSeenAt: AT + 5,
        revokedAt: AT + 6,
      });
      const bare = await storedSession(organization.ownerId);
      expect(await bench.stores.sessions.find(session.id)).toEqual(session);
      expect(await bench.stores.sessions.find(bare.id)).toEqual(bare);
      expect(await bench.stores.sessions.find("session_none")).toBeNull();
      expect(await rejection(bench.stores.sessions.insert(bare))).toMatchObject({ kind: "conflict" });
    });

    test("an update changes what it names, and never takes back a revocation", async () => {
      const { sessions } = bench.stores;
      const organization = await bench.storedOrganization();
      const session = await storedSession(organization.ownerId);
      await sessions.update(session.id, { organizationId: organization.id, lastSeenAt: AT + 20 });
      await sessions.update(session.id, { expiresAt: AT + 5000 });
      await sessions.update(session.id, {});
      const updated = { ...session, organizationId: organization.id, lastSeenAt: AT + 20, expiresAt: AT + 5000 };
      expect(await sessions.find(session.id)).toEqual(updated);
      await sessions.revoke(session.userId, { id: session.id }, AT + 30);
      const whole: Partial<Session> = { ...updated, organizationId: null, revokedAt: null, userAgent: "other" };
      await sessions.update(session.id, whole);
      expect(await sessions.find(session.id)).toEqual({ ...updated, organizationId: null, revokedAt: AT + 30 });
    });

    test("the open ones are neither revoked nor over, the newest first", async () => {
      const [user, other] = [await bench.storedUser(), await bench.storedUser()];
      const first = await storedSession(user.id, { createdAt: AT });
      const third = await storedSession(user.id, { createdAt: AT + 20 });
      const second = await storedSession(user.id, { createdAt: AT + 10 });
      await storedSession(user.id, { revokedAt: AT + 1 });
      await storedSession(user.id, { expiresAt: AT + 100 });
      await storedSession(other.id);
      expect(await bench.stores.sessions.listOpen(user.id, AT + 100)).toEqual([third, second, first]);
      expect(await openIdsOf(user.id, AT + 99)).toHaveLength(4);
      expect(await openIdsOf(user.id, AT + 1000)).toEqual([]);
    });

    test("a session is revoked once and for all", async () => {
      const user = await bench.storedUser();
      const [session, kept] = [await storedSession(user.id), await storedSession(user.id)];
      expect(await bench.stores.sessions.revoke(user.id, { id: session.id }, AT + 10)).toBe(1);
      expect(await bench.stores.sessions.revoke(user.id, { id: session.id }, AT + 20)).toBe(0);
      expect(await bench.stores.sessions.find(session.id)).toEqual({ ...session, revokedAt: AT + 10 });
      expect(await openIdsOf(user.id, AT + 20)).toEqual([kept.id]);
    });

    test("all but one, or all, are revoked; only those that were open count", async () => {
      const user = await bench.storedUser();
      const [kept, ...others] = [
        await storedSession(user.id),
        await storedSession(user.id),
        await storedSession(user.id),
        await storedSession(user.id, { expiresAt: AT + 10 }),
      ];
      expect(await bench.stores.sessions.revoke(user.id, { except: kept.id }, AT + 10)).toBe(2);
      expect(await openIdsOf(user.id, AT + 10)).toEqual([kept.id]);
      for (const { id } of others) expect(await bench.stores.sessions.find(id)).toHaveProperty("revokedAt", AT + 10);
      expect(await bench.stores.sessions.revoke(user.id, {}, AT + 11)).toBe(1);
      expect(await openIdsOf(user.id, AT + 11)).toEqual([]);
    });

    test("what was begun from a session as somebody else ends with it, and counts for nobody", async () => {
      const { sessions } = bench.stores;
      const [admin, user] = [await bench.storedUser(), await bench.storedUser()];
      const [own, other] = [await storedSession(admin.id), await storedSession(admin.id)];
      const seen = await storedSession(user.id, { adminSessionId: own.id });
      const kept = await storedSession(user.id, { adminSessionId: other.id });
      expect(await sessions.find(seen.id)).toEqual(seen);
      expect(await sessions.revoke(admin.id, { id: own.id }, AT + 10)).toBe(1);
      expect(await openIdsOf(user.id, AT + 10)).toEqual([kept.id]);
      await sessions.revokeBegunFrom([other.id], AT + 11);
      expect(await sessions.find(kept.id)).toEqual({ ...kept, revokedAt: AT + 11 });
      expect(await openIdsOf(admin.id, AT + 11)).toEqual([other.id]);
    });

    test("nobody revokes the sessions of another user", async () => {
      const [user, other] = [await bench.storedUser(), await bench.storedUser()];
      const session = await storedSession(other.id);
      for (const which of [{ id: session.id }, { except: "session_none" }, {}]) {
        expect(await bench.stores.sessions.revoke(user.id, which, AT + 1)).toBe(0);
      }
      expect(await bench.stores.sessions.find(session.id)).toEqual(session);
    });
  });
}
