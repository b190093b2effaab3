import { afterAll, describe, expect, test } from "bun:test";
import { createHash } from "node:crypto";
import { TOTP } from "otpauth";
import { PasskeyBrowser } from "../accounts/passkey-browser.ts";
import { newPerson, type Person } from "../accounts/people.ts";
import { MASTER_KEY } from "../app.ts";
import { DATABASES } from "../storage/databases.ts";
import { Mailing, PASSWORD, PUBLIC_URL } from "./mailing.ts";

const NEXT = "another good long one";
const VERIFIER = "v".repeat(43);

for (const { kind, missing } of DATABASES) {
  describe.skipIf(missing)(`an address that somebody signed up with on ${kind}`, async () => {
    if (missing) return;
    const mailing = await Mailing.start(kind);
    const { app, smtp } = mailing;
    afterAll(() => mailing.close());
    const { accounts } = app.storage;
    const browser = new PasskeyBrowser(app, PUBLIC_URL);

    /** What the mailbox has of a link to a page. */
    const mailed = async (email: string, page: string) => {
      await mailing.deliver();
      const letter = smtp.received.findLast(({ to, text }) => to.includes(email) && text.includes(page));
      return letter?.token ?? "";
    };
    const mailedReset = async (email: string) => {
      await mailing.send("/api/auth/password/forgot", { email });
      return mailed(email, "/ui/reset-password");
    };
    const reset = async (token: string, password = NEXT) =>
      (await mailing.send("/api/auth/password/reset", { token, password })).status;
    const sessionOf = (key: string) => ({
      token: key,
      async send(method: string, path: string, json?: unknown, headers = {}) {
        const answer = await app.call(path, { method, key, headers, ...(json === undefined ? {} : { json }) });
        return { status: answer.status, body: (await answer.json()) as never };
      },
    });
    const twoFactorOf = async ({ send }: Pick<Person, "send">) => {
      const { secret } = (await send("POST", "/api/auth/2fa/setup")).body as { secret: string };
      const enabled = await send("POST", "/api/auth/2fa/enable", {
        code: new TOTP({ secret }).generate(),
        password: PASSWORD,
      });
      expect(enabled.status).toBe(200);
    };
    const teamOf = async ({ ownId }: Person) => (await accounts.teams.list(ownId))[0]?.team.id;
    /** Everything that lets somebody in, or back in later. */
    const settleIn = async (person: Person) => {
      const { device } = await browser.register(person);
      const scopes = ["keys:write"];
      const made = await person.send("POST", "/api/management-tokens", { name: "Later", scopes });
      const { token: managing } = made.body as { token: string };
      const code = (await (await app.call("/api/auth/device/code", { method: "POST" })).json()) as {
        deviceCode: string;
        userCode: string;
      };
      const approved = await person.send("POST", "/api/auth/device/approve", { userCode: code.userCode });
      const teamId = await teamOf(person);
      const allowed = await person.send("POST", "/api/auth/connect", {
        callback_url: "https://app.example.com/done",
        code_challenge: createHash("sha256").update(VERIFIER).digest("base64url"),
        code_challenge_method: "S256",
        teamId,
      });
      const { redirectTo } = allowed.body as { redirectTo: string };
      const key = await person.send("POST", "/api/gw/api-keys", { name: "Key", teamId });
      expect([made.status, approved.status, allowed.status, key.status]).toEqual([201, 200, 200, 201]);
      const grant = new URL(redirectTo).searchParams.get("code");
      return { device, managing, deviceCode: code.deviceCode, grant, keyId: (key.body as { id: string }).id };
    };
    /** By passkey, token, program and app, in this order. */
    const waysIn = async ({ device, managing, deviceCode, grant }: Awaited<ReturnType<typeof settleIn>>) => [
      (await browser.signIn(device)).status,
      (await app.call("/api/gw/api-keys/list", { key: managing })).status,
      (await app.call("/api/auth/device/token", { json: { deviceCode } })).status,
      (await app.call("/auth/keys", { json: { code: grant, code_verifier: VERIFIER } })).status,
    ];

    test("is taken over by who resets the password by mail: nothing of a stranger's lets anybody in", async () => {
      const stranger = await newPerson(app);
      const held = await settleIn(stranger);
      await twoFactorOf(stranger);
      const identity = { issuer: "https://elsewhere.example.com", subject: kind, email: stranger.email };
      const at = { createdAt: 1, lastLoginAt: 1 };
      await accounts.identities.insert({ id: `identity-${kind}`, userId: stranger.id, ...identity, ...at });
      expect(await reset(await mailedReset(stranger.email))).toBe(200);

      expect((await stranger.send("GET", "/api/auth/me")).status).toBe(401);
      expect(await waysIn(held)).toEqual([401, 401, 400, 403]);
      expect(await accounts.identities.listOf(stranger.id)).toEqual([]);
      const session = await mailing.send("/api/auth/token", { email: stranger.email, password: NEXT });
      expect(session.status).toBe(200);
      expect(await mailing.me((session.body as { token: string }).token)).toMatchObject({ emailVerified: true });
      const { rows } = await accounts.audit.list({ action: "user.reset_password" }, { page: 1, pageSize: 1 });
      expect(rows).toMatchObject([{ targetId: String(stranger.id), details: { verifiesEmail: true } }]);
      // As where single sign-on takes an account over: a key may be the owner's, and at work.
      expect(await accounts.keys.find(held.keyId)).toMatchObject({ key: { status: "active" } });
    });

    test("is not verified for a stranger by its owner, who has the letter and not the password", async () => {
      const [stranger, owner] = [await newPerson(app), await newPerson(app)];
      const token = await mailed(stranger.email, "/ui/verify-email");
      const verify = (session?: string) => mailing.send("/api/auth/verify-email", { token }, session);
      expect((await verify()).status).toBe(401);
      // Logged in to an account of their own, they verify neither that one nor the stranger's.
      expect(await verify(owner.token)).toMatchObject({ status: 403, body: { code: "FORBIDDEN" } });
      for (const { token: session } of [stranger, owner]) {
        expect(await mailing.me(session)).toMatchObject({ emailVerified: false });
      }
      // Nor does a session that was ended meanwhile; the letter stays good for who logs in.
      const { body } = await mailing.send("/api/auth/token", { email: stranger.email, password: PASSWORD });
      const session = (body as { token: string }).token;
      expect((await mailing.send("/api/auth/logout", {}, stranger.token)).status).toBe(200);
      expect((await verify(stranger.token)).status).toBe(401);
      expect((await verify(session)).status).toBe(200);
      expect(await mailing.me(session)).toMatchObject({ emailVerified: true });
      const { rows } = await accounts.audit.list({ action: "user.verify_email" }, { page: 1, pageSize: 1 });
      expect(rows).toMatchObject([{ userId: stranger.id, targetId: String(stranger.id) }]);
    });

    test("keeps what its owner has added once it was shown to be theirs, by the first reset or by a link", async () => {
      const [first, verified] = [await newPerson(app), await newPerson(app)];
      expect(await reset(await mailedReset(first.email), PASSWORD)).toBe(200);
      const token = await mailed(verified.email, "/ui/verify-email");
      expect((await mailing.send("/api/auth/verify-email", { token }, verified.token)).status).toBe(200);
      for (const { id, email } of [first, verified]) {
        const { body } = await mailing.send("/api/auth/token", { email, password: PASSWORD });
        const person = sessionOf((body as { token: string }).token);
        const { device } = await browser.register(person);
        await twoFactorOf(person);
        expect(await reset(await mailedReset(email))).toBe(200);
        expect((await browser.signIn(device)).status).toBe(200);
        expect((await accounts.twoFactors.find(id))?.confirmedAt).toBeNumber();
      }
    });

    test("is not shown to be anybody's by a link that an administrator hands over", async () => {
      const person = await newPerson(app);
      const { device } = await browser.register(person);
      const path = `/api/admin/users/${person.id}/password-reset`;
      const { resetUrl } = (await (await app.call(path, { method: "POST", key: MASTER_KEY })).json()) as {
        resetUrl: string;
      };
      const token = resetUrl.split("?token=")[1] ?? "";
      expect(await reset(token.replace(/^rst-/, "rsm-"))).toBe(404);
      expect(await reset(token)).toBe(200);
      expect((await browser.signIn(device)).status).toBe(200);
      expect((await accounts.users.find(person.id))?.emailVerifiedAt).toBeNull();
    });

    test("of an administrator is verified by the reset, which takes nothing else of theirs away", async () => {
      const person = await newPerson(app);
      const { device } = await browser.register(person);
      await accounts.users.update(person.id, { role: "admin" });
      expect(await reset(await mailedReset(person.email))).toBe(200);
      expect((await browser.signIn(device)).status).toBe(200);
      expect((await accounts.users.find(person.id))?.emailVerifiedAt).toBeNumber();
    });
  });
}
