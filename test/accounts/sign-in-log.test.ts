import { afterAll, describe, expect, test } from "bun:test";
import { TOTP } from "otpauth";
import { MASTER_KEY } from "../app.ts";
import { CLIENT, OidcService, type Somebody } from "../services/oidc.ts";
import { SteppedClock } from "../stepped-clock.ts";
import { DATABASES } from "../storage/databases.ts";
import { PasskeyBrowser } from "./passkey-browser.ts";
import { newPerson, startAppOn } from "./people.ts";

const PASSWORD = "a good long one";
const WRONG = "not-the-password-at-all";
const HOUR_MS = 3_600_000;
const ORIGIN = "https://gateway.example.com";

interface Row {
  readonly actor: string;
  readonly userId: number | null;
  readonly action: string;
  readonly organizationId: string | null;
  readonly targetId: string;
  readonly details: Readonly<Record<string, unknown>>;
  readonly address: string | null;
}

const service = await OidcService.start();
afterAll(() => service.stop());

for (const { kind, missing } of DATABASES) {
  describe.skipIf(missing)(`sign-ins in the audit log on ${kind}`, async () => {
    if (missing) return;
    const clock = new SteppedClock();
    const oidc = `{ issuer: "${service.issuer}", client_id: ${CLIENT.id}, client_secret: ${CLIENT.secret}, allow_sign_up: false }`;
    const app = await startAppOn(kind, `general_settings: { public_url: "${ORIGIN}", oidc: ${oidc} }`, clock);
    afterAll(() => app.close());
    const logIn = (json: object, remoteAddress = "192.0.2.1") => app.call("/api/auth/token", { json, remoteAddress });
    const rows = async (query: string): Promise<{ data: Row[]; meta: { total: number } }> =>
      (await (await app.call(`/api/admin/audit-logs?pageSize=100&${query}`, { key: MASTER_KEY })).json()) as never;
    /** Of one person, the oldest first, without when they signed up. */
    const told = async (userId: number | "unknown") =>
      (await rows(`targetType=user&targetId=${userId}`)).data
        .filter(({ action }) => action !== "user.sign_up")
        .reverse()
        .map(({ actor, action, details, address }) => [actor, action, details.way, details.reason, address]);

    test("tell who came, from where and how, who left, and who has another password", async () => {
      const person = await newPerson(app);
      const { token } = (await (await logIn({ email: person.email, password: PASSWORD })).json()) as { token: string };
      const call = (path: string, json: object) => app.call(path, { key: token, json, remoteAddress: "192.0.2.2" });
      await call("/api/auth/password/change", { currentPassword: PASSWORD, newPassword: "another good one" });
      await call("/api/auth/logout", {});
      const data = (await rows(`targetType=user&targetId=${person.id}`)).data;
      expect(await told(person.id)).toEqual([
        ["user", "user.sign_in", "password", undefined, "192.0.2.1"],
        ["user", "user.change_password", undefined, undefined, "192.0.2.2"],
        ["user", "user.sign_out", undefined, undefined, "192.0.2.2"],
      ]);
      expect(data[0]).toMatchObject({ userId: person.id, organizationId: null });
      const sessions = data.flatMap(({ details }) => (details.sessionId ? [details.sessionId] : []));
      expect(sessions).toHaveLength(2);
      expect(new Set(sessions).size).toBe(1);
    });

    test("tell who was refused, without what was typed", async () => {
      const person = await newPerson(app);
      await logIn({ email: person.email, password: WRONG }, "192.0.2.10");
      // People type their password where their name belongs.
      await logIn({ email: `${WRONG}@example.com`, password: WRONG }, "192.0.2.11");
      await app.call(`/api/admin/users/${person.id}`, {
        method: "PATCH",
        key: MASTER_KEY,
        json: { status: "disabled" },
      });
      await logIn({ email: person.email, password: PASSWORD }, "192.0.2.12");
      expect((await told(person.id)).filter(([actor]) => actor === "system")).toEqual([
        ["system", "user.sign_in_refused", "password", "wrong_password", "192.0.2.10"],
        ["system", "user.sign_in_refused", "password", "disabled", "192.0.2.12"],
      ]);
      expect(await told("unknown")).toEqual([
        ["system", "user.sign_in_refused", "password", "no_account", "192.0.2.11"],
      ]);
      expect(JSON.stringify(await rows(""))).not.toContain(WRONG);
    });

    test("tell whether a code was asked for, was wrong, and was right", async () => {
      const person = await newPerson(app);
      const { secret } = (await person.send("POST", "/api/auth/2fa/setup")).body as { secret: string };
      const codeOf = (steps: number) => new TOTP({ secret }).generate({ timestamp: clock.nowMs() + steps * 30_000 });
      await person.send("POST", "/api/auth/2fa/enable", { code: codeOf(-1), password: PASSWORD });
      const login = { email: person.email, password: PASSWORD };
      await logIn(login);
      await logIn({ ...login, code: codeOf(-9) });
      expect((await logIn({ ...login, code: codeOf(0) })).status).toBe(200);
      expect((await told(person.id)).filter(([, action]) => String(action).startsWith("user.sign_in"))).toEqual([
        ["system", "user.sign_in_begin", "password", "code_needed", "192.0.2.1"],
        ["system", "user.sign_in_refused", "password_and_code", "wrong_code", "192.0.2.1"],
        ["user", "user.sign_in", "password_and_code", undefined, "192.0.2.1"],
      ]);
      expect(JSON.stringify(await rows(""))).not.toContain(codeOf(0));
    });

    test("tell of passkeys, also of one that did not fit", async () => {
      const person = await newPerson(app);
      const browser = new PasskeyBrowser(app, ORIGIN);
      const { device } = await browser.register(person);
      expect((await browser.signIn(device)).status).toBe(200);
      const { options, cookie } = await browser.ask();
      const signed = device.get(options);
      const { signature } = device.get(options, { counter: 99 }).response;
      await browser.answer({ ...signed, response: { ...signed.response, signature } }, cookie);
      const signIns = (await told(person.id)).filter(([, action]) => String(action).startsWith("user.sign_in"));
      expect(signIns.map((row) => row.slice(0, 4))).toEqual([
        ["user", "user.sign_in", "passkey", undefined],
        ["system", "user.sign_in_refused", "passkey", "wrong_answer"],
      ]);
    });

    test("tell of single sign-on, and whom it was refused", async () => {
      const person = await newPerson(app);
      await app.storage.accounts.users.update(person.id, { emailVerifiedAt: clock.nowMs() });
      const signIn = async (who: Somebody): Promise<number> => {
        const left = await app.call("/api/auth/oidc/login");
        const cookie = left.headers
          .getSetCookie()
          .map((line) => line.split(";")[0])
          .join("; ");
        const back = service.authorize(left.headers.get("location") ?? "", who, {});
        const path = back.pathname + back.search;
        return (await app.call(path, { headers: { cookie }, remoteAddress: "192.0.2.20" })).status;
      };
      expect(await signIn({ sub: "known", email: person.email, email_verified: true, name: "Ada" })).toBe(302);
      expect(await signIn({ sub: "none", email: "none@example.com", email_verified: true, name: "Ada" })).toBe(403);
      expect((await told(person.id)).at(-1)).toEqual([
        "user",
        "user.sign_in",
        "single_sign_on",
        undefined,
        "192.0.2.20",
      ]);
      expect((await told("unknown")).at(-1)).toEqual([
        "system",
        "user.sign_in_refused",
        "single_sign_on",
        "There is no account with your e-mail here; ask an administrator.",
        "192.0.2.20",
      ]);
    });

    test("are no way to fill it: from one place some are written, and the others counted", async () => {
      const from = "198.51.100.7";
      const wrong = (at: number) => logIn({ email: `nobody${at}@example.com`, password: WRONG }, from);
      const written = async () =>
        (await rows("action=user.sign_in_refused&targetId=unknown")).data.filter(({ address }) => address === from);
      for (let at = 0; at < 45; at++) expect((await wrong(at)).status).toBe(401);
      const first = await written();
      expect(first).toHaveLength(30);
      expect(first.map(({ details }) => details.moreAreNotWritten)).toEqual([true, ...Array(29).fill(undefined)]);
      // Whoever comes from elsewhere is still told of.
      await logIn({ email: "nobody@example.com", password: WRONG }, "198.51.100.200");
      clock.step(HOUR_MS);
      await wrong(45);
      const later = await written();
      expect(later).toHaveLength(31);
      expect(later[0]?.details).toMatchObject({ notWrittenBefore: 15 });
    });
  });
}
