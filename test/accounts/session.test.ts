import { afterAll, describe, expect, test } from "bun:test";
import { SignJWT } from "jose";
import { deriveSecrets } from "../../src/accounts/secrets.ts";
import { startApp } from "../app.ts";

const app = await startApp();
afterAll(() => app.close());
const login = { email: "admin@localhost", password: app.first.generatedPassword ?? "" };
const logIn = (body: object) => app.call("/api/auth/token", { json: body });
const me = (token: string) => app.call("/api/auth/me", { headers: { authorization: `Bearer ${token}` } });

describe("the login that the first start prints", () => {
  test("works, and tells who it is", async () => {
    const response = await logIn({ ...login, email: " ADMIN@localhost" });
    expect(response.status).toBe(200);
    const { token, expiresAt } = (await response.json()) as { token: string; expiresAt: string };
    expect(Date.parse(expiresAt)).toBeGreaterThan(Date.now() + 23 * 3_600_000);
    const who = await me(token);
    expect(await who.json()).toEqual({
      user: {
        id: 1,
        email: "admin@localhost",
        name: "Administrator",
        role: "admin",
        emailVerified: true,
        twoFactorEnabled: false,
      },
      activeOrganizationId: expect.any(String),
      sendsMail: false,
    });
  });

  test("opens what is for admins", async () => {
    const { token } = (await (await logIn(login)).json()) as { token: string };
    expect((await app.call("/metrics", { headers: { authorization: `Bearer ${token}` } })).status).toBe(200);
  });

  test.each([
    ["a wrong password", { ...login, password: "wrong" }],
    ["an unknown mail", { ...login, email: "nobody@localhost" }],
  ])("with %s is 401 with the same words", async (_, body) => {
    const response = await logIn(body);
    expect(response.status).toBe(401);
    expect(await response.json()).toEqual({ error: "The e-mail or the password is wrong.", code: "UNAUTHORIZED" });
  });
});

describe("a session token", () => {
  const { sessionKey } = deriveSecrets("a-secret-for-tests-0123456789abcdef");
  const forge = (changes: {
    alg?: string;
    key?: Uint8Array;
    aud?: string;
    iss?: string;
    sid?: unknown;
    exp?: number;
  }) =>
    new SignJWT({ sid: changes.sid ?? "no-such-session" })
      .setProtectedHeader({ alg: changes.alg ?? "HS256" })
      .setIssuer(changes.iss ?? "turnpike")
      .setAudience(changes.aud ?? "platform")
      .setSubject("1")
      .setIssuedAt()
      .setExpirationTime(changes.exp ?? Math.floor(Date.now() / 1000) + 3_600)
      .sign(changes.key ?? sessionKey);
  const realSid = async () => {
    const { token } = (await (await logIn(login)).json()) as { token: string };
    return { token, sid: JSON.parse(atob(token.split(".")[1] ?? "")).sid as string };
  };

  test("for a real session, signed by us, is good", async () => {
    const { sid } = await realSid();
    expect((await me(await forge({ sid }))).status).toBe(200);
  });

  test.each([
    ["another key", { key: new Uint8Array(32).fill(7) }],
    ["another audience", { aud: "gateway" }],
    ["another issuer", { iss: "somebody" }],
    ["another algorithm", { alg: "HS512", key: new Uint8Array(64).fill(1) }],
    ["an end in the past", { exp: Math.floor(Date.now() / 1000) - 60 }],
    ["no session", { sid: "no-such-session" }],
    ["a session that is a number", { sid: 1 }],
  ])("with %s is 401", async (_, changes) => {
    const { sid } = await realSid();
    const response = await me(await forge({ sid, ...changes }));
    expect(response.status).toBe(401);
    expect(response.headers.get("www-authenticate")).toBe("Bearer");
  });

  test("without a signature, or with a changed one, is 401", async () => {
    const { token } = await realSid();
    const [header = "", payload = "", signature = ""] = token.split(".");
    const none = btoa('{"alg":"none"}').replaceAll("=", "");
    for (const forged of [
      `${none}.${payload}.`,
      `${header}.${payload}.`,
      `${header}.${payload}.${signature.slice(0, -2)}AA`,
    ]) {
      expect((await me(forged)).status).toBe(401);
    }
  });

  test("of a session that was revoked is 401", async () => {
    const { token, sid } = await realSid();
    await app.storage.accounts.sessions.revoke(1, { id: sid }, Date.now());
    expect((await me(token)).status).toBe(401);
  });

  test("is no API key, and an API key is no session", async () => {
    const { token } = await realSid();
    const json = { model: "echo", messages: [{ role: "user", content: "hi" }] };
    expect(
      (await app.call("/v1/chat/completions", { json, headers: { authorization: `Bearer ${token}` } })).status,
    ).toBe(401);
    expect((await me(app.first.demoKey ?? "")).status).toBe(401);
  });
});

test("what the first start made is not made again, and keys are not stored as they are", async () => {
  expect(await app.service.prepare()).toBeNull();
  expect(app.logged.join("")).not.toContain(app.first.demoKey ?? "none");
});
