import { afterAll, describe, expect, test } from "bun:test";
import { MASTER_KEY } from "../app.ts";
import { newPerson, startAppOn } from "./people.ts";

const app = await startAppOn("sqlite");
afterAll(() => app.close());
const call = async (path: string, json: object, key?: string) => {
  const response = await app.call(path, { method: "POST", json, ...(key === undefined ? {} : { key }) });
  return { status: response.status, body: (await response.json()) as never };
};
const link = (id: number | string) => call(`/api/admin/users/${id}/password-reset`, {}, MASTER_KEY);
const logIn = (email: string, password: string) => call("/api/auth/token", { email, password });

describe("where no mail is sent", () => {
  test("a lost password is the administrator's, whoever asks", async () => {
    const person = await newPerson(app);
    for (const email of [person.email, "nobody@example.com"]) {
      const answer = await call("/api/auth/password/forgot", { email });
      expect(answer).toEqual({ status: 200, body: { success: true, delivery: "administrator" } as never });
    }
    expect(await app.service.outbox.deliverDue()).toBe(0);
    expect((await call("/api/auth/password/forgot", { email: "nobody" })).status).toBe(400);
  });

  test("an administrator makes a link, which works once and is in the log of changes", async () => {
    const person = await newPerson(app);
    const { status, body } = await link(person.id);
    expect(status).toBe(200);
    const { resetUrl, expiresAt } = body as { resetUrl: string; expiresAt: string };
    expect(resetUrl).toMatch(/^http:\/\/127\.0\.0\.1:4000\/ui\/reset-password\?token=rst-[0-9A-Za-z]{43}$/);
    expect(Date.parse(expiresAt)).toBeGreaterThan(Date.now());
    // The password that there is goes on until the link is used.
    expect((await logIn(person.email, "a good long one")).status).toBe(200);
    const token = resetUrl.split("?token=")[1];
    const reset = () => call("/api/auth/password/reset", { token, password: "another good long one" });
    expect([(await reset()).status, (await reset()).status]).toEqual([200, 404]);
    expect((await person.send("GET", "/api/auth/me")).status).toBe(401);
    expect((await logIn(person.email, "another good long one")).status).toBe(200);
    const { rows } = await app.storage.accounts.audit.list({}, { page: 1, pageSize: 5 });
    expect(rows.map(({ action, actor }) => [action, actor])).toEqual(
      expect.arrayContaining([
        ["user.reset_password", "system"],
        ["user.make_password_link", "master_key"],
      ]),
    );
    expect(JSON.stringify(rows)).not.toContain("rst-");
  });

  test("there is no link for nobody, and none for who is shut out", async () => {
    const person = await newPerson(app);
    await app.storage.accounts.users.update(person.id, { status: "disabled" });
    expect([(await link(person.id)).status, (await link(999_999)).status]).toEqual([409, 404]);
  });

  test("an address counts as unverified, and nothing is held back for it", async () => {
    const person = await newPerson(app);
    expect((await person.send("GET", "/api/auth/me")).body).toMatchObject({ user: { emailVerified: false } });
    expect((await person.send("POST", "/api/auth/verify-email/resend", {})).status).toBe(409);
    expect((await person.send("POST", "/api/gw/teams", { name: "Red" })).status).toBe(201);
  });
});
