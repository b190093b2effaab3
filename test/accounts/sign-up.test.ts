import { afterAll, describe, expect, test } from "bun:test";
import { MASTER_KEY, startApp, type TestApp } from "../app.ts";
import { SteppedClock } from "../stepped-clock.ts";
import { WITHOUT_CREDIT } from "./people.ts";

const app = await startApp(WITHOUT_CREDIT);
afterAll(() => app.close());

const post = (path: string, json: object, token?: string, target: TestApp = app) =>
  target.call(path, { json, ...(token === undefined ? {} : { headers: { authorization: `Bearer ${token}` } }) });
const as = (token: string, path: string, init: object = {}) =>
  app.call(path, { ...init, headers: { authorization: `Bearer ${token}` } });

let people = 0;
async function signUp(fields: object = {}) {
  const email = `person${++people}@example.com`;
  const response = await post("/api/auth/signup", { email, password: "a good long one", ...fields });
  const body = (await response.json()) as { user: { id: number }; token: string; expiresAt: string };
  return { email, status: response.status, ...body };
}

describe("signing up", () => {
  test("gives a user, a token, an organization of one's own and its first team", async () => {
    const { status, email, user, token, expiresAt } = await signUp({ name: "Ada" });
    expect(status).toBe(201);
    expect(user).toEqual({ id: user.id, email, name: "Ada", role: "user" } as never);
    expect(Date.parse(expiresAt)).toBeGreaterThan(Date.now());
    expect(await (await as(token, "/api/auth/me")).json()).toEqual({
      activeOrganizationId: expect.any(String),
      sendsMail: false,
      user: { ...user, emailVerified: false, twoFactorEnabled: false },
    });
    const [own] = await app.storage.accounts.organizations.listOf(user.id);
    expect(own).toMatchObject({ role: "owner", organization: { name: "Ada's organization" } });
    const teams = await app.storage.accounts.teams.list(own?.organization.id ?? "");
    expect(teams).toMatchObject([{ team: { name: "Default" }, membersCount: 1 }]);
  });

  test.each([
    ["a known e-mail, in another case", { email: "ADMIN@localhost" }, 409],
    ["no e-mail address", { email: "nobody" }, 400],
    ["a short password", { password: "short" }, 400],
    ["a common password", { password: "password123" }, 400],
    ["the e-mail as password", { email: "longenough@example.com", password: "longenough@example.com" }, 400],
    ["a name of spaces", { name: "   " }, 400],
    ["a line break in the name", { name: "Ada\nBcc: everybody" }, 400],
    ["half a letter in the name", { name: "Ada \ud800" }, 400],
    ["a line break in the organization's name", { organizationName: "Acme\r\nInc" }, 400],
    ["a number as e-mail", { email: 7 }, 400],
  ])("with %s is refused, and nothing stays behind", async (_, fields, status) => {
    const before = (await app.storage.accounts.users.list({}, { page: 1, pageSize: 1 })).total;
    const response = await post("/api/auth/signup", {
      email: `x${++people}@example.com`,
      password: "a good long one",
      ...fields,
    });
    expect(response.status).toBe(status);
    expect(await response.json()).toMatchObject({ code: "VALIDATION_ERROR" });
    expect((await app.storage.accounts.users.list({}, { page: 1, pageSize: 1 })).total).toBe(before);
  });

  test("takes nothing that was not asked: a role, an id, a status", async () => {
    const { user } = await signUp({ role: "admin", id: 99, status: "disabled", passwordHash: "x", createdAt: 0 });
    expect(await app.storage.accounts.users.find(user.id)).toMatchObject({ role: "user", status: "active" });
    expect(user.id).not.toBe(99);
  });

  test("of one e-mail by many at once makes one account", async () => {
    const body = { email: "race@example.com", password: "a good long one" };
    const statuses = await Promise.all(
      Array.from({ length: 5 }, async () => (await post("/api/auth/signup", body)).status),
    );
    expect(statuses.sort()).toEqual([201, 409, 409, 409, 409]);
  });

  test("can be switched off", async () => {
    const closed = await startApp("general_settings: { allow_signup: false }\n");
    expect(
      (await post("/api/auth/signup", { email: "a@b.c", password: "a good long one" }, undefined, closed)).status,
    ).toBe(403);
    await closed.close();
  });
});

describe("a session", () => {
  test("is renewed with its token", async () => {
    const { token } = await signUp();
    const response = await as(token, "/api/auth/token/refresh", { method: "POST" });
    expect(response.status).toBe(200);
    const renewed = (await response.json()) as { token: string };
    expect(renewed.token).not.toBe(token);
    expect((await as(renewed.token, "/api/auth/me")).status).toBe(200);
  });

  test("is listed with its device, and can be ended from another one", async () => {
    const { email, token } = await signUp();
    const other = (await (await post("/api/auth/token", { email, password: "a good long one" })).json()) as {
      token: string;
    };
    const { data } = (await (await as(token, "/api/auth/sessions")).json()) as {
      data: { id: string; current: boolean }[];
    };
    expect(data).toHaveLength(2);
    expect(data.filter((session) => session.current)).toHaveLength(1);
    expect(await (await as(token, "/api/auth/sessions?page=2&pageSize=1")).json()).toEqual({
      data: [data[1]],
      meta: { page: 2, pageSize: 1, total: 2, totalPages: 2 },
    });
    const theirs = data.find((session) => !session.current)?.id ?? "";
    expect((await as(token, `/api/auth/sessions/${theirs}`, { method: "DELETE" })).status).toBe(200);
    expect((await as(other.token, "/api/auth/me")).status).toBe(401);
    expect((await as(token, "/api/auth/me")).status).toBe(200);
  });

  test("of somebody else is not there to be ended", async () => {
    const [one, two] = [await signUp(), await signUp()];
    const { data } = (await (await as(two.token, "/api/auth/sessions")).json()) as { data: { id: string }[] };
    expect((await as(one.token, `/api/auth/sessions/${data[0]?.id}`, { method: "DELETE" })).status).toBe(404);
    expect((await as(two.token, "/api/auth/me")).status).toBe(200);
  });

  test("ends with the log-out, for renewal too", async () => {
    const { token } = await signUp();
    expect((await as(token, "/api/auth/logout", { method: "POST" })).status).toBe(200);
    expect((await as(token, "/api/auth/me")).status).toBe(401);
    expect((await as(token, "/api/auth/token/refresh", { method: "POST" })).status).toBe(401);
  });
});

test("a browser that signs up gets the session as a cookie, and the token for its changes", async () => {
  const json = { email: "browser@example.com", password: "a good long one", name: "Ada", cookie: true };
  const answer = await app.call("/api/auth/signup", { json });
  const body = (await answer.json()) as { csrfToken: string };
  expect(body).toEqual({
    user: expect.any(Object),
    csrfToken: expect.any(String),
    expiresAt: expect.any(String),
  } as never);
  const [cookie = ""] = (answer.headers.get("set-cookie") ?? "").split(";");
  const headers = { cookie, origin: "http://turnpike.test", "x-csrf-token": body.csrfToken };
  const made = await app.call("/api/gw/organizations", { headers, json: { name: "Another" } });
  expect([answer.status, made.status]).toEqual([201, 201]);
});

describe("a password", () => {
  test("is changed with the present one, and every other session ends", async () => {
    const { email, token } = await signUp();
    const other = (await (await post("/api/auth/token", { email, password: "a good long one" })).json()) as {
      token: string;
    };
    const change = (currentPassword: string, newPassword: string) =>
      post("/api/auth/password/change", { currentPassword, newPassword }, token);
    expect((await change("wrong one here", "another long one")).status).toBe(403);
    expect((await change("a good long one", "short")).status).toBe(400);
    expect((await change("a good long one", "another long one")).status).toBe(200);
    expect((await as(other.token, "/api/auth/me")).status).toBe(401);
    expect((await as(token, "/api/auth/me")).status).toBe(200);
    expect((await post("/api/auth/token", { email, password: "a good long one" })).status).toBe(401);
    expect((await post("/api/auth/token", { email, password: "another long one" })).status).toBe(200);
  });

  test("that is guessed at costs time, and says how much", async () => {
    const { email } = await signUp();
    const guess = () => post("/api/auth/token", { email, password: "wrong one here" });
    const statuses: number[] = [];
    for (let count = 0; count < 6; count++) statuses.push((await guess()).status);
    expect(statuses).toEqual([401, 401, 401, 401, 401, 429]);
    const response = await guess();
    expect(Number(response.headers.get("retry-after"))).toBeGreaterThan(0);
    expect(await response.json()).toMatchObject({ code: "FORBIDDEN" });
  });
});

describe("administrators", () => {
  const admin = (path: string, init: object = {}) => app.call(path, { key: MASTER_KEY, ...init });

  test("list, find and search users, page by page", async () => {
    const { email, user } = await signUp({ name: "Grace Hopper" });
    const list = (await (await admin("/api/admin/users?page=1&pageSize=2")).json()) as { data: object[]; meta: object };
    expect(list.data).toHaveLength(2);
    expect(list.meta).toMatchObject({ page: 1, pageSize: 2 });
    expect(await (await admin("/api/admin/users?search=GRACE")).json()).toMatchObject({
      data: [{ email }],
      meta: { total: 1 },
    });
    const shown = await (await admin(`/api/admin/users/${user.id}`)).text();
    expect(JSON.parse(shown)).toMatchObject({ email, role: "user", status: "active" });
    expect(shown).not.toMatch(/argon2|hash/i);
    expect((await admin("/api/admin/users/999999")).status).toBe(404);
  });

  test("disable somebody, who is out at once", async () => {
    const { email, user, token } = await signUp();
    expect((await admin(`/api/admin/users/${user.id}`, { method: "PATCH", json: { status: "disabled" } })).status).toBe(
      200,
    );
    expect((await as(token, "/api/auth/me")).status).toBe(401);
    expect((await post("/api/auth/token", { email, password: "a good long one" })).status).toBe(401);
  });

  test("make somebody an administrator, and not themselves less", async () => {
    const { email, user } = await signUp();
    await admin(`/api/admin/users/${user.id}`, { method: "PATCH", json: { role: "admin" } });
    const { token } = (await (await post("/api/auth/token", { email, password: "a good long one" })).json()) as {
      token: string;
    };
    expect((await as(token, "/api/admin/users")).status).toBe(200);
    const self = await as(token, `/api/admin/users/${user.id}`, { method: "PATCH", json: { role: "user" } });
    expect(self.status).toBe(409);
  });

  test("remove somebody, whose name and mail are gone and whose log stays", async () => {
    const { email, user, token } = await signUp();
    expect((await admin(`/api/admin/users/${user.id}`, { method: "DELETE" })).status).toBe(200);
    expect((await as(token, "/api/auth/me")).status).toBe(401);
    expect(await (await admin(`/api/admin/users?search=${email}`)).json()).toMatchObject({ data: [] });
    const log = await (await admin(`/api/admin/audit-logs?action=user.remove`)).json();
    expect(log).toMatchObject({ data: [{ actor: "master_key", targetId: String(user.id) }] });
  });

  test("remove somebody at once from several sides, and the log has it once", async () => {
    const { user } = await signUp();
    const remove = () => admin(`/api/admin/users/${user.id}`, { method: "DELETE" });
    for (const { status } of [...(await Promise.all([remove(), remove()])), await remove()]) expect(status).toBe(200);
    const log = await (await admin(`/api/admin/audit-logs?action=user.remove`)).json();
    const { data } = log as { data: { targetId: string }[] };
    expect(data.filter(({ targetId }) => targetId === String(user.id))).toHaveLength(1);
  });

  test("are not what a plain user is", async () => {
    const { token } = await signUp();
    for (const path of ["/api/admin/users", "/api/admin/users/1", "/api/admin/audit-logs"]) {
      expect((await as(token, path)).status).toBe(403);
    }
  });
});

test("where sign-up is closed, an invitation opens it for its address alone", async () => {
  const closed = await startApp("general_settings:\n  allow_signup: false\n");
  try {
    const json = { email: "new@example.com", password: "a good long one" };
    expect((await closed.call("/api/auth/signup", { json })).status).toBe(403);
    const login = { email: closed.first.adminEmail, password: closed.first.generatedPassword };
    const { token } = (await (await closed.call("/api/auth/token", { json: login })).json()) as { token: string };
    const headers = { authorization: `Bearer ${token}` };
    const { data } = (await (await closed.call("/api/gw/teams", { headers })).json()) as { data: { id: string }[] };
    const body = { teamId: data[0]?.id, email: json.email, role: "member" };
    const invited = await closed.call("/api/gw/teams/invite-member", { json: body, headers });
    const { inviteUrl } = (await invited.json()) as { inviteUrl: string };
    const invitationToken = inviteUrl.split("?token=")[1];
    const other = { ...json, email: "other@example.com", invitationToken };
    expect((await closed.call("/api/auth/signup", { json: other })).status).toBe(403);
    expect((await closed.call("/api/auth/signup", { json: { ...json, invitationToken: "inv-none" } })).status).toBe(
      404,
    );
    expect((await closed.call("/api/auth/signup", { json: { ...json, invitationToken } })).status).toBe(201);
  } finally {
    await closed.close();
  }
});

test("so many people an hour sign up from one network, those aside who join where they were invited", async () => {
  const clock = new SteppedClock();
  const app = await startApp("general_settings: { signups_per_hour: 2 }\n", null, clock);
  try {
    const signUp = (name: string, remoteAddress: string, more: object = {}) =>
      app.call("/api/auth/signup", {
        json: { email: `${name}@example.com`, password: "a good long one", ...more },
        remoteAddress,
      });
    const first = await signUp("a", "2001:db8::1");
    const { token } = (await first.json()) as { token: string };
    expect((await signUp("b", "2001:db8::2")).status).toBe(201);
    const refused = await signUp("c", "2001:db8::3");
    expect(refused.status).toBe(429);
    expect(refused.headers.get("retry-after")).toBe("3600");
    expect((await signUp("c", "2001:db8:1::3")).status).toBe(201);
    const teams = (await (await app.call("/api/gw/teams", { key: token })).json()) as { data: { id: string }[] };
    const invited = await app.call("/api/gw/teams/invite-member", {
      key: token,
      json: { teamId: teams.data[0]?.id, email: "d@example.com", role: "member" },
    });
    const { inviteUrl } = (await invited.json()) as { inviteUrl: string };
    const invitationToken = inviteUrl.split("?token=")[1];
    // With an organization of one's own begins credit, and anybody can invite themselves.
    const own = await signUp("d", "2001:db8::4", { invitationToken, organizationName: "Another" });
    expect(own.status).toBe(429);
    expect((await signUp("d", "2001:db8::4", { invitationToken })).status).toBe(201);
    clock.step(3_600_000);
    expect((await signUp("e", "2001:db8::5")).status).toBe(201);
  } finally {
    await app.close();
  }
});
