import { afterAll, describe, expect, spyOn, test } from "bun:test";
import { MASTER_KEY } from "../app.ts";
import { DATABASES } from "../storage/databases.ts";
import { newPerson, type Person, startAppOn } from "./people.ts";

for (const { kind, missing } of DATABASES) {
  describe.skipIf(missing)(`an organization that somebody loses on ${kind}`, async () => {
    if (missing) return;
    const app = await startAppOn(kind);
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
  });
}
