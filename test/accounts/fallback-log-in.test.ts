import { afterAll, describe, expect, test } from "bun:test";
import { startApp } from "../app.ts";
import { newPerson } from "./people.ts";

const ORIGIN = "http://turnpike.test";
const app = await startApp();
afterAll(() => app.close());
const person = await newPerson(app);
const login = { email: person.email, password: "a good long one" };

const sendForm = (path: string, fields: Record<string, string>, headers: Record<string, string> = { origin: ORIGIN }) =>
  app.call(path, {
    method: "POST",
    headers: { "content-type": "application/x-www-form-urlencoded", ...headers },
    body: new URLSearchParams(fields).toString(),
  });
const cookieOf = (answer: Response): string => (answer.headers.get("set-cookie") ?? "").split(";")[0] ?? "";
const field = (html: string, name: string): string =>
  new RegExp(`name="${name}"[^>]* value="([^"]*)"`).exec(html)?.[1] ?? "";

async function loggedIn(): Promise<string> {
  const answer = await sendForm("/fallback/login", login);
  expect([answer.status, answer.headers.get("location")]).toEqual([303, "/fallback"]);
  return cookieOf(answer);
}

describe("logging in without a script", () => {
  test("is a page with a form and no script, which no other page may frame", async () => {
    const answer = await app.call("/fallback/login");
    const html = await answer.text();
    expect(html).toContain('<form method="post" action="/fallback/login">');
    expect(html).not.toContain("<script");
    const policy = answer.headers.get("content-security-policy") ?? "";
    expect(policy).toContain("default-src 'none'");
    expect(policy).toContain("frame-ancestors 'none'");
  });

  test("gives the cookie that the pages use, and a page that tells who one is", async () => {
    const cookie = await loggedIn();
    const home = await (await app.call("/fallback", { headers: { cookie } })).text();
    expect(home).toContain(person.email);
    expect(home).toContain('href="/ui"');
    expect((await app.call("/api/auth/me", { headers: { cookie } })).status).toBe(200);
  });

  test("sends who is not logged in to the form", async () => {
    for (const headers of [{}, { cookie: "__Host-turnpike=no.such.token" }] as Record<string, string>[]) {
      const answer = await app.call("/fallback", { headers });
      expect([answer.status, answer.headers.get("location")]).toEqual([303, "/fallback/login"]);
    }
  });

  test("says in words what is wrong, and keeps the address, never the password", async () => {
    const answer = await sendForm("/fallback/login", { ...login, password: "a wrong long one" });
    const html = await answer.text();
    expect(answer.status).toBe(401);
    expect(html).toContain('role="alert"');
    expect(field(html, "email")).toBe(person.email);
    expect(html).not.toContain("a wrong long one");
    expect(answer.headers.get("set-cookie")).toBeNull();
  });

  test("shows what was typed as text", async () => {
    const answer = await sendForm("/fallback/login", { ...login, email: '"><script>alert(1)</script>' });
    const html = await answer.text();
    expect(html).not.toContain("<script");
    expect(html).toContain("&#60;script&#62;");
  });

  test.each([
    ["another page", { origin: "https://evil.example.com" }],
    ["the null origin", { origin: "null" }],
    ["no origin", {}],
  ] as [string, Record<string, string>][])("is refused from %s", async (_, headers) => {
    const answer = await sendForm("/fallback/login", login, headers);
    expect([answer.status, answer.headers.get("set-cookie")]).toEqual([403, null]);
  });

  test("takes a form alone", async () => {
    expect((await app.call("/fallback/login", { json: login })).status).toBe(415);
  });
});

describe("logging out without a script", () => {
  test("ends the session and takes the cookie back", async () => {
    const cookie = await loggedIn();
    const token = field(await (await app.call("/fallback", { headers: { cookie } })).text(), "csrf_token");
    const answer = await sendForm("/fallback/logout", { csrf_token: token }, { cookie, origin: ORIGIN });
    expect([answer.status, answer.headers.get("location")]).toEqual([303, "/fallback/login"]);
    expect(answer.headers.get("set-cookie")).toContain("Max-Age=0");
    expect((await app.call("/api/auth/me", { headers: { cookie } })).status).toBe(401);
  });

  test("needs the page's own form", async () => {
    const cookie = await loggedIn();
    const token = field(await (await app.call("/fallback", { headers: { cookie } })).text(), "csrf_token");
    const tries: [Record<string, string>, Record<string, string>][] = [
      [{ csrf_token: token }, { cookie, origin: "https://evil.example.com" }],
      [{ csrf_token: "0".repeat(64) }, { cookie, origin: ORIGIN }],
      [{}, { cookie, origin: ORIGIN }],
    ];
    for (const [fields, headers] of tries) {
      expect((await sendForm("/fallback/logout", fields, headers)).status).toBe(403);
    }
    expect((await app.call("/api/auth/me", { headers: { cookie } })).status).toBe(200);
  });
});
