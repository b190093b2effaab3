import { afterAll, describe, expect, test } from "bun:test";
import { PasskeyBrowser } from "../accounts/passkey-browser.ts";
import { newPerson } from "../accounts/people.ts";
import { SoftwareAuthenticator } from "../accounts/software-authenticator.ts";
import { MASTER_KEY } from "../app.ts";
import { Mailing, PUBLIC_URL } from "./mailing.ts";

describe("where mail is sent", async () => {
  const mailing = await Mailing.start("sqlite");
  const { app, smtp } = mailing;
  afterAll(() => mailing.close());
  const browser = new PasskeyBrowser(app, PUBLIC_URL);
  const lettersTo = (email: string) => smtp.received.filter(({ to }) => to.includes(email));

  test("a person is told of each passkey that is added or removed, by whomever", async () => {
    const person = await newPerson(app);
    await mailing.deliver();
    const before = lettersTo(person.email).length;
    const { id } = await browser.register(person, "Ada's <b>laptop</b>");
    await browser.register(person, "Phone");
    await person.send("PATCH", `/api/auth/passkeys/${id}`, { name: "Laptop" });
    await person.send("DELETE", `/api/auth/passkeys/${id}`);
    await app.call(`/api/admin/users/${person.id}/passkeys`, { method: "DELETE", key: MASTER_KEY });
    await mailing.deliver();
    const letters = lettersTo(person.email).slice(before);
    const told = letters.map(({ text }) => /(the passkey "[^"]+" was|all passkeys were) \w+/.exec(text)?.[0]).sort();
    expect(told).toEqual([
      "all passkeys were removed",
      'the passkey "Ada\'s <b>laptop</b>" was added',
      'the passkey "Laptop" was removed',
      'the passkey "Phone" was added',
    ]);
    for (const { text } of letters) {
      expect(text).toContain(`${PUBLIC_URL}/ui/account`);
      expect(text).not.toContain("command line");
    }
  });

  test("nobody's mailbox is filled by passkeys that come and go: five are added in an hour", async () => {
    const person = await newPerson(app);
    await mailing.deliver();
    const before = lettersTo(person.email).length;
    for (let made = 0; made < 5; made++) {
      const { id } = await browser.register(person);
      await person.send("DELETE", `/api/auth/passkeys/${id}`);
    }
    const { options, cookie } = await browser.options(person);
    const sixth = await browser.add(person, new SoftwareAuthenticator(PUBLIC_URL).create(options), cookie);
    expect(sixth).toMatchObject({ status: 429 });
    expect(await app.storage.accounts.passkeys.listOf(person.id)).toEqual([]);
    await mailing.deliver();
    expect(lettersTo(person.email)).toHaveLength(before + 10);
    // Letters for a new password are counted apart: whoever asks for those keeps nobody from adding a passkey.
    await browser.register(await newPerson(app));
    expect((await mailing.send("/api/auth/password/forgot", { email: person.email })).status).toBe(200);
    mailing.pass(60 * 60_000);
    await browser.register(person);
  });

  test("who is shut out by then is not written to", async () => {
    const person = await newPerson(app);
    await mailing.deliver();
    const before = lettersTo(person.email).length;
    await browser.register(person);
    await app.storage.accounts.users.update(person.id, { status: "disabled" });
    await mailing.deliver();
    expect(lettersTo(person.email)).toHaveLength(before);
  });
});
