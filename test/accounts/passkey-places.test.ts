import { afterAll, describe, expect, test } from "bun:test";
import { startApp, type TestApp } from "../app.ts";
import { configOf } from "../config/load-text.ts";
import { DATABASES } from "../storage/databases.ts";
import { migratedUrl } from "../storage/migrated.ts";
import { PASSWORD, PasskeyBrowser } from "./passkey-browser.ts";
import { newPerson } from "./people.ts";
import { SoftwareAuthenticator } from "./software-authenticator.ts";

const PUBLIC = "https://gateway.example.com";
const PATH = "/api/auth/passkeys";
const app = await startApp(`general_settings:\n  public_url: ${PUBLIC}/\n`);
const local = await startApp();
afterAll(async () => {
  await app.close();
  await local.close();
});

/** A call at an address of one's own choice, as whoever forges `Host` makes it. */
const callAt = async (to: TestApp, url: string, init: RequestInit = {}) => {
  const connection = { keepOpen: () => undefined, release: () => undefined, remoteAddress: "127.0.0.1" };
  const request = new Request(url, { method: "POST", ...init });
  const answer = await to.service.dispatcher.handle(request, connection);
  const cookie = (answer.headers.get("set-cookie") ?? "").split(";")[0] ?? "";
  return { status: answer.status, cookie, body: (await answer.json()) as never };
};
const jsonOf = (body: object, headers: object = {}) => ({
  headers: { "content-type": "application/json", ...headers },
  body: JSON.stringify(body),
});

describe("where public_url is set, a passkey is its host's", () => {
  test("whatever host a call names", async () => {
    for (const at of ["http://turnpike.test", "https://evil.example", "http://127.0.0.1:4000"]) {
      const { status, body } = await callAt(app, `${at}${PATH}/sign-in/options`);
      expect([status, body]).toMatchObject([200, { options: { rpId: "gateway.example.com" } }] as never);
    }
  });

  test("and its own pages alone can ask for it", async () => {
    const person = await newPerson(app);
    const browser = new PasskeyBrowser(app, PUBLIC);
    const { device } = await browser.register(person);
    expect((await browser.signIn(device)).status).toBe(200);
    for (const origin of ["http://gateway.example.com", "http://turnpike.test", `${PUBLIC}:8443`]) {
      expect((await browser.signIn(device, { origin })).status).toBe(401);
    }
  });
});

test("a reload with another public_url leaves passkeys as they are: it is read once, at the start", async () => {
  const settings = (url: string) => `general_settings:\n  public_url: ${url}\n`;
  const running = await startApp(settings(PUBLIC));
  try {
    running.service.apply(configOf(settings("http://localhost:4000")));
    const { body, cookie } = await callAt(running, `http://turnpike.test${PATH}/sign-in/options`);
    expect(body).toMatchObject({ options: { rpId: "gateway.example.com" } } as never);
    expect(cookie).toStartWith("__Host-turnpike-passkey=");
  } finally {
    await running.close();
  }
});

describe("where it is not set, a passkey is the host's that the call went to", () => {
  test("and is not good at another, even where both are called", async () => {
    const person = await newPerson(local);
    const { device } = await new PasskeyBrowser(local).register(person);
    const asked = await callAt(local, `http://evil.example${PATH}/sign-in/options`);
    const { options } = asked.body as { options: { challenge: string; rpId: string } };
    expect(options.rpId).toBe("evil.example");
    // Whoever stands between has the person's device sign for the host that the passkey is good at.
    const signed = jsonOf({ credential: device.get(options, { rpId: "turnpike.test" }) }, { cookie: asked.cookie });
    expect((await callAt(local, `http://turnpike.test${PATH}/sign-in`, signed)).status).toBe(409);
    const again = await callAt(local, `http://evil.example${PATH}/sign-in/options`);
    const { options: other } = again.body as { options: { challenge: string; rpId: string } };
    const elsewhere = jsonOf(
      { credential: device.get(other, { origin: "http://evil.example" }) },
      { cookie: again.cookie },
    );
    expect((await callAt(local, `http://evil.example${PATH}/sign-in`, elsewhere)).status).toBe(401);
  });

  test("localhost is one, and its cookie does without TLS", async () => {
    const origin = "http://localhost:4000";
    const person = await newPerson(local);
    const bearer = { authorization: `Bearer ${person.token}` };
    const begun = await callAt(local, `${origin}${PATH}/options`, jsonOf({ password: PASSWORD }, bearer));
    const { options } = begun.body as { options: never };
    const device = new SoftwareAuthenticator(origin);
    const added = jsonOf({ name: "Laptop", credential: device.create(options) }, { ...bearer, cookie: begun.cookie });
    expect((await callAt(local, `${origin}${PATH}`, added)).status).toBe(201);
    const asked = await callAt(local, `${origin}${PATH}/sign-in/options`);
    expect(asked.cookie).toStartWith("turnpike-passkey=");
    const { options: request } = asked.body as { options: never };
    const signed = jsonOf({ credential: device.get(request) }, { cookie: asked.cookie });
    expect((await callAt(local, `${origin}${PATH}/sign-in`, signed)).status).toBe(200);
  });

  test.each(["http://127.0.0.1:4000", "http://[::1]:4000", "http://192.168.1.7"])(
    "%s has no name, and says so",
    async (at) => {
      const { status, body } = await callAt(local, `${at}${PATH}/sign-in/options`);
      expect([status, body]).toMatchObject([409, { code: "VALIDATION_ERROR" }] as never);
      expect((body as { error: string }).error).toContain("http://localhost");
    },
  );
});

const postgres = DATABASES.find(({ kind }) => kind === "postgres");
describe.skipIf(postgres?.missing ?? true)("over several processes", () => {
  test("a challenge of one is answered at another, once among all of them", async () => {
    const url = await migratedUrl("postgres");
    const apps = [await startApp("", url), await startApp("", url)] as const;
    try {
      const [one, other] = [new PasskeyBrowser(apps[0]), new PasskeyBrowser(apps[1])];
      const { device } = await one.register(await newPerson(apps[0]), "Phone", false);
      const { options, cookie } = await one.ask();
      const credential = device.get(options);
      const answers = await Promise.all([one, other, one, other].map((each) => each.answer(credential, cookie)));
      expect(answers.map(({ status }) => status).sort()).toEqual([200, 409, 409, 409]);
      const asked = await one.ask();
      expect((await other.answer(device.get(asked.options), asked.cookie)).status).toBe(200);
    } finally {
      for (const app of apps) await app.close();
    }
  });
});
