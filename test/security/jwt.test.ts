import { afterAll, describe, expect, test } from "bun:test";
import { MASTER_KEY } from "../app.ts";
import { boastfulToken, forgedTokens } from "./forged-tokens.ts";
import { World } from "./world.ts";

const world = await World.start();
afterAll(() => world.close());
const { accounts } = world.app.storage;
const admin = await world.newPerson("admin");
const forged = await forgedTokens(admin);

const status = async (token: string, path = "/api/auth/me", method = "GET") =>
  (await world.call(path, { method, headers: { authorization: `Bearer ${token}` } })).status;

/** A person's session, a route for operators, and the one that also takes tokens whose time has just ended. */
const DOORS = [
  ["/api/auth/me", "GET"],
  ["/api/admin/users", "GET"],
  ["/metrics", "GET"],
  ["/api/auth/token/refresh", "POST"],
] as const;

test("the token that the forged ones are made from is good", async () => {
  for (const [path, method] of DOORS) expect(await status(admin.token, path, method)).toBe(200);
});

test.each([...forged])("a token with %s is 401 everywhere", async (_, token) => {
  for (const [path, method] of DOORS) expect(`${path} ${await status(token, path, method)}`).toBe(`${path} 401`);
});

describe("what a token says about rights", () => {
  test("counts for nothing, even if we signed it", async () => {
    const person = await world.newPerson();
    const token = await boastfulToken(world, person);
    const me = await world.call("/api/auth/me", { key: token });
    expect(JSON.parse(me.text).user).toMatchObject({ id: person.id, role: "user" });
    expect(await status(token, "/api/admin/users")).toBe(403);
  });
});

describe("a good token is 401 from the very next call on", () => {
  const doors = async (token: string) => {
    const answers: number[] = [];
    for (const [path, method] of DOORS) answers.push(await status(token, path, method));
    return answers;
  };
  const asAdmin = (method: string, id: number, json?: unknown) =>
    world.call(`/api/admin/users/${id}`, { method, key: MASTER_KEY, ...(json === undefined ? {} : { json }) });

  test.each([
    ["was removed", (id: number) => asAdmin("DELETE", id)],
    ["was disabled", (id: number) => asAdmin("PATCH", id, { status: "disabled" })],
    ["has another role", (id: number) => asAdmin("PATCH", id, { role: "user" })],
  ])("when its user %s", async (_, act) => {
    const person = await world.newPerson("admin");
    expect(await doors(person.token)).toEqual([200, 200, 200, 200]);
    expect((await act(person.id)).status).toBe(200);
    expect(await doors(person.token)).toEqual([401, 401, 401, 401]);
  });

  test("when its user is disabled and enabled again: a session does not come back", async () => {
    const person = await world.newPerson();
    await asAdmin("PATCH", person.id, { status: "disabled" });
    await asAdmin("PATCH", person.id, { status: "active" });
    expect(await status(person.token)).toBe(401);
  });

  test("when its session is revoked from another one, which goes on", async () => {
    const person = await world.newPerson();
    const other = await world.newSession(person.id);
    const path = `/api/auth/sessions/${person.sessionId}`;
    expect((await world.call(path, { method: "DELETE", key: other.token })).status).toBe(200);
    expect(await doors(person.token)).toEqual([401, 401, 401, 401]);
    expect(await status(other.token)).toBe(200);
  });

  test("when it logs out, with every token that was renewed from it", async () => {
    const person = await world.newPerson();
    const renewed = await world.call("/api/auth/token/refresh", { method: "POST", key: person.token });
    const token = world.secret("session token", JSON.parse(renewed.text).token);
    expect(await status(token)).toBe(200);
    expect(await status(person.token, "/api/auth/logout", "POST")).toBe(200);
    expect(await status(token)).toBe(401);
    expect(await status(token, "/api/auth/token/refresh", "POST")).toBe(401);
  });

  test("when the password is changed elsewhere", async () => {
    const person = await world.newPerson();
    const other = await world.newSession(person.id);
    const newPassword = world.secret("password", `canary-password-${crypto.randomUUID()}`);
    const json = { currentPassword: person.password, newPassword };
    expect((await world.call("/api/auth/password/change", { key: other.token, json })).status).toBe(200);
    expect(await doors(person.token)).toEqual([401, 401, 401, 401]);
    expect(await status(other.token)).toBe(200);
  });

  test("when its session is over, though the token is not", async () => {
    const person = await world.newPerson();
    await accounts.sessions.update(person.sessionId, { expiresAt: Date.now() - 1 });
    expect(await doors(person.token)).toEqual([401, 401, 401, 401]);
  });
});

describe("tokens and keys are not each other", () => {
  test("a token in any header for keys is 401 on what takes keys", async () => {
    for (const name of ["x-gw-api-key", "x-api-key", "api-key", "x-goog-api-key"]) {
      for (const value of [admin.token, `Bearer ${admin.token}`, `sk-${admin.token}`]) {
        for (const path of ["/v1/models", "/metrics", "/api/admin/users"]) {
          const answer = await world.call(path, { headers: { [name]: value } });
          expect(answer.status).toBe(401);
        }
      }
    }
  });

  test("a key is no session, and no part of a token", async () => {
    const { key } = await world.newTenant();
    for (const value of [key.value, MASTER_KEY, `${key.value}.${key.value}.${key.value}`]) {
      expect(await status(value)).toBe(401);
      expect(await status(value, "/api/auth/token/refresh", "POST")).toBe(401);
    }
  });
});
