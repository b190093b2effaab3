import { afterAll, describe, expect, test } from "bun:test";
import { DATABASES } from "../storage/databases.ts";
import { newPerson, startAppOn } from "./people.ts";

for (const { kind, missing } of DATABASES) {
  describe.skipIf(missing)(`administrators on ${kind}`, async () => {
    const app = await startAppOn(kind);
    afterAll(() => app.close());
    const { users } = app.storage.accounts;

    async function newAdministrator() {
      const person = await newPerson(app);
      await users.update(person.id, { role: "admin" });
      return person;
    }

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
