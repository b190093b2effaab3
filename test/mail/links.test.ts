import { afterAll, describe, expect, test } from "bun:test";
import { MASTER_KEY } from "../app.ts";
import { DATABASES } from "../storage/databases.ts";
import { Mailing, PASSWORD, PUBLIC_URL } from "./mailing.ts";

const HOUR_MS = 60 * 60_000;
const NEXT = "another good long one";

for (const { kind, missing } of DATABASES) {
  describe.skipIf(missing)(`mailed links on ${kind}`, async () => {
    if (missing) return;
    const mailing = await Mailing.start(kind);
    const { app, smtp } = mailing;
    afterAll(() => mailing.close());
    const { accounts } = app.storage;
    let count = 0;
    const newMail = () => `guest${++count}@example.com`;
    const actions = async (userId: number) =>
      (await accounts.audit.list({}, { page: 1, pageSize: 200 })).rows
        .filter(({ targetType, targetId }) => targetType === "user" && targetId === String(userId))
        .map(({ action }) => action);

    const owner = await mailing.signUp("owner@example.com");
    const [home] = await accounts.organizations.listOf(owner.id);
    const organizationId = home?.organization.id ?? "";
    const [first] = await accounts.teams.list(organizationId);
    const teamId = first?.team.id ?? "";
    const invite = (email: string) =>
      mailing.send("/api/gw/teams/invite-member", { teamId, email, role: "member" }, owner.token);
    await mailing.deliver();

    describe("an invitation", () => {
      test("is one of a hundred that a person has mailed in an hour, whatever became of those before", async () => {
        const boss = await mailing.signUp("boss@example.com");
        const teams = await mailing.send("/api/gw/teams", undefined, boss.token, "GET");
        const [own] = (teams.body as { data: { id: string }[] }).data;
        const mail = (at: number) =>
          mailing.send(
            "/api/gw/teams/invite-member",
            { teamId: own?.id, email: `many${at}@example.com`, role: "member" },
            boss.token,
          );
        for (let at = 0; at < 100; at++) {
          const { status, body } = await mail(at);
          expect(status).toBe(200);
          await mailing.send(`/api/invitations/${(body as { id: string }).id}`, undefined, boss.token, "DELETE");
        }
        const refused = await mail(100);
        expect([refused.status, refused.headers.has("retry-after")]).toEqual([429, true]);
        expect((await invite(newMail())).status).toBe(200);
        mailing.pass(HOUR_MS);
        expect((await mail(100)).status).toBe(200);
        await mailing.deliver();
      });

      test("arrives, and its link lets somebody sign up, with an address that is verified by it", async () => {
        const email = newMail();
        const { status, body } = await invite(email);
        expect(status).toBe(200);
        expect(body).toMatchObject({ email, status: "pending" });
        expect(JSON.stringify(body)).not.toMatch(/inviteUrl|inv-/);
        await mailing.deliver();
        const mail = await smtp.mailTo(email);
        expect(mail.text).toContain(`${PUBLIC_URL}/ui/invitation?token=${mail.token}`);
        const person = await mailing.signUp(email, { invitationToken: mail.token });
        expect(await mailing.me(person.token)).toMatchObject({ emailVerified: true });
        expect(await accounts.teamMembers.find(teamId, person.id)).toMatchObject({ role: "member" });
        await mailing.deliver();
        expect(smtp.received.filter(({ to }) => to.includes(email))).toHaveLength(1);
      });

      test("that is accepted by somebody with an account verifies their address too", async () => {
        const email = newMail();
        const person = await mailing.signUp(email);
        await invite(email);
        await mailing.deliver();
        expect(await mailing.me(person.token)).toMatchObject({ emailVerified: false });
        const invitation = smtp.received.findLast(
          ({ to, text }) => to.includes(email) && text.includes("/ui/invitation"),
        );
        const { status } = await mailing.send("/api/invitations/accept", { token: invitation?.token }, person.token);
        expect(status).toBe(200);
        expect(await mailing.me(person.token)).toMatchObject({ emailVerified: true });
      });

      test("that was taken back before it went out is not sent", async () => {
        const email = newMail();
        const { body } = await invite(email);
        await mailing.send(`/api/invitations/${(body as { id: string }).id}`, undefined, owner.token, "DELETE");
        expect(await mailing.deliver()).toBe(1);
        expect(smtp.received.some(({ to }) => to.includes(email))).toBe(false);
      });

      test("is delivered once when the mail server was down and comes back", async () => {
        const email = newMail();
        await smtp.stop();
        await invite(email);
        expect(await mailing.deliver()).toBe(1);
        expect(await mailing.deliver()).toBe(0);
        await smtp.restart();
        expect(await mailing.deliver()).toBe(0);
        mailing.pass(1_000);
        expect(await mailing.deliver()).toBe(1);
        mailing.pass(2 * HOUR_MS);
        expect(await mailing.deliver()).toBe(0);
        expect(smtp.received.filter(({ to }) => to.includes(email))).toHaveLength(1);
        const { token } = await smtp.mailTo(email);
        expect((await mailing.send("/api/invitations/preview", { token })).status).toBe(200);
      });

      test("that the server refuses for now is tried again, and only the last link is good", async () => {
        const email = newMail();
        smtp.refuseWith({ code: 451, message: "come back later" });
        await invite(email);
        await mailing.deliver();
        smtp.refuseWith(null);
        mailing.pass(1_000);
        await mailing.deliver();
        const before = await smtp.mailTo(email);
        await invite(email);
        await mailing.deliver();
        const after = await smtp.mailTo(email, 2);
        expect((await mailing.send("/api/invitations/preview", { token: before.token })).status).toBe(404);
        expect((await mailing.send("/api/invitations/preview", { token: after.token })).status).toBe(200);
      });

      test("to an address that the server refuses for good is given up at once, and told", async () => {
        const email = newMail();
        smtp.refuseWith({ code: 550, message: "5.1.1 no such mailbox", atAddress: true });
        await invite(email);
        expect(await mailing.deliver()).toBe(1);
        smtp.refuseWith(null);
        mailing.pass(HOUR_MS);
        expect(await mailing.deliver()).toBe(0);
        const told = mailing.app.logged.filter((line) => line.includes("no such mailbox"));
        expect(told).toHaveLength(1);
        expect(told[0]).toContain("was given up");
      });

      test.each([
        [{ code: 450, message: "4.2.1 busy", atAddress: true }],
        [{ code: 554, message: "5.7.1 the letter is not liked" }],
        [{ code: 554, message: "5.7.1 relay access denied", atAddress: true }],
        [{ code: 530, message: "log in first", atAddress: true }],
      ])("that may be taken later is tried again after %o", async (refusal) => {
        const email = newMail();
        smtp.refuseWith(refusal);
        await invite(email);
        await mailing.deliver();
        smtp.refuseWith(null);
        mailing.pass(1_000);
        expect(await mailing.deliver()).toBe(1);
        expect((await smtp.mailTo(email)).to).toEqual([email]);
      });

      test("goes to one address five times an hour at most", async () => {
        const email = newMail();
        for (let round = 0; round < 5; round++) expect((await invite(email)).status).toBe(200);
        const { status, headers, body } = await invite(email);
        expect([status, (body as { code: string }).code]).toEqual([429, "FORBIDDEN"]);
        expect(Number(headers.get("retry-after"))).toBeGreaterThan(3_000);
        await mailing.deliver();
        mailing.pass(HOUR_MS);
        expect((await invite(email)).status).toBe(200);
        await mailing.deliver();
      });
    });

    describe("a lost password", () => {
      test("gets the same answer for everybody, and a letter for who has an account", async () => {
        const [known, unknown] = [newMail(), newMail()];
        await mailing.signUp(known);
        await mailing.deliver();
        const before = smtp.received.length;
        const answers = [];
        for (const email of [known.toUpperCase(), unknown]) {
          const { status, body } = await mailing.send("/api/auth/password/forgot", { email });
          answers.push([status, body]);
        }
        const same = [200, { success: true, delivery: "mail" }];
        expect(answers).toEqual([same, same] as never);
        expect(await mailing.deliver()).toBe(2);
        expect(smtp.received.slice(before).map(({ to }) => to)).toEqual([[known]]);
      });

      test("is replaced with the link, once, and all sessions end", async () => {
        const email = newMail();
        const person = await mailing.signUp(email);
        await mailing.send("/api/auth/password/forgot", { email });
        await mailing.deliver();
        const mail = smtp.received.find(({ to, text }) => to.includes(email) && text.includes("/ui/reset-password"));
        expect(mail?.text).toContain(`${PUBLIC_URL}/ui/reset-password?token=${mail?.token}`);
        const reset = (password: string) => mailing.send("/api/auth/password/reset", { token: mail?.token, password });
        expect((await reset("short")).status).toBe(400);
        expect((await reset(NEXT)).body).toEqual({ success: true } as never);
        expect((await mailing.send("/api/auth/me", undefined, person.token, "GET")).status).toBe(401);
        expect([await mailing.logIn(email, PASSWORD), await mailing.logIn(email, NEXT)]).toEqual([401, 200]);
        expect((await reset(PASSWORD)).status).toBe(404);
        expect(await mailing.logIn(email, NEXT)).toBe(200);
        expect(await actions(person.id)).toContain("user.reset_password");
      });

      test("is not replaced after an hour, by an older link, or by a link for something else", async () => {
        const email = newMail();
        const person = await mailing.signUp(email);
        await mailing.deliver();
        const verify = await smtp.mailTo(email);
        for (let round = 0; round < 2; round++) await mailing.send("/api/auth/password/forgot", { email });
        await mailing.deliver();
        const [older, newer] = [await smtp.mailTo(email, 2), await smtp.mailTo(email, 3)];
        const reset = async (token: string) =>
          (await mailing.send("/api/auth/password/reset", { token, password: NEXT })).status;
        // Two letters that go out together may have been written in either order: one of their links is the last.
        const good: string[] = [];
        for (const { token } of [older, newer]) {
          const hash = new Bun.CryptoHasher("sha256").update(token).digest("hex");
          if (await accounts.linkTokens.findByHash(hash)) good.push(token);
        }
        expect(good).toHaveLength(1);
        expect(await reset([older, newer].map(({ token }) => token).find((token) => token !== good[0]) ?? "")).toBe(
          404,
        );
        expect([await reset(verify.token), await reset("rst-nothing")]).toEqual([404, 404]);
        mailing.pass(HOUR_MS);
        expect(await reset(good[0] ?? "")).toBe(404);
        expect((await accounts.users.find(person.id))?.status).toBe("active");
        expect(await mailing.logIn(email, PASSWORD)).toBe(200);
      });

      test("and notices go to no record without sign-in, until it has an email", async () => {
        const headers = { authorization: `Bearer ${MASTER_KEY}` };
        const operate = (path: string, json: object) => app.call(path, { headers, json });
        expect((await operate("/key/generate", { user_id: "silent" })).status).toBe(200);
        const userId = (await accounts.users.findByExternalId("silent"))?.id;
        const notify = async () => {
          const data = { scope: "user", name: "silent", kind: "hard", percent: 80, spent: 8, limit: 10, window: "day" };
          const payload = { type: "budget.threshold", userId, data: { ...data, resetsAt: null } };
          await accounts.outbox.insert({ topic: "notice.budget.threshold", payload, createdAt: Date.now() });
          await mailing.deliver();
        };
        const before = smtp.received.length;
        await notify();
        await mailing.send("/api/auth/password/forgot", { email: "silent" });
        await mailing.deliver();
        expect(smtp.received.length).toBe(before);
        const email = newMail();
        expect((await operate("/user/update", { user_id: "silent", user_email: email })).status).toBe(200);
        await notify();
        expect((await smtp.mailTo(email)).text).toContain("the budget is yours");
      });

      test("is replaced once, however many use the link at once", async () => {
        const email = newMail();
        await mailing.signUp(email);
        await mailing.send("/api/auth/password/forgot", { email });
        await mailing.deliver();
        const token = smtp.received.findLast(({ to, text }) => to.includes(email) && text.includes("/ui/reset"))?.token;
        const words = ["first long password", "second long password", "third long password"];
        const answers = await Promise.all(
          words.map((password) => mailing.send("/api/auth/password/reset", { token, password })),
        );
        expect(answers.map(({ status }) => status).sort()).toEqual([200, 404, 404]);
        const winner = words[answers.findIndex(({ status }) => status === 200)] ?? "";
        expect(await mailing.logIn(email, winner)).toBe(200);
      });

      test("is not replaced for somebody who is shut out, and not with the link of another address", async () => {
        const [email, moved] = [newMail(), newMail()];
        const [person, mover] = [await mailing.signUp(email), await mailing.signUp(moved)];
        for (const one of [email, moved]) await mailing.send("/api/auth/password/forgot", { email: one });
        await mailing.deliver();
        await accounts.users.update(person.id, { status: "disabled" });
        await accounts.users.update(mover.id, { email: newMail() });
        for (const one of [email, moved]) {
          const mail = smtp.received.findLast(({ to }) => to.includes(one));
          const { status } = await mailing.send("/api/auth/password/reset", { token: mail?.token, password: NEXT });
          expect(status).toBe(404);
        }
        await mailing.send("/api/auth/password/forgot", { email });
        const before = smtp.received.length;
        await mailing.deliver();
        expect(smtp.received).toHaveLength(before);
      });

      test("is asked for five times an hour at most, whether somebody has the address or not", async () => {
        const [known, unknown] = [newMail(), newMail()];
        await mailing.signUp(known);
        for (const email of [known, unknown]) {
          const statuses = [];
          for (let round = 0; round < 6; round++) {
            statuses.push((await mailing.send("/api/auth/password/forgot", { email })).status);
          }
          expect(statuses).toEqual([200, 200, 200, 200, 200, 429]);
        }
        await mailing.deliver();
        mailing.pass(HOUR_MS);
      });
    });

    describe("an address", () => {
      test("is verified with the link of the letter that signing up sends", async () => {
        const email = newMail();
        const person = await mailing.signUp(email);
        await mailing.deliver();
        const { token, text } = await smtp.mailTo(email);
        expect(text).toContain(`${PUBLIC_URL}/ui/verify-email?token=${token}`);
        expect(await mailing.me(person.token)).toMatchObject({ emailVerified: false });
        const verify = () => mailing.send("/api/auth/verify-email", { token }, person.token);
        expect((await verify()).body).toEqual({ success: true } as never);
        expect(await mailing.me(person.token)).toMatchObject({ emailVerified: true });
        expect((await verify()).status).toBe(404);
        expect(await actions(person.id)).toContain("user.verify_email");
        const { body } = await mailing.send(`/api/admin/users/${person.id}`, undefined, MASTER_KEY, "GET");
        expect(body).toMatchObject({ emailVerified: true });
      });

      test("gets another letter when asked, whose link alone is good, and none once it is verified", async () => {
        const email = newMail();
        const person = await mailing.signUp(email);
        await mailing.deliver();
        const resend = () => mailing.send("/api/auth/verify-email/resend", {}, person.token);
        expect((await resend()).status).toBe(200);
        await mailing.deliver();
        const [old, fresh] = [await smtp.mailTo(email), await smtp.mailTo(email, 2)];
        const verify = async (token: string) =>
          (await mailing.send("/api/auth/verify-email", { token }, person.token)).status;
        expect([await verify(old.token), await verify(fresh.token)]).toEqual([404, 200]);
        expect((await resend()).status).toBe(200);
        expect(await mailing.deliver()).toBe(0);
      });

      test("is not verified after three days, nor by the link of an address that the person had before", async () => {
        const email = newMail();
        const person = await mailing.signUp(email);
        await mailing.deliver();
        const { token } = await smtp.mailTo(email);
        await accounts.users.update(person.id, { email: newMail() });
        const verify = async (session: string) =>
          (await mailing.send("/api/auth/verify-email", { token }, session)).status;
        expect(await verify(person.token)).toBe(404);
        await accounts.users.update(person.id, { email });
        mailing.pass(72 * HOUR_MS);
        const { body } = await mailing.send("/api/auth/token", { email, password: PASSWORD });
        expect(await verify((body as { token: string }).token)).toBe(404);
      });
    });

    test("no token lies in the log or in the outbox", async () => {
      const tokens = smtp.received.map(({ token }) => token).filter((token) => token !== "");
      expect(tokens.length).toBeGreaterThan(20);
      const logged = app.logged.join("\n");
      expect(tokens.filter((token) => logged.includes(token))).toEqual([]);
      mailing.pass(4 * 24 * HOUR_MS);
      await mailing.deliver();
      expect(await app.storage.outbox.claim("mail", Date.now() * 2, Date.now() * 2, 10)).toEqual([]);
    });
  });
}

describe("where verified addresses are asked for", async () => {
  const mailing = await Mailing.start("sqlite", "  require_verified_email: true\n");
  afterAll(() => mailing.close());

  test("people see who they are, and work only once mail has reached them", async () => {
    const person = await mailing.signUp("late@example.com");
    const work = async () => (await mailing.send("/api/gw/teams", undefined, person.token, "GET")).status;
    const refused = await mailing.send("/api/gw/teams", { name: "Red" }, person.token);
    expect(refused).toMatchObject({ status: 403, body: { code: "FORBIDDEN" } });
    expect(await work()).toBe(403);
    expect((await mailing.send("/key/generate", {}, person.token)).status).toBe(403);
    const app = { callback_url: "https://app.example.com/cb", code_challenge: "a".repeat(43), teamId: "any" };
    expect((await mailing.send("/api/auth/connect", app, person.token)).status).toBe(403);
    expect(await mailing.me(person.token)).toMatchObject({ emailVerified: false });
    expect((await mailing.send("/api/auth/verify-email/resend", {}, person.token)).status).toBe(200);
    await mailing.deliver();
    const token = mailing.smtp.received.at(-1)?.token;
    expect((await mailing.send("/api/auth/verify-email", { token }, person.token)).status).toBe(200);
    expect(await work()).toBe(200);
  });

  test("the installation's administrators are let through", async () => {
    const { adminEmail: email, generatedPassword: password } = mailing.app.first;
    const { body } = await mailing.send("/api/auth/token", { email, password });
    const { token } = body as { token: string };
    expect((await mailing.send("/api/gw/teams", undefined, token, "GET")).status).toBe(200);
  });
});
