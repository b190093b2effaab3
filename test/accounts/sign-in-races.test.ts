import { afterAll, describe, expect, spyOn, test } from "bun:test";
import { TOTP } from "otpauth";
import { MASTER_KEY, type TestApp } from "../app.ts";
import { SteppedClock } from "../stepped-clock.ts";
import { DATABASES } from "../storage/databases.ts";
import { newPerson, type Person, startAppOn, WITHOUT_CREDIT } from "./people.ts";

const PASSWORD = "a good long one";
const NEXT = "another good long one";

async function post(app: TestApp, path: string, json: object, key?: string) {
  const answer = await app.call(path, { method: "POST", json, ...(key === undefined ? {} : { key }) });
  return { status: answer.status, body: (await answer.json()) as Record<string, string> };
}

for (const { kind, missing } of DATABASES) {
  describe.skipIf(missing)(`what a new password ends on ${kind}`, async () => {
    const app = await startAppOn(kind);
    afterAll(() => app.close());

    const linkFor = async ({ id }: Person): Promise<string> => {
      const { body } = await post(app, `/api/admin/users/${id}/password-reset`, {}, MASTER_KEY);
      return body.resetUrl?.split("?token=")[1] ?? "";
    };
    const reset = async (person: Person) =>
      post(app, "/api/auth/password/reset", { token: await linkFor(person), password: NEXT });
    const change = (person: Person) =>
      person.send("POST", "/api/auth/password/change", { currentPassword: PASSWORD, newPassword: NEXT });

    /** Runs `between` once, when a password was found to be right and before anything comes of it. */
    async function afterCheck<T>(between: () => Promise<unknown>, work: () => Promise<T>): Promise<T> {
      const { verify } = Bun.password;
      const spy = spyOn(Bun.password, "verify").mockImplementation(async (...given) => {
        const matches = await verify(...given);
        spy.mockRestore();
        await between();
        return matches;
      });
      return work();
    }

    test.each([
      ["reset", reset],
      ["changed", change],
    ])("a program that was approved gets no token when the password is %s before it asks", async (_, renew) => {
      const person = await newPerson(app);
      const { body } = await post(app, "/api/auth/device/code", {});
      await person.send("POST", "/api/auth/device/approve", { userCode: body.userCode });
      expect((await renew(person)).status).toBe(200);
      const asked = await post(app, "/api/auth/device/token", { deviceCode: body.deviceCode ?? "" });
      expect(asked).toMatchObject({ status: 400, body: { error: "invalid_grant" } });
    });

    test("who is shut out while they make a management token gets none, also when they are let in again", async () => {
      const person = await newPerson(app);
      const { accounts } = app.storage;
      const { transaction } = accounts;
      const setStatus = (status: string) =>
        app.call(`/api/admin/users/${person.id}`, { method: "PATCH", key: MASTER_KEY, json: { status } });
      const spy = spyOn(accounts, "transaction").mockImplementation(async (work) => {
        spy.mockRestore();
        await setStatus("disabled");
        await setStatus("active");
        return transaction(work);
      });
      const made = await person.send("POST", "/api/management-tokens", { name: "Later", scopes: ["keys:write"] });
      expect(made.status).toBe(401);
      expect(await accounts.managementTokens.listOf(person.id)).toEqual([]);
    });

    test("a link for a new password ends when the password is changed", async () => {
      const person = await newPerson(app);
      const token = await linkFor(person);
      expect((await change(person)).status).toBe(200);
      expect((await post(app, "/api/auth/password/reset", { token, password: PASSWORD })).status).toBe(404);
    });

    test("a log-in with the old one that is under way meanwhile opens nothing", async () => {
      const person = await newPerson(app);
      const login = { email: person.email, password: PASSWORD };
      const late = await afterCheck(
        () => reset(person),
        () => post(app, "/api/auth/token", login),
      );
      expect(late.status).toBe(401);
    });

    test("a change with the old one that is under way meanwhile changes nothing", async () => {
      const person = await newPerson(app);
      const late = await afterCheck(
        () => reset(person),
        () => change(person),
      );
      expect(late.status).toBe(403);
      expect((await post(app, "/api/auth/token", { email: person.email, password: NEXT })).status).toBe(200);
    });

    const approveOnPage = (email: string, userCode = "") => {
      const body = new URLSearchParams({ user_code: userCode, email, password: PASSWORD, decision: "approve" });
      return app.call("/device", { method: "POST", body, remoteAddress: "192.0.2.1" });
    };

    test("a program that is being approved with the old one meanwhile is not let in", async () => {
      const person = await newPerson(app);
      const { body } = await post(app, "/api/auth/device/code", {});
      const { status } = await afterCheck(
        () => reset(person),
        () => approveOnPage(person.email, body.userCode),
      );
      expect(status).toBe(401);
      const asked = await post(app, "/api/auth/device/token", { deviceCode: body.deviceCode ?? "" });
      expect(asked).toMatchObject({ status: 400, body: { error: "authorization_pending" } });
    });

    test("a program that is being approved meanwhile from a session that ends with it is not let in", async () => {
      const person = await newPerson(app);
      const { body } = await post(app, "/api/auth/device/code", {});
      const { deviceLogins } = app.storage.accounts;
      const { findByUserCode } = deviceLogins;
      const looked = spyOn(deviceLogins, "findByUserCode").mockImplementationOnce(async (hash) => {
        const found = await findByUserCode(hash);
        await reset(person);
        return found;
      });
      const late = await person.send("POST", "/api/auth/device/approve", { userCode: body.userCode });
      looked.mockRestore();
      expect(late.status).toBe(401);
      const asked = await post(app, "/api/auth/device/token", { deviceCode: body.deviceCode ?? "" });
      expect(asked).toMatchObject({ status: 400, body: { error: "authorization_pending" } });
    });

    /** Switches a second factor on just after somebody was found to have none, and before anything comes of it. */
    async function afterLook<T>(person: Person, work: () => Promise<T>): Promise<T> {
      const { secret } = (await person.send("POST", "/api/auth/2fa/setup")).body as { secret: string };
      const { twoFactors } = app.storage.accounts;
      const { confirmedAmong } = twoFactors;
      const looked = spyOn(twoFactors, "confirmedAmong").mockImplementationOnce(async (ids) => {
        const found = await confirmedAmong(ids);
        const code = new TOTP({ secret }).generate();
        expect((await person.send("POST", "/api/auth/2fa/enable", { code, password: PASSWORD })).status).toBe(200);
        return found;
      });
      try {
        return await work();
      } finally {
        looked.mockRestore();
      }
    }

    test("a log-in without a code opens nothing when a second factor is switched on meanwhile", async () => {
      const person = await newPerson(app);
      const json = { email: person.email, password: PASSWORD };
      const late = await afterLook(person, () => app.call("/api/auth/token", { json, remoteAddress: "192.0.2.1" }));
      expect([late.status, late.headers.get("x-gw-two-factor")]).toEqual([401, "required"]);
    });

    test("nor does it approve a program", async () => {
      const person = await newPerson(app);
      const { body } = await post(app, "/api/auth/device/code", {});
      const late = await afterLook(person, () => approveOnPage(person.email, body.userCode));
      expect(late.status).toBe(401);
    });

    /** A second factor of somebody who is logged in, and what asks for their password to change it. */
    async function newFactor(isOn: boolean) {
      const person = await newPerson(app);
      const { secret } = (await person.send("POST", "/api/auth/2fa/setup")).body as { secret: string };
      const send = (path: string, more: object = {}) =>
        person.send("POST", `/api/auth/2fa/${path}`, { password: PASSWORD, ...more });
      const enable = () => send("enable", { code: new TOTP({ secret }).generate() });
      if (isOn) expect((await enable()).status).toBe(200);
      const isStillOn = async () => (await app.storage.accounts.twoFactors.confirmedAmong([person.id])).size === 1;
      return { person, send, enable, isStillOn };
    }

    test("a second factor that is being switched on meanwhile, with the old one, locks nobody out", async () => {
      const { person, enable, isStillOn } = await newFactor(false);
      const late = await afterCheck(() => reset(person), enable);
      expect([late.status, await isStillOn()]).toEqual([401, false]);
      expect((await post(app, "/api/auth/token", { email: person.email, password: NEXT })).status).toBe(200);
    });

    test("one that is being switched off meanwhile, with the old one, stays on", async () => {
      const { person, send, isStillOn } = await newFactor(true);
      const late = await afterCheck(
        () => reset(person),
        () => send("disable"),
      );
      expect([late.status, await isStillOn()]).toEqual([401, true]);
    });

    test("recovery codes that are asked for meanwhile, with the old one, are not given", async () => {
      const { person, send } = await newFactor(true);
      const late = await afterCheck(
        () => reset(person),
        () => send("recovery-codes"),
      );
      expect(late.status).toBe(401);
    });

    test("what one administrator has changed is not written back by another", async () => {
      const person = await newPerson(app);
      const patch = (json: object) =>
        app.call(`/api/admin/users/${person.id}`, { method: "PATCH", json, key: MASTER_KEY });
      await Promise.all([patch({ status: "disabled" }), patch({ name: "Renamed" })]);
      const user = await app.storage.accounts.users.find(person.id);
      expect(user).toMatchObject({ status: "disabled", name: "Renamed" });
    });
  });
}

describe("guessing at a password", async () => {
  const app = await startAppOn("sqlite", "", new SteppedClock());
  afterAll(() => app.close());
  const many = Array.from({ length: 20 }, (_, index) => `wrong ${index}`);

  test("is slowed down also when all is sent at once", async () => {
    const { email } = await newPerson(app);
    const tries = await Promise.all(many.map((password) => post(app, "/api/auth/token", { email, password })));
    expect(tries.filter(({ status }) => status === 401)).toHaveLength(5);
    expect(tries.filter(({ status }) => status === 429)).toHaveLength(15);
  });

  test("is slowed down also from an open session", async () => {
    const person = await newPerson(app);
    const tries = await Promise.all(
      many.map((currentPassword) =>
        person.send("POST", "/api/auth/password/change", { currentPassword, newPassword: NEXT }),
      ),
    );
    expect(tries.filter(({ status }) => status === 403)).toHaveLength(5);
    expect(tries.filter(({ status }) => status === 429)).toHaveLength(15);
  });

  test("right ones that are sent at once are all let in", async () => {
    const { email } = await newPerson(app);
    const tries = await Promise.all(many.map(() => post(app, "/api/auth/token", { email, password: PASSWORD })));
    expect(tries.filter(({ status }) => status === 200)).toHaveLength(20);
  });
});

describe("the address that a removed account gets", async () => {
  const app = await startAppOn("sqlite", WITHOUT_CREDIT);
  afterAll(() => app.close());

  test("cannot be taken in advance, which would keep the account from being removed", async () => {
    const { id } = await newPerson(app);
    const taken = await post(app, "/api/auth/signup", { email: `Removed-${id}@INVALID`, password: PASSWORD });
    expect(taken.status).toBe(400);
    expect((await app.call(`/api/admin/users/${id}`, { method: "DELETE", key: MASTER_KEY })).status).toBe(200);
  });
});
