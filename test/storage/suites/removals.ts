import { describe, expect, test } from "bun:test";
import { AT, newAuditEntry, newKey, newSession } from "../new-records.ts";
import { rejection } from "../rejection.ts";
import type { StoreBench } from "../store-bench.ts";

/** What goes with a record that is removed, and what stays. */
export function removalSuite(bench: StoreBench): void {
  async function furnishedTeam() {
    const team = await bench.storedTeam();
    const user = await bench.storedUser();
    const { stores } = bench;
    const { organizationId } = team;
    const ids = { organizationId, teamId: team.id, userId: user.id };
    const key = newKey(team.id, { createdBy: user.id });
    const session = newSession(user.id, { organizationId });
    await stores.organizationMembers.insert({ organizationId, userId: user.id, role: "member", joinedAt: AT });
    await stores.teamMembers.insert({ teamId: team.id, userId: user.id, role: "admin", joinedAt: AT });
    await stores.keys.insert(key);
    await stores.sessions.insert(session);
    await stores.audit.insert(newAuditEntry({ organizationId, userId: user.id }));
    return { ...ids, team, key, session };
  }

  describe("removals", () => {
    test("a team takes its memberships and keys with it, and nothing of other teams", async () => {
      const [{ teamId, userId, key }, other] = [await furnishedTeam(), await furnishedTeam()];
      const { stores } = bench;
      await stores.teams.remove(teamId);
      expect(await stores.teams.find(teamId)).toBeNull();
      expect(await stores.teamMembers.find(teamId, userId)).toBeNull();
      expect(await stores.keys.find(key.id)).toBeNull();
      expect(await stores.keys.findByHash(key.hash)).toBeNull();
      expect(await stores.users.find(userId)).not.toBeNull();
      expect((await stores.keys.find(other.key.id))?.key).toEqual(other.key);
      expect(await stores.teamMembers.find(other.teamId, other.userId)).not.toBeNull();
      await stores.teams.remove(teamId);
    });

    test("an organization takes its teams and members with it; sessions and the audit log stay", async () => {
      const { organizationId, teamId, userId, key, session } = await furnishedTeam();
      const { stores } = bench;
      await bench.backend.db.deleteFrom("organizations").where("id", "=", organizationId).execute();
      expect(await stores.teams.find(teamId)).toBeNull();
      expect(await stores.keys.find(key.id)).toBeNull();
      expect(await stores.organizationMembers.find(organizationId, userId)).toBeNull();
      expect(await stores.sessions.find(session.id)).toEqual({ ...session, organizationId: null });
      expect(await stores.audit.list({ organizationId }, { page: 1, pageSize: 9 })).toHaveProperty("total", 1);
    });

    test("a user takes memberships and sessions along; keys and the audit log stay", async () => {
      const { organizationId, teamId, userId, key, session } = await furnishedTeam();
      const { stores } = bench;
      await bench.backend.db.deleteFrom("users").where("id", "=", userId).execute();
      expect(await stores.organizationMembers.find(organizationId, userId)).toBeNull();
      expect(await stores.teamMembers.find(teamId, userId)).toBeNull();
      expect(await stores.sessions.find(session.id)).toBeNull();
      expect((await stores.keys.find(key.id))?.key).toEqual({ ...key, createdBy: null });
      expect(await stores.audit.list({ userId }, { page: 1, pageSize: 9 })).toHaveProperty("total", 1);
    });

    test("the owner of an organization cannot be removed", async () => {
      const { ownerId } = await bench.storedOrganization();
      const removal = bench.backend.db.deleteFrom("users").where("id", "=", ownerId).execute();
      expect(await rejection(removal)).toHaveProperty("message", expect.stringMatching(/foreign key/i));
      expect(await bench.stores.users.find(ownerId)).not.toBeNull();
    });
  });
}
