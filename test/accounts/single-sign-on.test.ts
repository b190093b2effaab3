import { afterAll, beforeAll, describe, expect, spyOn, test } from "bun:test";
import { MASTER_KEY, type TestApp } from "../app.ts";
import { CLIENT, OidcService, type Somebody, type Wrongs } from "../services/oidc.ts";
import { SteppedClock } from "../stepped-clock.ts";
import { DATABASES } from "../storage/databases.ts";
import { PasskeyBrowser } from "./passkey-browser.ts";
import { newPerson, startAppOn } from "./people.ts";

const PUBLIC = "https://gateway.example.com";
const service = await OidcService.start();
afterAll(() => service.stop());

const yamlOf = (more = ""): string => `general_settings:
  public_url: ${PUBLIC}
  oidc:
    issuer: ${service.issuer}
    client_id: ${CLIENT.id}
    client_secret: ${CLIENT.secret}
    name: Example
${more}`;

const cookiesOf = (answer: Response): Map<string, string> =>
  new Map(
    answer.headers.getSetCookie().map((line) => {
      const [, name = "", value = ""] = /^([^=]+)=([^;]*)/.exec(line) ?? [];
      return [name, value];
    }),
  );

let subjects = 0;
const somebody = (given: Partial<Somebody> = {}): Somebody => {
  const number = ++subjects;
  return { sub: `subject-${number}`, email: `sso${number}@example.com`, email_verified: true, name: "Ada", ...given };
};

/** A browser at one app. */
const browserOf = (app: TestApp) => {
  const leave = async (query = "") => {
    const answer = await app.call(`/api/auth/oidc/login${query}`);
    const ticket = [...cookiesOf(answer)].map(([name, value]) => `${name}=${value}`).join("; ");
    return { status: answer.status, location: answer.headers.get("location") ?? "", ticket };
  };
  const comeBack = async (back: URL, ticket: string, accept = "application/json") => {
    const answer = await app.call(back.pathname + back.search, { headers: { cookie: ticket, accept } });
    const session = cookiesOf(answer).get("__Host-turnpike") ?? null;
    return {
      status: answer.status,
      location: answer.headers.get("location"),
      session,
      text: await answer.text(),
      answer,
    };
  };
  const signIn = async (who: Somebody, wrongs: Wrongs = {}) => {
    const { location, ticket } = await leave();
    return comeBack(service.authorize(location, who, wrongs), ticket);
  };
  const me = async (session: string | null) => {
    const answer = await app.call("/api/auth/me", { headers: { cookie: `__Host-turnpike=${session}` } });
    return ((await answer.json()) as { user?: { id: number; email: string } }).user;
  };
  return { leave, comeBack, signIn, me };
};

for (const { kind, missing } of DATABASES) {
  describe.skipIf(missing)(`single sign-on on ${kind}`, async () => {
    const clock = new SteppedClock();
    const app = await startAppOn(kind, yamlOf(), clock);
    afterAll(() => app.close());
    const { leave, comeBack, signIn, me } = browserOf(app);

    test("makes an account for a newcomer, and finds it again by the issuer's subject", async () => {
      expect(await (await app.call("/api/auth/oidc")).json()).toEqual({
        enabled: true,
        name: "Example",
        loginUrl: "/api/auth/oidc/login",
      });
      const ada = somebody();
      const first = await signIn(ada);
      expect([first.status, first.location]).toEqual([302, "/ui"]);
      expect(cookiesOf(first.answer).get("__Host-turnpike-sign-on")).toBe("");
      const user = await me(first.session);
      expect(user).toMatchObject({ email: ada.email, name: "Ada", role: "user" });
      expect(await app.storage.accounts.organizations.listOf(user?.id ?? 0)).toHaveLength(1);
      // The address may change, and be unverified: the subject is who it is.
      const again = await signIn({ ...ada, email: "moved@example.com", email_verified: false });
      expect(await me(again.session)).toMatchObject({ id: user?.id });
      expect(await app.storage.accounts.identities.listOf(user?.id ?? 0)).toMatchObject([
        { issuer: service.issuer, subject: ada.sub, email: "moved@example.com" },
      ]);
    });

    test("makes one account when a newcomer signs in twice at once", async () => {
      const ada = somebody();
      const [one, two] = await Promise.all([signIn(ada), signIn(ada)]);
      expect([one.status, two.status]).toEqual([302, 302]);
      expect((await me(one.session))?.id).toBe((await me(two.session))?.id ?? -1);
    });

    test("lets a newcomer in whose account was made, at the same time, just after it was looked for", async () => {
      const ada = somebody();
      const first = await signIn(ada);
      const { identities } = app.storage.accounts;
      const looked = spyOn(identities, "find").mockResolvedValueOnce(null);
      const second = await signIn(ada);
      looked.mockRestore();
      expect(second.status).toBe(302);
      expect((await me(second.session))?.id).toBe((await me(first.session))?.id ?? -1);
    });

    test("finds who has an account by an address that the issuer has verified, and no other", async () => {
      const person = await newPerson(app);
      await app.storage.accounts.users.update(person.id, { emailVerifiedAt: clock.nowMs() });
      for (const email_verified of [false, undefined, "true", 1]) {
        const refused = await signIn(somebody({ email: person.email, email_verified }));
        expect([refused.status, refused.session]).toEqual([403, null]);
      }
      const linked = await signIn(somebody({ email: person.email.toUpperCase() }));
      expect(await me(linked.session)).toMatchObject({ id: person.id });
      expect((await person.send("GET", "/api/auth/me")).status).toBe(200);
      const other = await signIn(somebody({ email: person.email }));
      expect(other.status).toBe(403);
    });

    test("ends what a stranger could hold of an account that was made with somebody's address", async () => {
      const stranger = await newPerson(app);
      const made = await stranger.send("POST", "/api/management-tokens", { name: "Later", scopes: ["keys:write"] });
      const { token: key } = made.body as { token: string };
      const { device } = await new PasskeyBrowser(app, PUBLIC).register(stranger);
      expect((await app.call("/api/gw/organizations/list", { key })).status).toBe(403);
      const owner = await signIn(somebody({ email: stranger.email }));
      expect(await me(owner.session)).toMatchObject({ id: stranger.id });
      expect((await app.call("/api/gw/organizations/list", { key })).status).toBe(401);
      expect((await stranger.send("GET", "/api/auth/me")).status).toBe(401);
      const json = { email: stranger.email, password: "a good long one" };
      expect((await app.call("/api/auth/token", { json })).status).toBe(401);
      expect((await new PasskeyBrowser(app, PUBLIC).signIn(device)).status).toBe(401);
    });

    test("lets nobody in who is disabled", async () => {
      const ada = somebody();
      const user = await me((await signIn(ada)).session);
      await app.storage.accounts.users.update(user?.id ?? 0, { status: "disabled" });
      expect(await signIn(ada)).toMatchObject({ status: 403, session: null });
    });

    test("opens nothing for who is disabled while they sign in, also when they are let in again", async () => {
      const ada = somebody();
      const { id = 0 } = (await me((await signIn(ada)).session)) ?? {};
      const { users } = app.storage.accounts;
      const { find } = users;
      const patch = (status: string) =>
        app.call(`/api/admin/users/${id}`, { method: "PATCH", json: { status }, key: MASTER_KEY });
      const looked = spyOn(users, "find").mockImplementationOnce(async (userId) => {
        const user = await find(userId);
        await patch("disabled");
        return user;
      });
      const late = await signIn(ada);
      looked.mockRestore();
      expect((await patch("active")).status).toBe(200);
      expect(late).toMatchObject({ status: 403, session: null });
    });

    test("gives an account to one of two who come with its address at once", async () => {
      for (let round = 0; round < 5; round++) {
        const { id, email } = await newPerson(app);
        const answers = await Promise.all([signIn(somebody({ email })), signIn(somebody({ email }))]);
        expect(answers.map(({ status }) => status).sort()).toEqual([302, 403]);
        expect(await app.storage.accounts.identities.listOf(id)).toHaveLength(1);
      }
    });

    test("asks for the address where the issuer keeps it apart", async () => {
      const ada = somebody();
      expect(await me((await signIn(ada, { emailApart: true })).session)).toMatchObject({ email: ada.email });
    });

    test("takes a name without what cannot be shown or stored", async () => {
      const ada = somebody({ name: " A\u0000da\r\nLove\ud800lace" });
      const { id = 0 } = (await me((await signIn(ada)).session)) ?? {};
      expect((await app.storage.accounts.users.find(id))?.name).toBe("A da Love\ufffdlace");
    });

    test.each([
      ["an address that is none", { email: "a<b>,c@example.com" }, 403],
      ["a NUL in the address", { email: "a\u0000b@example.com" }, 403],
      ["a NUL in the subject", { sub: "one\u0000two" }, 401],
    ])("makes no account with %s", async (_, odd, status) => {
      const before = (await app.storage.accounts.users.list({}, { page: 1, pageSize: 1 })).total;
      const refused = await signIn(somebody(odd));
      expect([refused.status, refused.session]).toEqual([status, null]);
      expect((await app.storage.accounts.users.list({}, { page: 1, pageSize: 1 })).total).toBe(before);
    });

    const wrongs: [string, Wrongs][] = [
      ["another nonce", { claims: (claims) => ({ ...claims, nonce: "another" }) }],
      ["no nonce", { claims: ({ nonce: _, ...claims }) => claims }],
      ["another audience", { claims: (claims) => ({ ...claims, aud: "another-client" }) }],
      ["another issuer", { claims: (claims) => ({ ...claims, iss: "https://evil.example.com" }) }],
      ["an end in the past", { claims: (claims) => ({ ...claims, exp: Math.floor(Date.now() / 1000) - 3600 }) }],
      ["no signature", { signature: "none" }],
      ["the signature of a key that is not the issuer's", { signature: "foreign" }],
      ["a signature by the client's secret", { signature: "symmetric" }],
      ["no identity at all", { withoutIdToken: true }],
    ];
    test.each(wrongs)("believes no identity with %s", async (_, wrong) => {
      const ada = somebody();
      const refused = await signIn(ada, wrong);
      expect([refused.status, refused.session]).toEqual([401, null]);
      expect(await app.storage.accounts.users.findByEmail(ada.email ?? "")).toBeNull();
    });

    test("believes no answer that another browser, another sign-in or another issuer began", async () => {
      const [mine, theirs] = [await leave(), await leave()];
      const back = () => service.authorize(mine.location, somebody());
      expect((await comeBack(back(), "")).status).toBe(401);
      expect((await comeBack(back(), "__Host-turnpike-sign-on=v1.AAAA")).status).toBe(401);
      expect((await comeBack(back(), theirs.ticket)).status).toBe(401);
      const changed = (name: string, value: string | null): URL => {
        const url = back();
        if (value === null) url.searchParams.delete(name);
        else url.searchParams.set(name, value);
        return url;
      };
      for (const [name, value] of [
        ["state", "another"],
        ["state", null],
        ["iss", "https://evil.example.com"],
        ["iss", null],
        ["code", "another"],
        ["code", null],
      ] as const) {
        expect((await comeBack(changed(name, value), mine.ticket)).status).toBe(401);
      }
      expect((await comeBack(back(), mine.ticket)).status).toBe(302);
    });

    test("takes a code once", async () => {
      const { location, ticket } = await leave();
      const back = service.authorize(location, somebody());
      expect((await comeBack(back, ticket)).status).toBe(302);
      expect((await comeBack(back, ticket)).status).toBe(401);
    });

    test("is over when it was begun too long ago", async () => {
      const { location, ticket } = await leave();
      const back = service.authorize(location, somebody());
      clock.step(10 * 60_000);
      expect((await comeBack(back, ticket)).status).toBe(401);
    });

    test("says so when the person said no at the issuer, in words or on a page", async () => {
      const { ticket, location } = await leave();
      const state = new URL(location).searchParams.get("state") ?? "";
      const back = new URL(`${PUBLIC}/api/auth/oidc/callback?error=access_denied&state=${state}`);
      back.searchParams.set("iss", service.issuer);
      back.searchParams.set("error_description", "<script>alert(1)</script>");
      const words = await comeBack(back, ticket);
      expect(JSON.parse(words.text)).toEqual({ error: expect.any(String), code: "UNAUTHORIZED" });
      const page = await comeBack(back, ticket, "text/html");
      expect([page.status, page.answer.headers.get("content-type")]).toEqual([401, "text/html; charset=utf-8"]);
      expect(page.text).not.toContain("<script");
    });

    test("goes back to paths of this server only", async () => {
      const { location, ticket } = await leave("?return_to=/ui/keys%3Fpage%3D2%23top");
      expect(await comeBack(service.authorize(location, somebody()), ticket)).toMatchObject({
        location: "/ui/keys?page=2#top",
      });
      for (const to of [
        "https://evil.example.com",
        "//evil.example.com",
        "/\\evil.example.com",
        "/\t/evil.example.com",
        "/..//evil.example.com",
        "/ui/.././/evil.example.com",
        "/%2e//evil.example.com",
        "ui",
      ]) {
        expect((await leave(`?return_to=${encodeURIComponent(to)}`)).status).toBe(400);
      }
    });
  });
}

describe("an issuer that is down", () => {
  let app: TestApp;
  beforeAll(async () => {
    app = await startAppOn("sqlite", yamlOf());
  });
  afterAll(() => app.close());

  test("is 503 for single sign-on alone, is asked again, and what it said of itself is kept", async () => {
    const { leave, comeBack } = browserOf(app);
    const person = await newPerson(app);
    const logIn = () => app.call("/api/auth/token", { json: { email: person.email, password: "a good long one" } });
    const path = "/.well-known/openid-configuration";
    const before = service.asked.get(path) ?? 0;
    service.isDown = true;
    expect((await leave()).status).toBe(503);
    expect((await logIn()).status).toBe(200);
    service.isDown = false;
    const { location, ticket } = await leave();
    const back = service.authorize(location, somebody());
    service.isDown = true;
    expect((await comeBack(back, ticket)).status).toBe(503);
    service.isDown = false;
    expect((await comeBack(back, ticket)).status).toBe(302);
    await leave();
    expect((service.asked.get(path) ?? 0) - before).toBe(2);
  });
});

describe("what the operator allows", () => {
  const started: TestApp[] = [];
  const startWith = async (more: string): Promise<TestApp> => {
    const app = await startAppOn("sqlite", yamlOf(more));
    started.push(app);
    return app;
  };
  afterAll(async () => {
    for (const app of started) await app.close();
  });

  test("without sign-up only those come in who have an account", async () => {
    const app = await startWith("    allow_sign_up: false\n");
    const { signIn, me } = browserOf(app);
    const person = await newPerson(app);
    expect((await signIn(somebody())).status).toBe(403);
    expect(await me((await signIn(somebody({ email: person.email }))).session)).toMatchObject({ id: person.id });
  });

  test("with domains, addresses of others are refused", async () => {
    const app = await startWith("    allowed_domains: [Example.com]\n");
    const { signIn } = browserOf(app);
    for (const email of [
      "a@example.org",
      "a@evil-example.com",
      "a@example.com@evil.org",
      "a@sub.example.com",
      undefined,
    ]) {
      const { email: _, ...bare } = somebody();
      expect((await signIn(email === undefined ? bare : { ...bare, email })).status).toBe(403);
    }
    const known = somebody({ email: "b@EXAMPLE.com" });
    expect((await signIn(known)).status).toBe(302);
    // Anybody can say that they have an address: only one that was verified is of a domain.
    expect((await signIn({ ...known, email: "c@example.com", email_verified: false })).status).toBe(403);
    expect((await signIn({ ...known, email: "c@example.com" })).status).toBe(302);
  });

  test("with an organization, newcomers join it rather than get one of their own", async () => {
    const id = "01990000-0000-7000-8000-000000000000";
    const app = await startWith(`    organization_id: ${id}\n`);
    const { signIn, me } = browserOf(app);
    expect((await signIn(somebody())).status).toBe(500);
    const owner = await newPerson(app);
    const [own] = await app.storage.accounts.organizations.listOf(owner.id);
    if (own) await app.storage.accounts.organizations.insert({ ...own.organization, id, slug: "joined" });
    const user = await me((await signIn(somebody())).session);
    const joined = await app.storage.accounts.organizations.listOf(user?.id ?? 0);
    expect(joined).toMatchObject([{ role: "member", organization: { id } }]);
  });

  test("without a setting there is none", async () => {
    const app = await startAppOn("sqlite");
    started.push(app);
    expect((await app.call("/api/auth/oidc/login")).status).toBe(404);
    expect((await app.call("/api/auth/oidc/callback?code=x&state=y")).status).toBe(404);
    expect(await (await app.call("/api/auth/oidc")).json()).toEqual({ enabled: false, name: null, loginUrl: null });
  });
});
