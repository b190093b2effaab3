import { afterAll, describe, expect, spyOn, test } from "bun:test";
import { MASTER_KEY } from "../app.ts";
import { DATABASES } from "../storage/databases.ts";
import { newPerson, type Person, startAppOn, WITHOUT_CREDIT } from "./people.ts";

for (const { kind, missing } of DATABASES) {
  describe.skipIf(missing)(`an organization that somebody loses on ${kind}`, async () => {
    if (missing) return;
    const app = await startAppOn(kind, WITHOUT_CREDIT);
    afterAll(() => app.close());
    const { organizationMembers } = app.storage.accounts;

    const remove = ({ ownId }: Person) =>
      app.call("/organization/delete", { method: "DELETE", json: { organization_ids: [ownId] }, key: MASTER_KEY });
    const takeOut = ({ ownId, token }: Person, { id }: Person) =>
      app.call(`/api/gw/organizations/${ownId}/members/${id}`, { method: "DELETE", key: token });

    test.each([
      ["is removed", remove],
      ["goes on without them", takeOut],
    ])("and that %s while they choose it is not chosen", async (_, end) => {
      const [owner, member] = [await newPerson(app), await newPerson(app)];
      const { ownId: organizationId } = owner;
      await organizationMembers.insert({ organizationId, userId: member.id, role: "member", joinedAt: 0 });
      const { find } = organizationMembers;
      const looked = spyOn(organizationMembers, "find").mockImplementationOnce(async (...given) => {
        const found = await find(...given);
        expect((await end(owner, member)).status).toBe(200);
        return found;
      });
      const chosen = await member.send("POST", "/api/gw/organizations/active", { organizationId });
      looked.mockRestore();
      expect(chosen.status).toBe(404);
      expect((await member.send("GET", "/api/gw/teams")).status).toBe(200);
    });

    test("is not joined by who is removed from the installation while they accept", async () => {
      const owner = await newPerson(app);
      const [first] = await app.storage.accounts.teams.list(owner.ownId);
      for (let round = 0; round < 5; round++) {
        const guest = await newPerson(app);
        const invitation = { teamId: first?.team.id, email: guest.email, role: "member" };
        const { body } = await owner.send("POST", "/api/gw/teams/invite-member", invitation);
        const token = (body as { inviteUrl: string }).inviteUrl.split("?token=")[1];
        const [removed] = await Promise.all([
          app.call(`/api/admin/users/${guest.id}`, { method: "DELETE", key: MASTER_KEY }),
          guest.send("POST", "/api/invitations/accept", { token }),
        ]);
        expect(removed.status).toBe(200);
        expect(await organizationMembers.find(owner.ownId, guest.id)).toBeNull();
      }
    });
  });
}
