import { afterAll, describe, expect, test } from "bun:test";
import { callerOf } from "../../src/accounts/caller-of.ts";
import { type SessionDeps, Sessions } from "../../src/accounts/sessions.ts";
import type { Route } from "../../src/http/route.ts";
import { MASTER_KEY } from "../app.ts";
import { samplePath } from "../http/faults.ts";
import { SteppedClock } from "../stepped-clock.ts";
import { DATABASES } from "../storage/databases.ts";
import { newPerson, type Person, startAppOn, WITHOUT_CREDIT } from "./people.ts";

const ORIGIN = "http://turnpike.test";
const MINUTE_MS = 60_000;
const SEEN_AS = "__Host-turnpike-seen-as";
const STOP = "/api/auth/impersonation/stop";

interface Me {
  readonly user: { readonly id: number; readonly role: string };
  readonly impersonation?: { readonly administrator: { readonly id: number }; readonly expiresAt: string };
  readonly csrfToken: string;
}

for (const { kind, missing } of DATABASES) {
  describe.skipIf(missing)(`seeing the platform as a user on ${kind}`, async () => {
    const clock = new SteppedClock();
    const app = await startAppOn(kind, WITHOUT_CREDIT, clock);
    afterAll(() => app.close());
    const { accounts } = app.storage;

    /** What a browser keeps and sends. */
    class Browser {
      readonly cookies = new Map<string, string>();
      private readonly ends = new Map<string, number>();
      csrfToken = "";

      async send(
        method: string,
        path: string,
        json?: unknown,
        headers: Record<string, string> = {},
      ): Promise<Response> {
        for (const [name, endsAtMs] of this.ends) if (endsAtMs <= clock.nowMs()) this.cookies.delete(name);
        const cookie = [...this.cookies].map(([name, value]) => `${name}=${value}`).join("; ");
        const answer = await app.call(path, {
          method,
          headers: { cookie, origin: ORIGIN, "x-csrf-token": this.csrfToken, ...headers },
          ...(json === undefined ? {} : { json }),
        });
        for (const line of answer.headers.getSetCookie()) {
          const [, name = "", value = "", age] = /^([^=]+)=([^;]*);.*Max-Age=(\d+)/.exec(line) ?? [];
          this.ends.set(name, clock.nowMs() + Number(age) * 1000);
          if (age === "0") this.cookies.delete(name);
          else this.cookies.set(name, value);
        }
        return answer;
      }

      async me(): Promise<Me> {
        const me = (await (await this.send("GET", "/api/auth/me")).json()) as Me;
        this.csrfToken = me.csrfToken;
        return me;
      }

      see = (person: Pick<Person, "id">, reason: unknown = "ticket 4711"): Promise<Response> =>
        this.send("POST", `/api/admin/users/${person.id}/impersonate`, { reason });
    }

    async function logIn(person: Person): Promise<Browser> {
      const browser = new Browser();
      await browser.send("POST", "/api/auth/token", { email: person.email, password: "a good long one", cookie: true });
      await browser.me();
      return browser;
    }

    async function newAdmin() {
      const person = await newPerson(app);
      await accounts.users.update(person.id, { role: "admin" });
      return { person, browser: await logIn(person) };
    }

    /** An administrator who sees the platform as somebody. */
    async function newSight() {
      const [admin, user] = [await newAdmin(), await newPerson(app)];
      const begun = await admin.browser.see(user);
      expect(begun.status).toBe(200);
      await admin.browser.me();
      return { admin: admin.person, browser: admin.browser, user, begun };
    }

    const entriesAbout = async (user: Person, action: string) =>
      (await accounts.audit.list({ action }, { page: 1, pageSize: 1000 })).rows.filter(
        ({ targetId }) => targetId === String(user.id),
      );
    const update = (person: Person, changes: object) =>
      app.call(`/api/admin/users/${person.id}`, { method: "PATCH", key: MASTER_KEY, json: changes });

    test("the administrator's browser is the user, says who really acts, and comes back to its own session", async () => {
      const { admin, browser, user, begun } = await newSight();
      const told = (await begun.json()) as { user: { id: number }; expiresAt: string };
      expect(told.user.id).toBe(user.id);
      expect(Date.parse(told.expiresAt) - clock.nowMs()).toBe(30 * MINUTE_MS);
      expect(begun.headers.get("set-cookie")).toMatch(
        /^__Host-turnpike-seen-as=[^;]+; Path=\/; Max-Age=2592000; HttpOnly; Secure; SameSite=Lax$/,
      );
      expect(await browser.me()).toMatchObject({
        user: { id: user.id, role: "user" },
        impersonation: {
          administrator: { id: admin.id, email: admin.email },
          expiresAt: told.expiresAt,
          expiresIn: 1800,
        },
      });
      clock.step(MINUTE_MS + 1);
      expect(await browser.me()).toMatchObject({ impersonation: { expiresAt: told.expiresAt, expiresIn: 1740 } });
      const listed = await browser.send("GET", "/api/gw/organizations/list");
      expect(await listed.json()).toMatchObject({ data: [{ id: user.ownId }] });

      expect((await browser.send("POST", STOP)).status).toBe(200);
      const own = await browser.me();
      expect(own).toMatchObject({ user: { id: admin.id, role: "admin" } });
      expect(own).not.toHaveProperty("impersonation");
      expect((await browser.send("GET", "/api/admin/users")).status).toBe(200);
      expect((await browser.send("POST", STOP)).status).toBe(404);
    });

    test("the log names the administrator and the user for all that is done, and the reason to operators alone", async () => {
      const { admin, browser, user } = await newSight();
      await browser.send("POST", "/api/gw/organizations/active", { organizationId: user.ownId });
      await browser.send("POST", STOP);
      const begun = await entriesAbout(user, "user.impersonate");
      expect(begun).toHaveLength(2);
      for (const entry of begun) {
        expect(entry).toMatchObject({ actor: "user", userId: admin.id, details: { onBehalfOf: user.id } });
      }
      expect(begun.find(({ organizationId }) => organizationId === null)?.details.reason).toBe("ticket 4711");
      expect(begun.find(({ organizationId }) => organizationId === user.ownId)?.details).not.toHaveProperty("reason");
      expect(await entriesAbout(user, "user.impersonate_end")).toMatchObject([
        { actor: "user", userId: admin.id, details: { onBehalfOf: user.id } },
      ]);
      const { rows } = await accounts.audit.list({ organizationId: user.ownId }, { page: 1, pageSize: 100 });
      expect(rows.find(({ action }) => action === "organization.activate")).toMatchObject({
        userId: admin.id,
        details: { onBehalfOf: user.id },
      });
      const read = await user.send("GET", `/api/gw/organizations/${user.ownId}/audit-logs?action=user.impersonate`);
      expect(read.body).toMatchObject({ data: [{ userId: admin.id, details: { onBehalfOf: user.id } }] });
      // From where is for operators alone, too.
      expect(begun.find(({ organizationId }) => organizationId === null)?.address).toBe("127.0.0.1");
      expect(rows.filter(({ userId }) => userId === admin.id).map(({ address }) => address)).toEqual([null, null]);
    });

    test("the user sees it among their sessions, without the administrator's address, and can end it", async () => {
      const { browser, user } = await newSight();
      const { data } = (await user.send("GET", "/api/auth/sessions")).body as {
        data: { id: string; byAdministrator: boolean; address: string | null; userAgent: string }[];
      };
      const [seen, ...more] = data.filter(({ byAdministrator }) => byAdministrator);
      expect(more).toEqual([]);
      expect(seen).toMatchObject({ address: null, userAgent: "" });
      expect((await user.send("DELETE", `/api/auth/sessions/${seen?.id}`)).status).toBe(200);
      const after = await browser.send("GET", "/api/auth/me");
      expect([after.status, after.headers.get("x-gw-impersonation")]).toEqual([401, "over"]);
    });

    test("nothing can be changed, whatever the route: no secret, no sign-in, no money, no call of a model", async () => {
      const { browser, user } = await newSight();
      const made = await user.send("POST", "/api/gw/api-keys", {
        name: "theirs",
        team_id: ((await user.send("GET", "/api/gw/teams")).body as { data: { id: string }[] }).data[0]?.id,
      });
      const { id: keyId } = made.body as { id: string };
      const before = await accounts.users.find(user.id);
      const changes = app.service.routes.filter(
        (route: Route) => route.auth !== "none" && route.method !== "GET" && !route.whileSeeingAs,
      );
      expect(changes.length).toBeGreaterThan(100);
      const names = changes.map(({ method, paths }) => `${method} ${paths[0]}`);
      for (const named of [
        "POST /api/auth/password/change",
        "POST /api/auth/logout",
        "DELETE /api/auth/sessions/{id}",
        "POST /api/auth/2fa/setup",
        "POST /api/auth/2fa/enable",
        "POST /api/auth/2fa/disable",
        "POST /api/auth/device/approve",
        "POST /api/auth/connect",
        "POST /api/management-tokens",
        "POST /api/gw/api-keys",
        "POST /api/gw/api-keys/{id}/rotate",
        "POST /api/gw/api-keys/{id}/pick-up",
        "POST /api/billing/checkout",
        "PUT /api/billing/auto-top-up",
        "POST /api/invitations/accept",
        "POST /api/admin/users/{id}/impersonate",
      ]) {
        expect(names).toContain(named);
      }
      const passed: string[] = [];
      for (const { auth, method, paths } of changes) {
        const headers: Record<string, string> = auth === "key" ? { "x-gw-key-id": keyId } : {};
        const answer = await browser.send(method, samplePath(paths[0]), {}, headers);
        const isRefused = answer.status === 403 && (await answer.text()).includes("You see this as somebody else");
        if (!isRefused) passed.push(`${method} ${paths[0]}: ${answer.status}`);
      }
      expect(passed).toEqual([]);
      expect(await accounts.users.find(user.id)).toEqual(before);
    });

    test("nor is a realtime session opened, which begins with a GET", async () => {
      const { browser, user } = await newSight();
      const { data } = (await user.send("GET", "/api/gw/teams")).body as { data: { id: string }[] };
      const made = await user.send("POST", "/api/gw/api-keys", { name: "theirs", team_id: data[0]?.id });
      const { id } = made.body as { id: string };
      const open = (headers: Record<string, string>) =>
        browser.send("GET", "/v1/realtime?model=echo", undefined, headers);
      expect((await open({ "x-gw-key-id": id })).status).toBe(401);
    });

    test("of several that are begun at once one lasts", async () => {
      const { browser, user } = await newSight();
      const users = [user, ...(await Promise.all(Array.from({ length: 5 }, () => newPerson(app))))];
      await browser.send("POST", STOP);
      await browser.me();
      const begun = await Promise.all(users.map((one) => browser.see(one)));
      expect(begun.map(({ status }) => status)).toEqual(users.map(() => 200));
      const open = await Promise.all(users.map(({ id }) => accounts.sessions.listOpen(id, clock.nowMs())));
      expect(open.flat().filter(({ adminSessionId }) => adminSessionId !== null)).toHaveLength(1);
    });

    test("no administrator's route is reached, to read either", async () => {
      const { browser } = await newSight();
      const reads = app.service.routes.filter(({ auth, method }: Route) => auth === "admin" && method === "GET");
      expect(reads.length).toBeGreaterThan(20);
      for (const { paths } of reads) {
        expect([paths[0], (await browser.send("GET", samplePath(paths[0]))).status]).toEqual([paths[0], 403]);
      }
    });

    test("it lasts for half an hour, is not renewed, and gives way to the administrator's own session", async () => {
      const { admin, browser } = await newSight();
      clock.step(29 * MINUTE_MS);
      expect((await browser.send("GET", "/api/auth/me")).status).toBe(200);
      // The token of the page is that of the session it is in, so that the own one is not renewed by mistake.
      expect((await browser.send("POST", "/api/auth/token/refresh")).status).toBe(403);
      clock.step(MINUTE_MS);
      const over = await browser.send("GET", "/api/auth/me");
      expect([over.status, over.headers.get("x-gw-impersonation")]).toEqual([401, "over"]);
      browser.csrfToken = "";
      expect((await browser.send("POST", STOP)).status).toBe(200);
      expect((await browser.me()).user.id).toBe(admin.id);
    });

    test.each([
      ["the user is suspended", "user", { status: "disabled" }, 401],
      ["the user becomes an administrator", "user", { role: "admin" }, 401],
      ["the administrator is suspended", "admin", { status: "disabled" }, 401],
      ["the administrator is one no longer", "admin", { role: "user" }, 401],
    ] as const)("it ends at once when %s", async (_, whose, changes, status) => {
      const { browser, ...people } = await newSight();
      expect((await update(people[whose], changes)).status).toBe(200);
      expect((await browser.send("GET", "/api/auth/me")).status).toBe(status);
      const { data } = (await people.user.send("GET", "/api/auth/sessions")).body as { data?: object[] };
      expect(data?.filter((session) => "byAdministrator" in session && session.byAdministrator) ?? []).toEqual([]);
    });

    test.each(["user", "admin"] as const)("it ends at once when the %s is removed", async (whose) => {
      const { browser, ...people } = await newSight();
      const gone = await app.call(`/api/admin/users/${people[whose].id}`, { method: "DELETE", key: MASTER_KEY });
      expect(gone.status).toBe(200);
      expect((await browser.send("GET", "/api/auth/me")).status).toBe(401);
    });

    test("it does not come to life again with a user who is let in again, or after the administrator has logged in anew", async () => {
      const { admin, browser, user } = await newSight();
      await update(user, { status: "disabled" });
      await update(user, { status: "active" });
      expect((await browser.send("GET", "/api/auth/me")).status).toBe(401);

      const second = await newSight();
      await browser.send("POST", "/api/auth/token", { email: admin.email, password: "a good long one", cookie: true });
      browser.cookies.set(SEEN_AS, second.browser.cookies.get(SEEN_AS) ?? "");
      // Begun from another session: it is as if it were not there.
      expect(await browser.me()).toMatchObject({ user: { id: admin.id } });
    });

    test("its name is worth nothing without the session that it was begun from", async () => {
      const { browser, user } = await newSight();
      const id = browser.cookies.get(SEEN_AS) ?? "";
      const stranger = await logIn(await newPerson(app));
      const { user: own } = await stranger.me();
      stranger.cookies.set(SEEN_AS, id);
      expect((await stranger.me()).user.id).toBe(own.id);
      const alone = new Browser();
      alone.cookies.set(SEEN_AS, id);
      expect((await alone.send("GET", "/api/auth/me")).status).toBe(401);
      expect((await app.call("/api/auth/me", { key: id })).status).toBe(401);
      expect((await browser.me()).user.id).toBe(user.id);
    });

    test("a call that lasts is looked at again as it began, and ends with it", async () => {
      const { admin, browser, user } = await newSight();
      const session = await accounts.sessions.find(browser.cookies.get(SEEN_AS) ?? "");
      const sessions = new Sessions({ stores: accounts, clock } as unknown as SessionDeps);
      const { id: userId, email } = admin;
      const own = { userId, email, name: "", sessionId: session?.adminSessionId ?? "", untilMs: 0 };
      const person = await accounts.users.find(user.id);
      if (!session || !person) throw new Error("it was begun");
      const caller = { ...callerOf(person), sessionId: session.id, actingAdmin: own };
      expect(await sessions.present(caller)).toMatchObject({ userId: user.id, actingAdmin: { userId: admin.id } });
      await browser.send("POST", STOP);
      expect(await sessions.present(caller).catch(({ kind }) => kind)).toBe("authentication");
    });

    test("stopping needs our own page, and its token while it lasts", async () => {
      const { browser, user } = await newSight();
      expect((await browser.send("POST", STOP, undefined, { origin: "https://evil.example.com" })).status).toBe(403);
      expect((await browser.send("POST", STOP, undefined, { "x-csrf-token": "0".repeat(64) })).status).toBe(403);
      expect((await browser.me()).user.id).toBe(user.id);
    });

    test("who is none, or an administrator, or suspended, or removed cannot be seen as; nor without a reason", async () => {
      const { browser, person } = await newAdmin();
      const [other, user, gone] = [(await newAdmin()).person, await newPerson(app), await newPerson(app)];
      expect((await browser.see({ id: 2_000_000_000 })).status).toBe(404);
      expect((await browser.see(other)).status).toBe(403);
      expect((await browser.see(person)).status).toBe(403);
      for (const reason of [null, "", "   ", 7, "x".repeat(501)]) {
        expect((await browser.see(user, reason)).status).toBe(400);
      }
      expect((await browser.send("POST", `/api/admin/users/${user.id}/impersonate`, {})).status).toBe(400);
      await update(user, { status: "disabled" });
      expect((await browser.see(user)).status).toBe(409);
      await app.call(`/api/admin/users/${gone.id}`, { method: "DELETE", key: MASTER_KEY });
      expect((await browser.see(gone)).status).toBe(409);
      expect(await entriesAbout(user, "user.impersonate")).toEqual([]);
      expect(browser.cookies.has(SEEN_AS)).toBe(false);
    });

    test("nobody but an administrator in a browser may: no user, owner, key, token, nor the master key", async () => {
      const [{ person: admin, browser }, owner, user] = [await newAdmin(), await newPerson(app), await newPerson(app)];
      const path = `/api/admin/users/${user.id}/impersonate`;
      const json = { reason: "ticket 4711" };
      const { data } = (await owner.send("GET", "/api/gw/teams")).body as { data: { id: string }[] };
      const made = await owner.send("POST", "/api/gw/api-keys", { name: "a key", team_id: data[0]?.id });
      const token = await admin.send("POST", "/api/management-tokens", { name: "a token", scopes: ["keys:read"] });
      const keys = [(made.body as { key: string }).key, (token.body as { token: string }).token];
      for (const key of [owner.token, user.token, admin.token, MASTER_KEY, ...keys]) {
        expect((await app.call(path, { key, json })).status).toBe(403);
      }
      expect((await app.call(path, { json })).status).toBe(401);
      expect((await (await logIn(owner)).see(user)).status).toBe(403);
      expect((await browser.send("POST", path, json, { "x-csrf-token": "" })).status).toBe(403);
      expect((await browser.send("POST", path, json, { origin: "https://evil.example.com" })).status).toBe(403);
      expect(await entriesAbout(user, "user.impersonate")).toEqual([]);
    });
  });
}
