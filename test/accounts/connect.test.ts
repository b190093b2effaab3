import { afterAll, describe, expect, test } from "bun:test";
import { createHash } from "node:crypto";
import { startApp } from "../app.ts";
import { SteppedClock } from "../stepped-clock.ts";
import { DATABASES } from "../storage/databases.ts";
import { migratedUrl } from "../storage/migrated.ts";
import { newPerson, type Person, startAppOn } from "./people.ts";

const CALLBACK = "https://app.example.com/back?from=turnpike%20here";
const VERIFIER = "v".repeat(20) + crypto.randomUUID();
const challengeOf = (verifier: string): string => createHash("sha256").update(verifier).digest("base64url");
const ASKED = { callback_url: CALLBACK, code_challenge: challengeOf(VERIFIER), code_challenge_method: "S256" };

for (const { kind, missing } of DATABASES) {
  describe.skipIf(missing)(`connecting an app on ${kind}`, async () => {
    const clock = new SteppedClock();
    const app = await startAppOn(kind, "", clock);
    afterAll(() => app.close());
    let addresses = 0;

    const teamOf = async ({ ownId }: Person): Promise<string> => {
      const [first] = await app.storage.accounts.teams.list(ownId);
      return first?.team.id ?? "";
    };
    const allow = async (person: Person, more: Record<string, unknown> = {}) => {
      const body = { ...ASKED, teamId: await teamOf(person), ...more };
      const answer = await person.send("POST", "/api/auth/connect", body);
      const { redirectTo = "", error = "" } = answer.body as { redirectTo?: string; error?: string };
      const told = redirectTo === "" ? null : new URL(redirectTo).searchParams;
      return { status: answer.status, redirectTo, error, code: told?.get("code") ?? "" };
    };
    const exchange = async (body: Record<string, unknown>, path = "/api/v1/auth/keys", remoteAddress?: string) => {
      const answer = await app.call(path, {
        json: body,
        remoteAddress: remoteAddress ?? `10.9.0.${++addresses % 250}`,
      });
      const told = (await answer.json()) as { key?: string; user_id?: string; error?: unknown };
      return { status: answer.status, headers: answer.headers, ...told };
    };
    const redeem = (code: string, more: Record<string, unknown> = {}) =>
      exchange({ code, code_verifier: VERIFIER, code_challenge_method: "S256", ...more });
    const keysOf = async (person: Person) => {
      const { data } = (await person.send("GET", "/api/api-keys")).body as { data: Record<string, unknown>[] };
      return data;
    };

    test("the person's yes gives the app a key that works, is limited, listed, revoked and in the audit log", async () => {
      const person = await newPerson(app);
      const started = await app.call(`/auth?${new URLSearchParams({ ...ASKED, state: "a b&c", other: "x" })}`);
      expect(started.status).toBe(303);
      const page = new URL(started.headers.get("location") ?? "", "http://turnpike.test");
      expect([page.pathname, Object.fromEntries(page.searchParams)]).toEqual([
        "/ui/connect",
        { ...ASKED, state: "a b&c" },
      ]);
      const seen = await person.send("GET", `/api/auth/connect${page.search}`);
      expect(seen.body).toMatchObject({
        host: "app.example.com",
        isLocal: false,
        keyName: "app.example.com",
        teams: [{ id: await teamOf(person), organizationId: person.ownId }],
        budget: 10_000_000_000,
        budgetWindow: "month",
      });

      const { redirectTo, code } = await allow(person, { state: "a b&c", expiresAt: "2999-01-01T00:00:00Z" });
      expect(redirectTo).toBe(`${CALLBACK}&code=${code}&state=a+b%26c`);
      const answer = await redeem(code);
      expect([answer.status, answer.user_id, answer.headers.get("cache-control")]).toEqual([
        200,
        String(person.id),
        "no-store",
      ]);
      const [key] = await keysOf(person);
      expect(key).toMatchObject({
        name: "app.example.com",
        status: "active",
        createdBy: person.id,
        budget: { limit: 10_000_000_000, window: "month" },
        expiresAt: "2999-01-01T00:00:00.000Z",
      });
      const chat = () =>
        app.call("/v1/chat/completions", {
          key: answer.key ?? "",
          json: { model: "echo", messages: [{ role: "user", content: "hi" }] },
        });
      expect((await chat()).status).toBe(200);

      const { rows } = await app.storage.accounts.audit.list({ userId: person.id }, { page: 1, pageSize: 20 });
      expect(rows.map(({ action }) => action)).toEqual(expect.arrayContaining(["connect.allow", "api_key.create"]));
      expect(rows.find(({ action }) => action === "connect.allow")).toMatchObject({
        organizationId: person.ownId,
        targetId: "app.example.com",
      });
      expect(rows.find(({ action }) => action === "api_key.create")?.details).toMatchObject({ app: "app.example.com" });
      const written = JSON.stringify(rows) + app.logged.join("");
      for (const secret of [code, answer.key ?? "", VERIFIER]) expect(written).not.toContain(secret);
      expect((await person.send("DELETE", `/api/gw/api-keys/${key?.id}`)).status).toBe(200);
      expect((await chat()).status).toBe(401);
    });

    test("a code gives one key, however many ask for it at once and by whatever path", async () => {
      const person = await newPerson(app);
      const { code } = await allow(person);
      const paths = ["/api/v1/auth/keys", "/auth/keys", "/v1/auth/keys", "/auth/keys", "/api/v1/auth/keys"];
      const all = await Promise.all(paths.map((path) => exchange({ code, code_verifier: VERIFIER }, path)));
      expect(all.map(({ status }) => status).sort()).toEqual([200, 403, 403, 403, 403]);
      expect((await redeem(code)).status).toBe(403);
      expect(await keysOf(person)).toHaveLength(1);
    });

    test("a wrong verifier gets nothing and ends the code, and so does another callback", async () => {
      const person = await newPerson(app);
      for (const wrong of [
        { code_verifier: "w".repeat(43) },
        // What was sent in the open, as the method `plain` would have it.
        { code_verifier: challengeOf(VERIFIER) },
        { callback_url: "https://app.example.com/elsewhere" },
      ]) {
        const { code } = await allow(person);
        expect((await redeem(code, wrong)).status).toBe(403);
        expect((await redeem(code)).status).toBe(403);
      }
      expect(await keysOf(person)).toEqual([]);
      const { code } = await allow(person);
      expect((await redeem(code, { code_verifier: "short" })).status).toBe(422);
      expect((await redeem(code, { code_challenge_method: "plain" })).status).toBe(400);
      expect((await redeem(code, { callback_url: CALLBACK })).status).toBe(200);
    });

    test("a code is over after five minutes, and nothing is told of why", async () => {
      const person = await newPerson(app);
      const [late, good] = [await allow(person), await allow(person)];
      clock.step(299_999);
      expect((await redeem(good.code)).status).toBe(200);
      clock.step(1);
      const { error } = await redeem(late.code);
      const unknown = await redeem("x".repeat(43));
      expect([error, unknown.status]).toEqual([unknown.error, 403]);
    });

    test("two keys of one app have two names", async () => {
      const person = await newPerson(app);
      for (let count = 0; count < 3; count++) await redeem((await allow(person)).code);
      const names = (await keysOf(person)).map(({ name }) => name);
      expect(names.sort()).toEqual(["app.example.com", "app.example.com 2", "app.example.com 3"]);
    });

    test("limits are what the person says, and none where they say so", async () => {
      const person = await newPerson(app);
      const none = await allow(person, { budget: null, expiresAt: null });
      await redeem(none.code);
      expect((await keysOf(person))[0]).toMatchObject({ budget: null, expiresAt: null });
      const some = await allow(person, { budget: 5, budget_window: "day", expires_at: "2998-01-01T00:00:00Z" });
      await redeem(some.code);
      const limited = (await keysOf(person)).find(({ name }) => name === "app.example.com 2");
      expect(limited).toMatchObject({ budget: { limit: 5, window: "day" }, expiresAt: "2998-01-01T00:00:00.000Z" });
      for (const wrong of [{ budget: -1 }, { expiresAt: "2001-01-01T00:00:00Z" }, { budgetWindow: "year" }]) {
        expect((await allow(person, wrong)).status).toBe(400);
      }
      const unchosen = await person.send("POST", "/api/auth/connect", ASKED);
      expect(unchosen).toMatchObject({ status: 400, body: { error: "teamId: Field required" } });
    });

    test("the person's no goes back to the app, without a code", async () => {
      const person = await newPerson(app);
      const answer = await person.send("POST", "/api/auth/connect", { ...ASKED, state: "s", deny: true });
      expect(answer.body).toEqual({ redirectTo: `${CALLBACK}&error=access_denied&state=s` } as never);
      const { rows } = await app.storage.accounts.audit.list({ action: "connect.deny" }, { page: 1, pageSize: 1 });
      expect(rows).toMatchObject([{ userId: person.id, targetId: "app.example.com" }]);
    });

    test("nobody is sent to an address that is not an app's", async () => {
      const person = await newPerson(app);
      const wrong = [
        "http://app.example.com/back",
        "javascript:alert(1)",
        "data:text/html,hi",
        "//app.example.com/back",
        "https://user:pw@app.example.com/",
        "https://@app.example.com/",
        "https://app.example.com/#here",
        "https://app.example.com/#",
        "https://app.example.com/?code=mine",
        "https://app.example.com\\@evil.example/",
        "ht\ntps://app.example.com/",
        "http://localhost.evil.example/",
        `https://app.example.com/${"x".repeat(1_000)}`,
      ];
      for (const callback_url of wrong) {
        for (const deny of [true, false]) {
          const answer = await allow(person, { callback_url, deny });
          expect([callback_url, answer.status, answer.error]).toEqual([
            callback_url,
            400,
            expect.stringContaining("callback_url: "),
          ]);
        }
      }
      for (const more of [
        { code_challenge: "short" },
        { code_challenge: undefined },
        { code_challenge_method: "plain" },
        { state: "x".repeat(501) },
        { callback_url: `${CALLBACK}&state=1`, state: "2" },
      ]) {
        expect((await allow(person, more)).status).toBe(400);
      }
    });

    test("an address that gets longer when a browser reads it is as good at the end as at the beginning", async () => {
      const person = await newPerson(app);
      const { status, code } = await allow(person, { callback_url: `https://app.example.com/${"é".repeat(900)}` });
      expect([status, (await redeem(code)).status]).toEqual([200, 200]);
    });

    test("an app on the person's own machine is called what it is", async () => {
      const person = await newPerson(app);
      for (const host of ["localhost:3000", "127.0.0.1:8123", "[::1]:9"]) {
        const callback_url = `http://${host}/back`;
        const { redirectTo, code } = await allow(person, { callback_url });
        expect(redirectTo).toBe(`${callback_url}?code=${code}`);
        const query = new URLSearchParams({ ...ASKED, callback_url });
        const seen = await person.send("GET", `/api/auth/connect?${query}`);
        expect(seen.body).toMatchObject({ host, isLocal: true });
      }
    });

    test("only who may make keys in a team gives one of it away, at the yes and at the exchange", async () => {
      const [owner, viewer, stranger] = [await newPerson(app), await newPerson(app), await newPerson(app)];
      const teamId = await teamOf(owner);
      const { organizationMembers, teamMembers } = app.storage.accounts;
      const member = { organizationId: owner.ownId, userId: viewer.id, role: "viewer", joinedAt: 1 } as const;
      await organizationMembers.insert(member);
      expect([(await allow(viewer, { teamId })).status, (await allow(stranger, { teamId })).status]).toEqual([
        403, 404,
      ]);
      const query = new URLSearchParams(ASKED);
      const offered = async () => {
        const { teams } = (await viewer.send("GET", `/api/auth/connect?${query}`)).body as { teams: { id: string }[] };
        return teams.map(({ id }) => id);
      };
      expect(await offered()).toEqual([await teamOf(viewer)]);

      await organizationMembers.setRole(owner.ownId, viewer.id, "admin");
      expect((await offered()).sort()).toEqual([teamId, await teamOf(viewer)].sort());
      const given = await allow(viewer, { teamId });
      const gone = await allow(viewer, { teamId });
      expect(given.status).toBe(200);
      await organizationMembers.setRole(owner.ownId, viewer.id, "viewer");
      expect((await redeem(given.code)).status).toBe(403);
      await organizationMembers.remove(owner.ownId, viewer.id);
      expect((await redeem(gone.code)).status).toBe(403);
      expect(await teamMembers.find(teamId, viewer.id)).toBeNull();
      expect(await keysOf(owner)).toEqual([]);
    });

    test("a code is over for somebody who was disabled, or has a new password", async () => {
      const [disabled, changed] = [await newPerson(app), await newPerson(app)];
      const [first, second] = [await allow(disabled), await allow(changed)];
      await app.storage.accounts.users.update(disabled.id, { status: "disabled" });
      const body = { currentPassword: "a good long one", newPassword: "another long one" };
      expect((await changed.send("POST", "/api/auth/password/change", body)).status).toBe(200);
      expect([(await redeem(first.code)).status, (await redeem(second.code)).status]).toEqual([403, 403]);
    });

    test("a yes by a cookie needs a page of ours", async () => {
      const person = await newPerson(app);
      const cookie = `__Host-turnpike=${person.token}`;
      const json = { ...ASKED, teamId: await teamOf(person) };
      const send = (headers: Record<string, string>) => app.call("/api/auth/connect", { json, headers });
      expect((await send({ cookie, origin: "https://app.example.com" })).status).toBe(403);
      expect((await send({ cookie, origin: "http://turnpike.test" })).status).toBe(403);
      expect((await send({})).status).toBe(401);
      const me = await app.call("/api/auth/me", { headers: { cookie } });
      const { csrfToken } = (await me.json()) as { csrfToken: string };
      expect((await send({ cookie, origin: "http://turnpike.test", "x-csrf-token": csrfToken })).status).toBe(200);
    });

    test("guesses are slowed down, and who has a code goes on", async () => {
      const person = await newPerson(app);
      const { code } = await allow(person);
      const guess = (number: number) =>
        exchange({ code: `guess-${number}`, code_verifier: VERIFIER }, "/auth/keys", "192.0.2.9");
      for (let number = 0; number < 60; number++) expect((await guess(number)).status).toBe(403);
      const slowed = await guess(60);
      expect([slowed.status, slowed.headers.get("retry-after")]).toEqual([429, expect.stringMatching(/^\d+$/)]);
      expect((await exchange({ code, code_verifier: VERIFIER }, "/auth/keys", "192.0.2.9")).status).toBe(200);
    });

    test("the page is never framed, and keeps what it was asked from other hosts", async () => {
      const { headers } = await app.call("/ui/connect");
      expect(headers.get("content-security-policy")).toContain("frame-ancestors 'none'");
      expect([headers.get("x-frame-options"), headers.get("referrer-policy")]).toEqual(["DENY", "no-referrer"]);
    });
  });
}

const servers = DATABASES.find(({ kind }) => kind === "postgres");
test.skipIf(servers?.missing ?? true)("a code gives one key when several servers are asked at once", async () => {
  const url = await migratedUrl("postgres");
  const first = await startApp("", url);
  const apps = [first, await startApp("", url), await startApp("", url)];
  const person = await newPerson(first);
  const [team] = await first.storage.accounts.teams.list(person.ownId);
  for (let round = 1; round <= 5; round++) {
    const yes = await person.send("POST", "/api/auth/connect", { ...ASKED, teamId: team?.team.id });
    const code = new URL((yes.body as { redirectTo: string }).redirectTo).searchParams.get("code");
    const asked = [...apps, ...apps].map((app) => app.call("/auth/keys", { json: { code, code_verifier: VERIFIER } }));
    const statuses = (await Promise.all(asked)).map(({ status }) => status);
    expect(statuses.sort()).toEqual([200, 403, 403, 403, 403, 403]);
    expect((await first.storage.accounts.teams.list(person.ownId))[0]?.keysCount).toBe(round);
  }
  for (const app of apps.reverse()) await app.close();
});
