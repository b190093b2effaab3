import { afterAll, describe, expect, test } from "bun:test";
import { startApp, type TestApp } from "../app.ts";
import { newPerson, type Person } from "./people.ts";

const ORIGIN = "https://gateway.example.com";
const app = await startApp(`general_settings:\n  public_url: ${ORIGIN}/\n`);
const local = await startApp();
afterAll(async () => {
  await app.close();
  await local.close();
});

/** What a browser keeps of an answer. */
function kept(answer: Response): { name: string; value: string; rest: string } {
  const [, name = "", value = "", rest = ""] =
    /^([^=]+)=([^;]*);(.*)$/.exec(answer.headers.get("set-cookie") ?? "") ?? [];
  return { name, value, rest };
}

async function logIn(to: TestApp, person: Person) {
  const json = { email: person.email, password: "a good long one", cookie: true };
  const answer = await to.call("/api/auth/token", { json });
  const cookie = kept(answer);
  return { cookie, header: `${cookie.name}=${cookie.value}`, body: (await answer.json()) as Record<string, string> };
}

const person = await newPerson(app);
const browser = await logIn(app, person);
const other = await logIn(app, person);
const good = { cookie: browser.header, origin: ORIGIN, "x-csrf-token": browser.body.csrfToken ?? "" };
const change = (headers: Record<string, string>) =>
  app.call("/api/gw/organizations", { json: { name: "Made" }, headers });

describe("a log-in for a browser", () => {
  test("gives a cookie that only this host can set, read and send, and no token to scripts", () => {
    expect(browser.cookie.name).toBe("__Host-turnpike");
    expect(browser.cookie.rest).toMatch(/^ Path=\/; Max-Age=86\d{3}; HttpOnly; Secure; SameSite=Lax$/);
    expect(Object.keys(browser.body).sort()).toEqual(["csrfToken", "expiresAt"]);
    expect(JSON.stringify(browser.body)).not.toContain(browser.cookie.value);
  });

  test("without TLS on one's own machine the cookie does without what needs TLS", async () => {
    const request = (cookie: string, url: string) =>
      local.service.dispatcher.handle(new Request(url, { headers: { cookie } }), {
        keepOpen: () => undefined,
        release: () => undefined,
        remoteAddress: "127.0.0.1",
      });
    const someone = await newPerson(local);
    const json = JSON.stringify({ email: someone.email, password: "a good long one", cookie: true });
    const answer = await local.service.dispatcher.handle(
      new Request("http://127.0.0.1:4000/api/auth/token", {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: json,
      }),
      { keepOpen: () => undefined, release: () => undefined, remoteAddress: "127.0.0.1" },
    );
    const { name, value, rest } = kept(answer);
    expect([name, rest.includes("Secure"), rest.includes("HttpOnly")]).toEqual(["turnpike", false, true]);
    expect((await request(`turnpike=${value}`, "http://127.0.0.1:4000/api/auth/me")).status).toBe(200);
    expect((await request(`turnpike=${value}`, "http://gateway.example.com/api/auth/me")).status).toBe(401);
    expect((await request(`__Host-turnpike=${value}`, "http://127.0.0.1:4000/api/auth/me")).status).toBe(401);
  });
});

describe("a session cookie", () => {
  test("reads without more, and `me` gives the token for changes", async () => {
    const me = await app.call("/api/auth/me", { headers: { cookie: `a=b; ${browser.header}; c=d` } });
    expect(await me.json()).toMatchObject({ user: { id: person.id }, csrfToken: good["x-csrf-token"] });
    const bearer = (await person.send("GET", "/api/auth/me")).body;
    expect(bearer).not.toHaveProperty("csrfToken");
  });

  test("changes with the page's origin and the session's token", async () => {
    expect((await change(good)).status).toBe(201);
    expect((await change({ ...good, origin: "http://turnpike.test" })).status).toBe(201);
  });

  test.each([
    ["no origin", { origin: "" }],
    ["a foreign origin", { origin: "https://evil.example.com" }],
    ["an origin that begins like ours", { origin: `${ORIGIN}.evil.example.com` }],
    ["the null origin", { origin: "null" }],
    ["our origin without TLS", { origin: "http://gateway.example.com" }],
    ["no token", { "x-csrf-token": "" }],
    ["a wrong token", { "x-csrf-token": "0".repeat(64) }],
    ["the token of another session", { "x-csrf-token": other.body.csrfToken ?? "" }],
  ])("changes nothing with %s", async (_, wrong) => {
    const headers = Object.fromEntries(Object.entries({ ...good, ...wrong }).filter(([, value]) => value !== ""));
    const answer = await change(headers);
    expect([answer.status, ((await answer.json()) as { code: string }).code]).toEqual([403, "FORBIDDEN"]);
  });

  test.each([
    ["beside an Authorization header", { ...good, authorization: "Bearer no.such.token" }],
    ["twice", { ...good, cookie: `${browser.header}; ${browser.header}` }],
    ["under another name", { ...good, cookie: browser.header.replace("__Host-", "") }],
    ["under the name in other letters", { ...good, cookie: browser.header.replace("__Host-t", "__host-T") }],
  ])("is none %s", async (_, headers) => {
    expect((await change(headers)).status).toBe(401);
  });

  test("is no API key", async () => {
    expect((await app.call("/v1/models", { headers: good })).status).toBe(401);
  });

  test("of an administrator opens what is for administrators, unless a key is sent", async () => {
    const admin = await newPerson(app);
    await app.storage.accounts.users.update(admin.id, { role: "admin" });
    const session = await logIn(app, admin);
    const headers = { cookie: session.header };
    expect((await app.call("/api/admin/users", { headers })).status).toBe(200);
    expect((await app.call("/api/admin/users", { headers: { ...headers, "x-api-key": "sk-none" } })).status).toBe(401);
    const reload = (more: Record<string, string>) =>
      app.call("/api/admin/config/reload", { method: "POST", headers: { ...headers, ...more } });
    expect((await reload({})).status).toBe(403);
    const whole = { origin: ORIGIN, "x-csrf-token": session.body.csrfToken ?? "" };
    expect((await reload(whole)).status).toBe(200);
  });

  test("is renewed in place, from a page of ours only", async () => {
    const session = await logIn(app, person);
    const renew = (headers: Record<string, string>) =>
      app.call("/api/auth/token/refresh", { method: "POST", headers: { cookie: session.header, ...headers } });
    expect((await renew({})).status).toBe(403);
    const answer = await renew({ origin: ORIGIN, "x-csrf-token": session.body.csrfToken ?? "" });
    expect(answer.status).toBe(200);
    expect(kept(answer).value).not.toBe(session.cookie.value);
    expect(await answer.json()).toEqual({ expiresAt: expect.any(String), csrfToken: session.body.csrfToken });
    const again = await app.call("/api/auth/me", { headers: { cookie: `${kept(answer).name}=${kept(answer).value}` } });
    expect(again.status).toBe(200);
  });

  test("ends with the log-out, here and at the server", async () => {
    const session = await logIn(app, person);
    const headers = { cookie: session.header, origin: ORIGIN, "x-csrf-token": session.body.csrfToken ?? "" };
    const answer = await app.call("/api/auth/logout", { method: "POST", headers });
    expect(kept(answer)).toMatchObject({ name: "__Host-turnpike", value: "" });
    expect(kept(answer).rest).toContain("Max-Age=0");
    expect((await app.call("/api/auth/me", { headers })).status).toBe(401);
  });
});
