import { afterAll, describe, expect, test } from "bun:test";
import { TOTP } from "otpauth";
import { PasskeyTickets } from "../../src/accounts/passkey-tickets.ts";
import { verifyCreation } from "../../src/accounts/webauthn.ts";
import { MASTER_KEY } from "../app.ts";
import { SteppedClock } from "../stepped-clock.ts";
import { DATABASES } from "../storage/databases.ts";
import { ORIGIN, PASSWORD, PasskeyBrowser } from "./passkey-browser.ts";
import { newPerson, type Person, startAppOn, WITHOUT_CREDIT } from "./people.ts";
import { SoftwareAuthenticator, type Twist } from "./software-authenticator.ts";

const PATH = "/api/auth/passkeys";

for (const { kind, missing } of DATABASES) {
  describe.skipIf(missing)(`passkeys on ${kind}`, async () => {
    if (missing) return;
    const clock = new SteppedClock();
    const app = await startAppOn(kind, WITHOUT_CREDIT, clock);
    afterAll(() => app.close());
    const browser = new PasskeyBrowser(app);
    const names = async ({ send }: Person) =>
      ((await send("GET", PATH)).body as { data: { name: string }[] }).data.map(({ name }) => name);
    const whoIs = async (token = "") =>
      ((await (await app.call("/api/auth/me", { key: token })).json()) as { user?: { id: number } }).user?.id;
    const operator = (method: string, path: string, json?: object) =>
      app.call(path, { method, key: MASTER_KEY, ...(json ? { json } : {}) });

    test("somebody adds one with their password, and signs in with nothing else", async () => {
      const person = await newPerson(app);
      const { device, id } = await browser.register(person);
      const { status, body } = await browser.signIn(device);
      expect([status, await whoIs(body.token)]).toEqual([200, person.id]);
      const listed = await person.send("GET", PATH);
      const at = new Date(clock.nowMs()).toISOString();
      const shown = { id, name: "Laptop", host: "turnpike.test", createdAt: at, lastUsedAt: at };
      expect(listed.body).toMatchObject({ data: [shown], meta: { total: 1 } } as never);
      expect(JSON.stringify(listed.body)).not.toContain(device.credentialId);
      expect((await browser.signIn(device)).status).toBe(200);
    });

    test.each(["ES256", "EdDSA", "RS256"] as const)("a device may sign by %s", async (algorithm) => {
      const { device } = await browser.register(await newPerson(app), "Key", true, algorithm);
      expect((await browser.signIn(device)).status).toBe(200);
      const { options, cookie } = await browser.ask();
      const signed = device.get(options);
      const { signature } = device.get(options, { counter: 99 }).response;
      const forged = { ...signed, response: { ...signed.response, signature } };
      expect((await browser.answer(forged, cookie)).status).toBe(401);
    });

    test("a browser gets the session as a cookie, by the rules of every other log-in", async () => {
      const { device } = await browser.register(await newPerson(app));
      const { status, cookies, body } = await browser.signIn(device, {}, { json: { cookie: true } });
      expect([status, body.token, typeof body.csrfToken]).toEqual([200, undefined, "string"]);
      const [session = "", used = ""] = cookies;
      expect(session).toMatch(/^__Host-turnpike=[^;]+; Path=\/; Max-Age=\d+; HttpOnly; Secure; SameSite=Lax$/);
      expect(used).toMatch(/^__Host-turnpike-passkey=; Path=\/; Max-Age=0;/);
      const headers = { cookie: session.split(";")[0] ?? "", origin: ORIGIN };
      const rename = (more: object) =>
        app.call("/api/gw/organizations", { json: { name: "Made" }, headers: { ...headers, ...more } });
      expect((await rename({})).status).toBe(403);
      expect((await rename({ "x-csrf-token": body.csrfToken ?? "" })).status).toBe(201);
    });

    test("no address and no list of passkeys is asked for, and the device has to look at the person", async () => {
      const { options } = await browser.ask();
      expect(options).toMatchObject({ rpId: "turnpike.test", userVerification: "required" } as never);
      expect(options).not.toHaveProperty("allowCredentials");
      const person = await newPerson(app);
      await browser.register(person);
      const { body } = await browser.options(person);
      expect(body.options).toMatchObject({
        rp: { id: "turnpike.test" },
        attestation: "none",
        authenticatorSelection: { residentKey: "required", userVerification: "required" },
        excludeCredentials: [{ type: "public-key" }],
      } as never);
      expect(Buffer.from(body.options.user.id, "base64url")).toHaveLength(32);
    });

    test("a passkey counts as two factors: no code is asked for", async () => {
      const person = await newPerson(app);
      const { device } = await browser.register(person);
      const { secret } = (await person.send("POST", "/api/auth/2fa/setup")).body as { secret: string };
      const codeOf = (steps: number) => new TOTP({ secret }).generate({ timestamp: clock.nowMs() + steps * 30_000 });
      const enabled = await person.send("POST", "/api/auth/2fa/enable", { code: codeOf(-1), password: PASSWORD });
      expect(enabled.status).toBe(200);
      expect((await browser.signIn(device)).status).toBe(200);
      // A code is as good as the password for adding another one.
      expect((await browser.options(person, { code: codeOf(0) })).status).toBe(200);
      expect((await browser.options(person, { code: codeOf(0) })).status).toBe(403);
      expect((await browser.options(person, { code: "abcdefgh" })).status).toBe(403);
    });

    test("an open session alone adds none", async () => {
      const person = await newPerson(app);
      expect(await browser.options(person, {})).toMatchObject({
        status: 400,
        body: { error: "password: send it too." },
      });
      expect(await browser.options(person, { password: "wrong" })).toMatchObject({ status: 403 });
      // Without a second factor there are no codes.
      expect(await browser.options(person, { code: "123456" })).toMatchObject({ status: 400 });
      for (let tries = 0; tries < 4; tries++) await browser.options(person, { password: "wrong" });
      expect((await browser.options(person)).status).toBe(429);
    });

    test("who has neither password nor second factor must have signed in a moment ago", async () => {
      const person = await newPerson(app);
      await app.storage.accounts.users.update(person.id, { passwordHash: null });
      expect((await browser.options(person, {})).status).toBe(200);
      clock.step(10 * 60_000 + 1);
      expect(await browser.options(person, {})).toMatchObject({ status: 403, body: { code: "FORBIDDEN" } });
    });

    const WRONG: readonly (readonly [string, Twist])[] = [
      ["of another origin", { origin: "https://turnpike.test.evil.example" }],
      ["of another challenge", { challenge: Buffer.alloc(32).toString("base64url") }],
      ["of another host", { rpId: "evil.example" }],
      ["without a look at the person", { isVerified: false }],
      ["of the other ceremony", { type: "webauthn.other" }],
    ];

    test.each(WRONG)("an answer %s adds nothing and signs nobody in", async (_, twist) => {
      const person = await newPerson(app);
      const { options, cookie } = await browser.options(person);
      const device = new SoftwareAuthenticator(ORIGIN);
      expect((await browser.add(person, device.create(options, twist), cookie)).status).toBe(400);
      // The challenge is over with the wrong answer.
      expect((await browser.add(person, device.create(options), cookie)).status).toBe(409);
      expect(await names(person)).toEqual([]);

      const { device: good } = await browser.register(person);
      expect((await browser.signIn(good, twist)).status).toBe(401);
      expect((await browser.signIn(good)).status).toBe(200);
    });

    test("a device without a user handle, or with somebody else's, signs nobody in", async () => {
      const [ada, bob] = [await newPerson(app), await newPerson(app)];
      const { device } = await browser.register(ada);
      const { body } = await browser.options(bob);
      for (const userHandle of [null, body.options.user.id, "AA"]) {
        expect((await browser.signIn(device, { userHandle })).status).toBe(401);
      }
      expect((await browser.signIn(device)).status).toBe(200);
    });

    test("a key of one person does not sign for the passkey of another", async () => {
      const [ada, bob] = [await newPerson(app), await newPerson(app)];
      const [theirs, own] = [(await browser.register(ada)).device, (await browser.register(bob)).device];
      const { body } = await browser.options(ada);
      const twist = { credentialId: theirs.credentialId, userHandle: body.options.user.id };
      expect((await browser.signIn(own, twist)).status).toBe(401);
      expect((await browser.signIn(own, { credentialId: "bm90aGluZw" })).status).toBe(401);
    });

    test("an answer is good once, also when it is sent many times at once", async () => {
      const { device } = await browser.register(await newPerson(app), "Phone", false);
      const { options, cookie } = await browser.ask();
      const credential = device.get(options);
      const all = await Promise.all([1, 2, 3, 4].map(() => browser.answer(credential, cookie)));
      expect(all.map(({ status }) => status).sort()).toEqual([200, 409, 409, 409]);
      expect((await browser.answer(credential, cookie)).status).toBe(409);
      expect((await browser.answer(device.get(options), cookie)).status).toBe(409);
    });

    test("an answer is good in the browser that asked, for five minutes, and for what it was asked for", async () => {
      const person = await newPerson(app);
      const { device } = await browser.register(person);
      const [one, other] = [await browser.ask(), await browser.ask()];
      expect((await browser.answer(device.get(one.options), "")).status).toBe(409);
      expect((await browser.answer(device.get(one.options), other.cookie)).status).toBe(401);
      expect((await browser.answer(device.get(one.options), `${one.cookie}x`)).status).toBe(409);
      expect((await browser.answer(device.get(one.options), one.cookie)).status).toBe(200);
      const late = await browser.ask();
      const begun = await browser.options(person);
      clock.step(5 * 60_000);
      expect((await browser.answer(device.get(late.options), late.cookie)).status).toBe(409);
      const credential = new SoftwareAuthenticator(ORIGIN).create(begun.options);
      expect((await browser.add(person, credential, begun.cookie)).status).toBe(409);
      expect((await browser.add(person, credential, (await browser.ask()).cookie)).status).toBe(409);
    });

    test("what was begun for somebody adds nothing for another, nor where it was not begun", async () => {
      const [ada, bob] = [await newPerson(app), await newPerson(app)];
      const { options, cookie } = await browser.options(ada);
      const credential = new SoftwareAuthenticator(ORIGIN).create(options);
      expect((await browser.add(bob, credential, cookie)).status).toBe(409);
      expect((await browser.add(ada, credential, "")).status).toBe(409);
      expect((await browser.add(ada, credential, (await browser.options(bob)).cookie)).status).toBe(409);
      expect((await browser.add(ada, credential, cookie)).status).toBe(201);
      expect((await browser.add(ada, credential, cookie)).status).toBe(409);
    });

    test("who was logged out meanwhile leaves no passkey behind", async () => {
      const person = await newPerson(app);
      const { options, cookie } = await browser.options(person);
      await person.send("POST", "/api/auth/logout");
      const credential = new SoftwareAuthenticator(ORIGIN).create(options);
      expect((await browser.add(person, credential, cookie)).status).toBe(401);
      expect(await app.storage.accounts.passkeys.listOf(person.id)).toEqual([]);
    });

    test("a counter that goes back or stands still is a copy's, and one that is always 0 is none", async () => {
      const { device } = await browser.register(await newPerson(app));
      expect((await browser.signIn(device, { counter: 7 })).status).toBe(200);
      for (const counter of [7, 6, 0]) expect((await browser.signIn(device, { counter })).status).toBe(401);
      expect((await browser.signIn(device, { counter: 4_294_967_295 })).status).toBe(200);
      const { device: plain } = await browser.register(await newPerson(app), "Phone", false);
      for (let times = 0; times < 2; times++) expect((await browser.signIn(plain)).status).toBe(200);
      expect((await browser.signIn(plain, { counter: 1 })).status).toBe(200);
      expect((await browser.signIn(plain)).status).toBe(401);
    });

    test("two answers with the same count at once are one log-in", async () => {
      const { device } = await browser.register(await newPerson(app));
      const asked = await Promise.all([1, 2, 3].map(() => browser.ask()));
      // From networks of their own: those of one take their turns.
      const sent = asked.map(({ options, cookie }, at) =>
        browser.answer(device.get(options, { counter: 5 }), cookie, { remoteAddress: `10.1.${at}.1` }),
      );
      expect((await Promise.all(sent)).map(({ status }) => status).sort()).toEqual([200, 401, 401]);
    });

    test("the same device is registered once, whoever comes with it", async () => {
      const [ada, bob] = [await newPerson(app), await newPerson(app)];
      const { device } = await browser.register(ada);
      for (const person of [ada, bob]) {
        const { options, cookie } = await browser.options(person);
        const again = await browser.add(person, device.create(options), cookie);
        expect(again).toMatchObject({ status: 409, body: { error: "This passkey is registered already." } });
      }
      expect(await names(bob)).toEqual([]);
    });

    test("certificates of a device's maker are refused before anybody looks at them", async () => {
      const person = await newPerson(app);
      const { options, cookie } = await browser.options(person);
      const statement = new Map([["x5c", [Buffer.from("a certificate")]]]);
      const made = { attestation: { fmt: "packed", statement } };
      const credential = new SoftwareAuthenticator(ORIGIN).create(options, made);
      const ticket = { origin: ORIGIN, rpId: "turnpike.test", challenge: options.challenge, endsAtMs: 0 };
      expect(await verifyCreation(credential, ticket).catch(String)).toContain("packed was not asked for");
      expect((await browser.add(person, credential, cookie)).status).toBe(400);
    });

    test("people name, rename and remove their own; another's is not there", async () => {
      const [ada, bob] = [await newPerson(app), await newPerson(app)];
      const { id, device } = await browser.register(ada, "  Laptop ");
      await browser.register(ada, "Phone");
      expect(await names(ada)).toEqual(["Laptop", "Phone"]);
      for (const [method, json] of [["PATCH", { name: "Mine" }], ["DELETE"]] as const) {
        expect(await bob.send(method, `${PATH}/${id}`, json)).toMatchObject({
          status: 404,
          body: { code: "NOT_FOUND" },
        });
      }
      expect((await ada.send("PATCH", `${PATH}/${id}`, { name: " " })).status).toBe(400);
      expect(await ada.send("PATCH", `${PATH}/${id}`, { name: "Old laptop" })).toMatchObject({
        status: 200,
        body: { id, name: "Old laptop" },
      });
      expect((await ada.send("DELETE", `${PATH}/${id}`)).status).toBe(200);
      expect((await ada.send("DELETE", `${PATH}/${id}`)).status).toBe(404);
      expect(await names(ada)).toEqual(["Phone"]);
      expect((await browser.signIn(device)).status).toBe(401);
      const { rows } = await app.storage.accounts.audit.list({ userId: ada.id }, { page: 1, pageSize: 10 });
      expect(rows.map(({ action }) => action).filter((action) => action.startsWith("passkey."))).toEqual([
        "passkey.remove",
        "passkey.rename",
        "passkey.add",
        "passkey.add",
      ]);
      expect(JSON.stringify(rows)).not.toContain(device.credentialId);
    });

    test("a person has at most twenty", async () => {
      const person = await newPerson(app);
      for (let made = 0; made < 20; made++) await browser.register(person, `Device ${made}`);
      expect(await browser.options(person)).toMatchObject({ status: 409 });
    });

    test("who is shut out does not get in until they are let in again; who is removed never", async () => {
      const person = await newPerson(app);
      const { device } = await browser.register(person);
      const path = `/api/admin/users/${person.id}`;
      await operator("PATCH", path, { status: "disabled" });
      expect((await browser.signIn(device)).status).toBe(403);
      await operator("PATCH", path, { status: "active" });
      expect((await browser.signIn(device)).status).toBe(200);
      expect((await operator("DELETE", path)).status).toBe(200);
      expect((await browser.signIn(device)).status).toBe(401);
      expect(await app.storage.accounts.passkeys.listOf(person.id)).toEqual([]);
    });

    test("a new password ends sessions and keeps passkeys", async () => {
      const person = await newPerson(app);
      const { device } = await browser.register(person);
      const { body } = await browser.signIn(device);
      const made = await operator("POST", `/api/admin/users/${person.id}/password-reset`);
      const { resetUrl } = (await made.json()) as { resetUrl: string };
      const json = { token: resetUrl.split("?token=")[1], password: "another good long one" };
      expect((await app.call("/api/auth/password/reset", { json })).status).toBe(200);
      expect(await whoIs(body.token)).toBeUndefined();
      expect((await browser.signIn(device)).status).toBe(200);
    });

    test("an administrator sees how many somebody has, and takes them away", async () => {
      const person = await newPerson(app);
      const devices = [await browser.register(person), await browser.register(person, "Phone")];
      const path = `/api/admin/users/${person.id}`;
      expect(await (await operator("GET", path)).json()).toMatchObject({ passkeys: 2 });
      expect((await operator("DELETE", `${path}/passkeys`)).status).toBe(200);
      expect((await operator("DELETE", `${path}/passkeys`)).status).toBe(404);
      expect(await (await operator("GET", path)).json()).toMatchObject({ passkeys: 0 });
      for (const { device } of devices) expect((await browser.signIn(device)).status).toBe(401);
      const log = await operator("GET", "/api/admin/audit-logs?action=passkey.reset");
      expect(await log.json()).toMatchObject({ data: [{ targetId: String(person.id), details: { removed: 2 } }] });
    });

    test("wrong answers cost time, for one device from one network", async () => {
      const { device } = await browser.register(await newPerson(app));
      const wrong = { origin: "https://evil.example" };
      for (let tries = 0; tries < 5; tries++) {
        expect((await browser.signIn(device, wrong, { remoteAddress: "10.2.0.1" })).status).toBe(401);
      }
      const held = await browser.signIn(device, {}, { remoteAddress: "10.2.0.1" });
      expect([held.status, held.body.error]).toEqual([429, "Too many wrong passkeys. Try again in 1 seconds."]);
      expect((await browser.signIn(device, {}, { remoteAddress: "10.3.0.1" })).status).toBe(200);
      clock.step(1_000);
      expect((await browser.signIn(device, {}, { remoteAddress: "10.2.0.1" })).status).toBe(200);
    });

    test("a process whose clock is ahead makes no answer good again at the others", async () => {
      const deps = { stores: app.storage.accounts, sealingKey: new Uint8Array(32) };
      const place = { origin: ORIGIN, rpId: "turnpike.test" };
      const [right, ahead] = [0, 60_000].map((byMs) => {
        const own = { nowMs: () => clock.nowMs() + byMs, monotonicMs: () => clock.monotonicMs() };
        return new PasskeyTickets({ ...deps, clock: own });
      }) as [PasskeyTickets, PasskeyTickets];
      const ticket = right.make("use", place, `challenge-${kind}`);
      await right.spend("use", ticket, place);
      clock.step(5 * 60_000 - 1_000);
      await ahead.spend("use", ahead.make("use", place, `another-${kind}`), place);
      expect(await right.spend("use", ticket, place).catch(({ kind: error }) => error)).toBe("conflict");
    });

    test("what was asked and answered long ago is not kept", async () => {
      const { spentChallenges } = app.storage.accounts;
      const { device } = await browser.register(await newPerson(app));
      const { options, cookie } = await browser.ask();
      expect((await browser.answer(device.get(options), cookie)).status).toBe(200);
      expect(await spentChallenges.spend(options.challenge, clock.nowMs())).toBe(false);
      clock.step(10 * 60_000 + 1);
      expect((await browser.signIn(device)).status).toBe(200);
      expect(await spentChallenges.spend(options.challenge, clock.nowMs())).toBe(true);
    });
  });
}
