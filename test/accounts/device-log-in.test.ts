import { afterAll, describe, expect, test } from "bun:test";
import { TOTP } from "otpauth";
import { SteppedClock } from "../stepped-clock.ts";
import { DATABASES } from "../storage/databases.ts";
import { newPerson, startAppOn } from "./people.ts";

interface Started {
  readonly deviceCode: string;
  readonly userCode: string;
  readonly verificationUri: string;
  readonly verificationUriComplete: string;
  readonly interval: number;
  readonly expiresIn: number;
}

const PASSWORD = "a good long one";

for (const { kind, missing } of DATABASES) {
  describe.skipIf(missing)(`the log-in of a device on ${kind}`, async () => {
    const clock = new SteppedClock();
    const app = await startAppOn(kind, "", clock);
    afterAll(() => app.close());
    let addresses = 0;

    const start = async (remoteAddress = `10.1.0.${++addresses}`) => {
      const answer = await app.call("/api/auth/device/code", { method: "POST", remoteAddress });
      return { status: answer.status, ...((await answer.json()) as Started) };
    };
    const poll = async (deviceCode: string) => {
      const answer = await app.call("/api/auth/device/token", { json: { deviceCode } });
      return { status: answer.status, body: (await answer.json()) as { error?: string; token?: string } };
    };
    const waitAndPoll = (deviceCode: string) => {
      clock.step(5_000);
      return poll(deviceCode);
    };

    test("gives a token when a person has approved its code, and gives it once", async () => {
      const person = await newPerson(app);
      const { deviceCode, userCode, verificationUri, verificationUriComplete, interval, expiresIn } = await start();
      expect(userCode).toMatch(/^[BCDFGHJKLMNPQRSTVWXZ]{4}-[BCDFGHJKLMNPQRSTVWXZ]{4}$/);
      expect(verificationUri).toBe("http://turnpike.test/device");
      expect(verificationUriComplete).toBe(`http://turnpike.test/device?user_code=${userCode}`);
      expect([interval, expiresIn]).toEqual([5, 600]);
      expect(await poll(deviceCode)).toEqual({
        status: 400,
        body: { error: "authorization_pending", code: "VALIDATION_ERROR" } as never,
      });
      const typed = ` ${userCode.replace("-", " ").toLowerCase()}`;
      expect((await person.send("POST", "/api/auth/device/approve", { userCode: typed })).status).toBe(200);
      clock.step(5_000);
      const races = await Promise.all([1, 2, 3].map(() => poll(deviceCode)));
      expect(races.map(({ status }) => status).sort()).toEqual([200, 400, 400]);
      const token = races.find(({ status }) => status === 200)?.body.token ?? "";
      const me = await app.call("/api/auth/me", { key: token });
      expect(await me.json()).toMatchObject({ user: { id: person.id } });
      expect((await waitAndPoll(deviceCode)).body.error).toBe("invalid_grant");
      const again = await person.send("POST", "/api/auth/device/approve", { userCode });
      expect(again.status).toBe(404);
    });

    test("speaks as RFC 8628 does to programs that know nothing else", async () => {
      const person = await newPerson(app);
      const answer = await app.call("/api/auth/device/code", { method: "POST", remoteAddress: "10.2.0.1" });
      const rfc = (await answer.json()) as { device_code: string; user_code: string; verification_uri: string };
      expect(rfc).toMatchObject({ verification_uri: "http://turnpike.test/device", expires_in: 600, interval: 5 });
      await person.send("POST", "/api/auth/device/approve", { user_code: rfc.user_code });
      const json = { grant_type: "urn:ietf:params:oauth:grant-type:device_code", device_code: rfc.device_code };
      const token = (await (await app.call("/api/auth/device/token", { json })).json()) as { access_token: string };
      expect(token).toMatchObject({ token_type: "Bearer", expires_in: expect.any(Number) });
      expect((await app.call("/api/auth/me", { key: token.access_token })).status).toBe(200);
    });

    test("is told to slow down when it asks too often, and longer each time", async () => {
      const { deviceCode } = await start();
      expect((await poll(deviceCode)).body.error).toBe("authorization_pending");
      clock.step(4_999);
      expect((await poll(deviceCode)).body.error).toBe("slow_down");
      clock.step(5_000);
      expect((await poll(deviceCode)).body.error).toBe("slow_down");
      clock.step(15_000);
      expect((await poll(deviceCode)).body.error).toBe("authorization_pending");
    });

    test("is refused when the person says no, when time is over, and with a code that nobody has", async () => {
      const person = await newPerson(app);
      const [denied, late] = [await start(), await start()];
      await person.send("POST", "/api/auth/device/approve", { userCode: denied.userCode, deny: true });
      expect((await poll(denied.deviceCode)).body.error).toBe("access_denied");
      clock.step(599_999);
      expect((await poll(late.deviceCode)).body.error).toBe("authorization_pending");
      clock.step(1);
      expect((await poll(late.deviceCode)).body.error).toBe("expired_token");
      const answer = await person.send("POST", "/api/auth/device/approve", { userCode: late.userCode });
      expect(answer.status).toBe(404);
      for (const code of ["x", late.userCode, "0".repeat(43)])
        expect((await poll(code)).body.error).toBe("invalid_grant");
      expect((await app.call("/api/auth/device/token", { json: {} })).status).toBe(400);
    });

    test("is over for somebody who was disabled meanwhile", async () => {
      const person = await newPerson(app);
      const { deviceCode, userCode } = await start();
      await person.send("POST", "/api/auth/device/approve", { userCode });
      await app.storage.accounts.users.update(person.id, { status: "disabled" });
      expect((await poll(deviceCode)).body.error).toBe("invalid_grant");
    });

    test("cannot be approved by guessing, nor begun without end", async () => {
      const person = await newPerson(app);
      const guess = () => person.send("POST", "/api/auth/device/approve", { userCode: "BBBB-BBBB" });
      for (let tries = 0; tries < 5; tries++) expect((await guess()).status).toBe(404);
      expect((await guess()).status).toBe(429);
      const { userCode } = await start();
      expect((await person.send("POST", "/api/auth/device/approve", { userCode })).status).toBe(429);

      for (let count = 0; count < 20; count++) expect((await start("2001:db8::1")).status).toBe(200);
      expect((await start("2001:db8::2")).status).toBe(429);
      expect((await start("2001:db8:1::1")).status).toBe(200);
      const atOnce = await Promise.all(Array.from({ length: 30 }, () => start("2001:db8:2::1")));
      expect(atOnce.filter(({ status }) => status === 200)).toHaveLength(20);
    });

    test("leaves neither of its codes in the database, and a line in the audit log", async () => {
      const person = await newPerson(app);
      const { deviceCode, userCode } = await start();
      await person.send("POST", "/api/auth/device/approve", { userCode });
      const { rows } = await app.storage.accounts.audit.list(
        { action: "device_login.approve" },
        { page: 1, pageSize: 1 },
      );
      expect(rows).toMatchObject([{ userId: person.id, targetType: "device_login" }]);
      expect(JSON.stringify(rows) + app.logged.join("")).not.toMatch(new RegExp(`${deviceCode}|${userCode}`));
    });

    describe("on its page", () => {
      const send = (fields: Record<string, string>, id = ++addresses) =>
        app.call("/device", {
          method: "POST",
          headers: { "content-type": "application/x-www-form-urlencoded" },
          body: new URLSearchParams(fields).toString(),
          remoteAddress: `10.3.0.${id}`,
        });

      test("shows the code that the address names, and nothing that it does not", async () => {
        const answer = await app.call("/device?user_code=%22%3E%3Cscript%3Ealert(1)%3C/script%3E");
        const html = await answer.text();
        expect(html).toContain('value="&#34;&#62;&#60;script&#62;alert(1)&#60;/script&#62;"');
        expect(html).not.toContain("<script");
        const policy = answer.headers.get("content-security-policy") ?? "";
        expect(policy).toContain("default-src 'none'");
        expect(policy).toContain("form-action 'self'");
        expect(policy).toContain("frame-ancestors 'none'");
        expect(policy).not.toContain("script-src");
      });

      test("is approved with the password, and with a code where one is needed", async () => {
        const person = await newPerson(app);
        const { secret } = (await person.send("POST", "/api/auth/2fa/setup")).body as { secret: string };
        const code = () => new TOTP({ secret }).generate({ timestamp: clock.nowMs() });
        await person.send("POST", "/api/auth/2fa/enable", { code: code(), password: PASSWORD });
        clock.step(30_000);
        const { deviceCode, userCode } = await start();
        const fields = { user_code: userCode, email: person.email, password: PASSWORD, decision: "approve" };
        const wrong = await send({ ...fields, password: "wrong" });
        expect([wrong.status, await wrong.text()]).toEqual([401, expect.stringContaining(`value="${person.email}"`)]);
        expect((await send(fields)).status).toBe(401);
        expect((await send({ ...fields, user_code: "BBBB-BBBB", code: code() })).status).toBe(404);
        clock.step(30_000);
        const answer = await send({ ...fields, code: code() });
        expect([answer.status, await answer.text()]).toEqual([200, expect.stringContaining("Approved")]);
        expect((await poll(deviceCode)).status).toBe(200);
      });

      test("is refused there too", async () => {
        const person = await newPerson(app);
        const { deviceCode, userCode } = await start();
        const fields = { user_code: userCode, email: person.email, password: PASSWORD, decision: "deny" };
        expect(await (await send(fields)).text()).toContain("Refused");
        expect((await poll(deviceCode)).body.error).toBe("access_denied");
      });

      test("guesses passwords no quicker than the log-in does", async () => {
        const person = await newPerson(app);
        const fields = { user_code: "BBBB-BBBB", email: person.email, password: "wrong" };
        for (let tries = 0; tries < 5; tries++) expect((await send(fields, 200)).status).toBe(401);
        const answer = await send(fields, 200);
        expect([answer.status, answer.headers.get("retry-after")]).toEqual([429, "1"]);
      });

      test("takes a form of a sensible size, and nothing else", async () => {
        const json = await app.call("/device", { json: {} });
        expect(json.status).toBe(415);
        expect((await send({ email: "x".repeat(9_000) })).status).toBe(413);
      });
    });
  });
}
