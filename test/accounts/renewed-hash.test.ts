import { afterAll, describe, expect, spyOn, test } from "bun:test";
import { Passwords } from "../../src/accounts/passwords.ts";
import { startApp } from "../app.ts";
import { DATABASES } from "../storage/databases.ts";
import { migratedUrl } from "../storage/migrated.ts";
import { newPerson, type Person } from "./people.ts";

const PASSWORD = "a good long one";
const TODAY = /^\$argon2id\$v=19\$m=19456,t=2,p=1\$/;
const weakly = (how: Parameters<typeof Bun.password.hash>[1]) => Bun.password.hash(PASSWORD, how);
const WEAK = {
  "too little memory": () => weakly({ algorithm: "argon2id", memoryCost: 4_096, timeCost: 3 }),
  "one pass": () => weakly({ algorithm: "argon2id", memoryCost: 19_456, timeCost: 1 }),
  "another kind of argon2": () => weakly({ algorithm: "argon2i", memoryCost: 19_456, timeCost: 2 }),
  bcrypt: () => weakly({ algorithm: "bcrypt", cost: 4 }),
};

for (const { kind, missing } of DATABASES) {
  describe.skipIf(missing)(`a hash that is weaker than today's on ${kind}`, async () => {
    const app = await startApp("", await migratedUrl(kind), undefined, { realPasswords: true });
    afterAll(() => app.close());
    const { users } = app.storage.accounts;
    const logIn = async ({ email }: Person, password = PASSWORD) =>
      (await app.call("/api/auth/token", { json: { email, password } })).status;
    const hashOf = async ({ id }: Person): Promise<string> => (await users.find(id))?.passwordHash ?? "";

    test.each(Object.entries(WEAK))(
      "(%s) is made anew by the next log-in, which still works after it",
      async (_, make) => {
        const person = await newPerson(app);
        const weak = await make();
        await users.update(person.id, { passwordHash: weak });
        expect(await logIn(person, "a wrong long one")).toBe(401);
        expect(await hashOf(person)).toBe(weak);
        expect(await logIn(person)).toBe(200);
        const renewed = await hashOf(person);
        expect(renewed).toMatch(TODAY);
        expect(await logIn(person)).toBe(200);
        expect(await hashOf(person)).toBe(renewed);
        expect((await person.send("GET", "/api/auth/me")).status).toBe(200);
      },
    );

    /** Logs in, and writes another hash once the password was found to be right: what another server does at that moment. */
    async function logInWhile(person: Person, passwordHash: string): Promise<number> {
      const { verify } = Bun.password;
      const spy = spyOn(Bun.password, "verify").mockImplementation(async (...given) => {
        const matches = await verify(...given);
        spy.mockRestore();
        await users.update(person.id, { passwordHash });
        return matches;
      });
      return logIn(person);
    }

    test("lets in who logs in at two servers at once, of which one was first to make it anew", async () => {
      const person = await newPerson(app);
      await users.update(person.id, { passwordHash: await WEAK["one pass"]() });
      const others = await weakly({ algorithm: "argon2id", memoryCost: 19_456, timeCost: 2 });
      expect(await logInWhile(person, others)).toBe(200);
      expect(await hashOf(person)).toBe(others);
    });

    test("does not bring back a password that was changed at that moment", async () => {
      const person = await newPerson(app);
      await users.update(person.id, { passwordHash: await WEAK["one pass"]() });
      const changed = await Bun.password.hash("another good long one", "argon2id");
      expect(await logInWhile(person, changed)).toBe(401);
      expect(await hashOf(person)).toBe(changed);
    });

    test("leaves one of today's strength or more as it is", async () => {
      const person = await newPerson(app);
      const strong = await weakly({ algorithm: "argon2id", memoryCost: 32_768, timeCost: 3 });
      await users.update(person.id, { passwordHash: strong });
      expect(await logIn(person)).toBe(200);
      expect(await hashOf(person)).toBe(strong);
    });
  });
}

test("what is no hash of ours counts as weak", () => {
  const passwords = new Passwords();
  expect(["", "plain", "$argon2id$v=19$m=1,t=1", "$2b$10$abc"].every((hash) => passwords.isWeak(hash))).toBe(true);
});
