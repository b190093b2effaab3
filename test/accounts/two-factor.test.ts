import { afterAll, describe, expect, test } from "bun:test";
import { TOTP } from "otpauth";
import { SteppedClock } from "../stepped-clock.ts";
import { DATABASES } from "../storage/databases.ts";
import { newPerson, type Person, startAppOn } from "./people.ts";

const PASSWORD = "a good long one";

for (const { kind, missing } of DATABASES) {
  describe.skipIf(missing)(`second factors on ${kind}`, async () => {
    const clock = new SteppedClock();
    const app = await startAppOn(kind, "", clock);
    afterAll(() => app.close());
    const admin = { email: app.first.adminEmail, password: app.first.generatedPassword ?? "" };
    /** Each person has an address of their own, so that the throttle of one is not that of another. */
    const logIn = async ({ email, id }: Person, rest: object = {}) => {
      const json = { email, password: PASSWORD, ...rest };
      const answer = await app.call("/api/auth/token", { json, remoteAddress: `10.0.0.${id}` });
      return {
        status: answer.status,
        hint: answer.headers.get("x-gw-two-factor"),
        body: (await answer.json()) as { token?: string; error?: string; code?: string },
      };
    };
    /** The code of the step that is `steps` away from now. */
    const codeOf = (secret: string, steps = 0): string =>
      new TOTP({ secret }).generate({ timestamp: clock.nowMs() + steps * 30_000 });

    /** Confirmed with the code of the step before this one, so that this one's is still good. */
    async function guarded() {
      const person = await newPerson(app);
      const { secret } = (await person.send("POST", "/api/auth/2fa/setup")).body as { secret: string };
      const answer = await person.send("POST", "/api/auth/2fa/enable", {
        code: codeOf(secret, -1),
        password: PASSWORD,
      });
      expect(answer.status).toBe(200);
      return { person, secret, codes: (answer.body as { recoveryCodes: string[] }).recoveryCodes };
    }

    test("one is asked for from when its first code was shown", async () => {
      const person = await newPerson(app);
      expect((await person.send("POST", "/api/auth/2fa/enable", { code: "000000" })).status).toBe(409);
      const { body } = await person.send("POST", "/api/auth/2fa/setup");
      const { secret, uri } = body as { secret: string; uri: string };
      expect(secret).toMatch(/^[A-Z2-7]{32}$/);
      expect(uri).toStartWith("otpauth://totp/Turnpike:");
      expect(uri).toContain(`secret=${secret}`);
      expect((await logIn(person)).status).toBe(200);
      expect((await person.send("GET", "/api/auth/me")).body).toMatchObject({ user: { twoFactorEnabled: false } });

      const wrong = (Number(codeOf(secret)) + 1) % 1_000_000;
      const refused = await person.send("POST", "/api/auth/2fa/enable", {
        code: String(wrong).padStart(6, "0"),
        password: PASSWORD,
      });
      expect(refused).toMatchObject({ status: 403, body: { code: "FORBIDDEN" } });
      const enabled = await person.send("POST", "/api/auth/2fa/enable", { code: codeOf(secret), password: PASSWORD });
      expect((enabled.body as { recoveryCodes: string[] }).recoveryCodes).toHaveLength(10);
      expect((await person.send("GET", "/api/auth/me")).body).toMatchObject({ user: { twoFactorEnabled: true } });
      expect(await logIn(person)).toMatchObject({ status: 401, hint: "required", body: { code: "UNAUTHORIZED" } });
      expect((await person.send("POST", "/api/auth/2fa/setup")).status).toBe(409);
      expect(
        (await person.send("POST", "/api/auth/2fa/enable", { code: codeOf(secret, 1), password: PASSWORD })).status,
      ).toBe(409);
    });

    test("switching one on needs the password and ends all other sessions", async () => {
      const person = await newPerson(app);
      const { token } = (await logIn(person)).body;
      const { secret } = (await person.send("POST", "/api/auth/2fa/setup")).body as { secret: string };
      const enable = (proof: object) => person.send("POST", "/api/auth/2fa/enable", { code: codeOf(secret), ...proof });
      expect(await enable({})).toMatchObject({ status: 400, body: { error: "password: send it too." } });
      expect((await enable({ password: "wrong" })).status).toBe(403);
      const seen = async () => (await app.call("/api/auth/me", { key: token ?? "" })).status;
      expect(await seen()).toBe(200);
      expect((await enable({ password: PASSWORD })).status).toBe(200);
      expect(await seen()).toBe(401);
      expect((await person.send("GET", "/api/auth/me")).status).toBe(200);
    });

    test("somebody without a password, who signs in elsewhere, is not asked for one", async () => {
      const person = await newPerson(app);
      await app.storage.accounts.users.update(person.id, { passwordHash: null });
      const { secret } = (await person.send("POST", "/api/auth/2fa/setup")).body as { secret: string };
      expect((await person.send("POST", "/api/auth/2fa/enable", { code: codeOf(secret) })).status).toBe(200);
    });

    test("but must have signed in a moment ago, so that no old session makes itself a proof", async () => {
      const person = await newPerson(app);
      await app.storage.accounts.users.update(person.id, { passwordHash: null });
      clock.step(10 * 60_000 + 1);
      const { secret } = (await person.send("POST", "/api/auth/2fa/setup")).body as { secret: string };
      const enabled = await person.send("POST", "/api/auth/2fa/enable", { code: codeOf(secret) });
      expect(enabled).toMatchObject({ status: 403, body: { error: expect.stringContaining("sign in again") } });
      expect((await person.send("GET", "/api/auth/me")).body).toMatchObject({ user: { twoFactorEnabled: false } });
    });

    test("a code is accepted once, also when two log-ins race with it", async () => {
      const { person, secret } = await guarded();
      expect((await logIn(person, { code: codeOf(secret, -1) })).status).toBe(401);
      const races = await Promise.all([1, 2, 3].map(() => logIn(person, { code: codeOf(secret) })));
      expect(races.map(({ status }) => status).sort()).toEqual([200, 401, 401]);
      expect(await logIn(person, { code: codeOf(secret) })).toMatchObject({ status: 401, hint: "required" });
      expect((await logIn(person, { code: codeOf(secret, 1) })).status).toBe(200);
      expect((await logIn(person, { code: codeOf(secret) })).status).toBe(401);
    });

    test("a code is good for the step before and after it, and no longer", async () => {
      const { person, secret } = await guarded();
      const [early, late] = [codeOf(secret, 3), codeOf(secret, 2)];
      expect((await logIn(person, { code: early })).status).toBe(401);
      clock.step(90_000);
      expect((await logIn(person, { code: late })).status).toBe(200);
      clock.step(60_000);
      expect((await logIn(person, { code: early })).status).toBe(401);
    });

    test("a code of two steps ago or ahead, of another secret, or without the password opens nothing", async () => {
      const { person, secret } = await guarded();
      const other = await guarded();
      for (const code of [codeOf(secret, 3), codeOf(secret, -3), codeOf(other.secret)]) {
        expect((await logIn(person, { code })).status).toBe(401);
      }
      const unproved = await logIn(person, { code: codeOf(secret), password: "wrong" });
      expect([unproved.status, unproved.hint]).toEqual([401, null]);
      expect((await logIn(person, { code: codeOf(secret) })).status).toBe(200);
    });

    test("wrong codes are throttled, and the password alone does not wipe out their count", async () => {
      const { person } = await guarded();
      for (let tries = 0; tries < 5; tries++) {
        expect((await logIn(person, { code: "aaaa-aaaa-aaaa" })).status).toBe(401);
        if (tries < 4) expect(await logIn(person)).toMatchObject({ status: 401, hint: "required" });
      }
      expect((await logIn(person, { code: "aaaa-aaaa-aaaa" })).status).toBe(429);
      expect((await logIn(person)).status).toBe(429);
    });

    test("wrong codes are throttled from however many networks they come", async () => {
      const { person, secret } = await guarded();
      const from = async (network: number, code: string) => {
        const json = { email: person.email, password: PASSWORD, code };
        return (await app.call("/api/auth/token", { json, remoteAddress: `192.0.2.${network}` })).status;
      };
      for (let network = 1; network <= 5; network++) expect(await from(network, "aaaa-aaaa-aaaa")).toBe(401);
      expect([await from(6, "aaaa-aaaa-aaaa"), await from(7, codeOf(secret))]).toEqual([429, 429]);
      const atOpenSession = await person.send("POST", "/api/auth/2fa/disable", { code: codeOf(secret) });
      expect(atOpenSession.status).toBe(429);
      clock.step(1_000);
      expect(await from(8, codeOf(secret))).toBe(200);
      expect(await from(9, "aaaa-aaaa-aaaa")).toBe(401);
    });

    test("a recovery code is good once, however it is typed, and for its owner only", async () => {
      const { person, codes } = await guarded();
      const other = await guarded();
      const [first = "", second = ""] = codes;
      expect(first).toMatch(/^[2-9a-z]{4}-[2-9a-z]{4}-[2-9a-z]{4}$/);
      expect((await logIn(other.person, { code: first })).status).toBe(401);
      expect((await logIn(person, { code: first })).status).toBe(200);
      expect((await logIn(person, { code: first })).status).toBe(401);
      const typed = ` ${second.replaceAll("-", " ").toUpperCase()}`;
      const races = await Promise.all([1, 2].map(() => logIn(person, { code: typed })));
      expect(races.map(({ status }) => status).sort()).toEqual([200, 401]);
    });

    test("new recovery codes end the old ones, and need the password or a code", async () => {
      const { person, secret, codes } = await guarded();
      const renew = (proof: object) => person.send("POST", "/api/auth/2fa/recovery-codes", proof);
      expect((await renew({})).status).toBe(400);
      expect((await renew({ password: "wrong" })).status).toBe(403);
      const { recoveryCodes } = (await renew({ password: PASSWORD })).body as { recoveryCodes: string[] };
      expect((await renew({ code: codeOf(secret) })).status).toBe(200);
      expect((await renew({ code: codeOf(secret) })).status).toBe(403);
      for (const code of [codes[0], recoveryCodes[0]]) expect((await logIn(person, { code })).status).toBe(401);
    });

    test("it is switched off with the password or a code, and by an administrator", async () => {
      const { person, secret } = await guarded();
      const disable = (proof: object) => person.send("POST", "/api/auth/2fa/disable", proof);
      expect((await disable({})).status).toBe(400);
      expect((await disable({ password: "wrong" })).status).toBe(403);
      expect((await disable({ code: codeOf(secret) })).status).toBe(200);
      expect((await disable({ password: PASSWORD })).status).toBe(409);
      expect((await logIn(person)).status).toBe(200);

      const lost = await guarded();
      const { token } = (await (await app.call("/api/auth/token", { json: admin })).json()) as { token: string };
      const path = `/api/admin/users/${lost.person.id}`;
      expect(await (await app.call(path, { key: token })).json()).toMatchObject({ twoFactorEnabled: true });
      expect((await app.call(`${path}/2fa`, { method: "DELETE", key: token })).status).toBe(200);
      expect((await app.call(`${path}/2fa`, { method: "DELETE", key: token })).status).toBe(404);
      expect((await logIn(lost.person)).status).toBe(200);
      const log = await (await app.call("/api/admin/audit-logs?action=two_factor.reset", { key: token })).json();
      expect(log).toMatchObject({ data: [{ targetId: String(lost.person.id), actor: "user" }] });
    });

    test("neither the secret nor a recovery code is stored as it is", async () => {
      const { person, secret, codes } = await guarded();
      const stored = await app.storage.accounts.twoFactors.find(person.id);
      expect(stored?.secret).toStartWith("v1.");
      const text = `${JSON.stringify(stored)}${app.logged.join("")}`;
      for (const value of [secret, ...codes]) expect(text).not.toContain(value);
    });
  });
}
