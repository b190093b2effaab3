import { afterAll, describe, expect, test } from "bun:test";
import { MASTER_KEY } from "../app.ts";
import { DATABASES } from "../storage/databases.ts";
import { newPerson, type Person, startAppOn, WITHOUT_CREDIT } from "./people.ts";

for (const { kind, missing } of DATABASES) {
  describe.skipIf(missing)(`a user who is removed on ${kind}`, async () => {
    if (missing) return;
    const app = await startAppOn(kind, WITHOUT_CREDIT);
    afterAll(() => app.close());

    const remove = ({ id }: Person) => app.call(`/api/admin/users/${id}`, { method: "DELETE", key: MASTER_KEY });
    const teamOf = async ({ ownId }: Person) => (await app.storage.accounts.teams.list(ownId))[0]?.team.id;
    const newKey = async ({ send }: Person, teamId: string | undefined) => {
      const { body } = await send("POST", "/api/gw/api-keys", { teamId, name: `key ${crypto.randomUUID()}` });
      return (body as { token: string }).token;
    };
    const models = async (key: string) => (await app.call("/v1/models", { key })).status;

    test("leaves no key that works, and everybody else's as they were", async () => {
      const [owner, member] = [await newPerson(app), await newPerson(app)];
      const teamId = await teamOf(owner);
      const { organizationMembers, teamMembers } = app.storage.accounts;
      await organizationMembers.insert({ organizationId: owner.ownId, userId: member.id, role: "member", joinedAt: 0 });
      await teamMembers.insert({ teamId: teamId ?? "", userId: member.id, role: "admin", joinedAt: 0 });
      const headers = { "x-organization-id": owner.ownId };
      const { body } = await member.send("POST", "/api/gw/api-keys", { teamId, name: "theirs" }, headers);
      const { token: theirs } = body as { token: string };
      const [own, others] = [await newKey(member, await teamOf(member)), await newKey(owner, teamId)];
      expect(await Promise.all([theirs, own, others].map(models))).toEqual([200, 200, 200]);

      expect((await remove(member)).status).toBe(200);
      expect(await Promise.all([theirs, own, others].map(models))).toEqual([401, 401, 200]);
      const log = await app.call("/api/admin/audit-logs?action=user.remove", { key: MASTER_KEY });
      expect(await log.json()).toMatchObject({ data: [{ targetId: String(member.id), details: { keysDisabled: 2 } }] });
    });

    test("is kept while all other owners of an organization are shut out", async () => {
      const [owner, other] = [await newPerson(app), await newPerson(app)];
      const { organizationMembers, users } = app.storage.accounts;
      await organizationMembers.insert({ organizationId: owner.ownId, userId: other.id, role: "owner", joinedAt: 0 });
      await users.update(other.id, { status: "disabled" });
      const refused = await remove(owner);
      expect([refused.status, await refused.text()]).toEqual([409, expect.stringContaining("other members")]);
      await users.update(other.id, { status: "active" });
      expect((await remove(owner)).status).toBe(200);
    });

    test("is kept while they are the only owner of credit", async () => {
      const owner = await newPerson(app);
      const grant = { amount: 1, reason: "one nano-USD" };
      const path = `/api/admin/organizations/${owner.ownId}/credits`;
      expect((await app.call(path, { json: grant, key: MASTER_KEY })).status).toBe(200);
      const key = await newKey(owner, await teamOf(owner));

      const refused = await remove(owner);
      expect(refused.status).toBe(409);
      expect(await refused.text()).toContain("only owner of an organization with credit");
      expect(await models(key)).toBe(200);

      const organization_ids = [owner.ownId];
      const gone = await app.call("/organization/delete", {
        method: "DELETE",
        json: { organization_ids },
        key: MASTER_KEY,
      });
      expect(gone.status).toBe(200);
      expect((await remove(owner)).status).toBe(200);
    });
  });
}
