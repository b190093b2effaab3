import { afterAll, describe, expect, test } from "bun:test";
import { DATABASES } from "../storage/databases.ts";
import { newPerson, startAppOn, WITHOUT_CREDIT } from "./people.ts";

interface Listing {
  readonly data: readonly { readonly id: string; readonly name: string }[];
}

for (const { kind, missing } of DATABASES) {
  describe.skipIf(missing)(`administrators on ${kind}`, async () => {
    const app = await startAppOn(kind, WITHOUT_CREDIT);
    afterAll(() => app.close());
    const { users } = app.storage.accounts;

    async function newAdministrator() {
      const person = await newPerson(app);
      await users.update(person.id, { role: "admin" });
      return person;
    }

    test("an administrator finds the teams and keys of everybody, with whose they are", async () => {
      const [administrator, person] = [await newAdministrator(), await newPerson(app)];
      const own: Listing = (await person.send("GET", "/api/gw/teams")).body;
      const [team] = own.data;
      const name = `key of ${person.id}`;
      const made = await person.send("POST", "/api/gw/api-keys", { name, team_id: team?.id });
      expect(made.status).toBe(201);
      const { key }: { key: string } = made.body;
      const read = async (path: string): Promise<Listing> => (await administrator.send("GET", path)).body;

      expect((await read(`/api/admin/teams?organizationId=${person.ownId}`)).data).toMatchObject([
        { id: team?.id, keysCount: 1, organizationName: expect.stringMatching(/./) },
      ]);
      const keys = await read(`/api/admin/api-keys?search=${encodeURIComponent(name)}`);
      expect(keys.data).toMatchObject([{ teamId: team?.id, teamName: team?.name, status: "active", spend: 0 }]);
      expect(JSON.stringify(keys)).not.toContain(key);
      expect((await read(`/api/admin/api-keys?teamId=${team?.id}&search=nobody`)).data).toEqual([]);
      expect((await administrator.send("GET", "/api/admin/teams?organizationId=none")).status).toBe(404);
      expect((await person.send("GET", "/api/admin/api-keys")).status).toBe(403);
    });

    test("an administrator sees which organizations somebody is in", async () => {
      const [administrator, person] = [await newAdministrator(), await newPerson(app)];
      const organizations = [{ id: person.ownId, name: expect.stringMatching(/./), role: "owner" }];
      const shown = await administrator.send("GET", `/api/admin/users/${person.id}`);
      expect(shown.body).toMatchObject({ id: person.id, organizations });
      const listed = await administrator.send("GET", `/api/admin/users?search=${person.email}`);
      expect(listed.body).toMatchObject({ data: [{ id: person.id, organizations }] });
    });

    test.each([
      ["demote", "PATCH", { role: "user" }],
      ["disable", "PATCH", { status: "disabled" }],
      ["remove", "DELETE", undefined],
    ])("of two who %s each other at once, one stays", async (_, method, body) => {
      for (let round = 0; round < 5; round++) {
        const [one, other] = [await newAdministrator(), await newAdministrator()];
        const attack = (id: number) => [method, `/api/admin/users/${id}`, body] as const;
        const answers = await Promise.all([one.send(...attack(other.id)), other.send(...attack(one.id))]);
        expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
        const left = await Promise.all([one, other].map(({ id }) => users.find(id)));
        expect(left.filter((user) => user?.role === "admin" && user.status === "active")).toHaveLength(1);
      }
    });
  });
}
