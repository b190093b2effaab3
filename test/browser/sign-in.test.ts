import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { TOTP } from "otpauth";
import { Person } from "../cli/command-line.ts";
import { CLIENT, OidcService } from "../services/oidc.ts";
import { browserMissing } from "./chromium.ts";
import { PASSWORD, type Visitor, Walk } from "./walk.ts";

const WALK_MS = 120_000;
const MASTER_KEY = "sk-master-key-of-who-runs-it-all";

describe.skipIf(browserMissing !== null)("signing up and in, in a browser", () => {
  let walk: Walk;
  let ada: Visitor;
  beforeAll(async () => {
    walk = await Walk.start("sign-in", { TURNPIKE_MASTER_KEY: MASTER_KEY });
    ada = await walk.visitor();
  }, WALK_MS);
  afterAll(() => walk?.close(), WALK_MS);

  test(
    "where no mail is sent, who has forgotten a password is told how a link is made, and the command makes it",
    async () => {
      const { page } = ada;
      await ada.goTo("/ui/login");
      await page.getByRole("link", { name: "Forgot your password?" }).click();
      await page.getByRole("heading", { name: "Forgotten password" }).waitFor();
      await page.getByLabel("E-mail").fill("admin@example.com");
      await page.getByRole("button", { name: "Send the link" }).click();
      await page.getByRole("heading", { level: 1, name: "No mail is sent here" }).waitFor();
      expect(await page.getByText("Look into your mail").count()).toBe(0);
      const command = (await page.locator("pre").innerText()).replaceAll(/\s*\\\n\s*/g, " ").trim();
      const words = `admin users reset-password admin@example.com --url ${walk.turnpike.url}`;
      expect(command).toBe(`TURNPIKE_TOKEN=<master key> turnpike ${words}`);
      const somebody = new Person("http://127.0.0.1:1");
      const { out, err } = await somebody.run(words.split(" "), { env: { TURNPIKE_TOKEN: MASTER_KEY } });
      somebody.remove();
      expect(out + err).toContain("/ui/reset-password?token=");
      expect(await ada.axe()).toEqual([]);
      await ada.screenshot("no-mail");
    },
    WALK_MS,
  );

  test(
    "somebody who signs up is logged in",
    async () => {
      const { page } = ada;
      await ada.goTo("/ui/");
      await page.getByRole("heading", { name: "Log in" }).waitFor();
      expect(await ada.axe()).toEqual([]);
      await ada.screenshot("log-in");
      await page.getByRole("link", { name: "Sign up" }).click();
      await page.getByLabel("Name").fill("Ada");
      await page.getByLabel("E-mail").fill("ada@example.com");
      await page.getByRole("textbox", { name: "Password" }).fill("password");
      await page.getByRole("button", { name: "Sign up" }).click();
      await page.getByText("among the first that anybody would guess").waitFor();
      expect(await ada.axe()).toEqual([]);
      await ada.screenshot("sign-up");
      await page.getByRole("textbox", { name: "Password" }).fill(PASSWORD);
      await page.getByRole("button", { name: "Sign up" }).click();
      await page.getByRole("heading", { level: 1, name: "Overview" }).waitFor();
      expect(await ada.axe()).toEqual([]);
      await ada.screenshot("overview");
    },
    WALK_MS,
  );

  test(
    "on a tablet the page has all the room: its navigation opens by a button, and closes with the next page",
    async () => {
      const { page } = ada;
      await page.setViewportSize({ width: 768, height: 1024 });
      const edge = () => page.evaluate<number>('document.querySelector("nav").getBoundingClientRect().right');
      const isAside = async (): Promise<void> => {
        while ((await edge()) > 0) await Bun.sleep(20);
      };
      await isAside();
      await page.getByRole("button", { name: "Navigation" }).click();
      await page.getByRole("link", { name: "Logs", exact: true }).click();
      await page.getByRole("heading", { level: 1, name: "Logs" }).waitFor();
      await isAside();
      await page.setViewportSize({ width: 992, height: 768 });
      await page.getByRole("link", { name: "Overview", exact: true }).click();
      await page.getByRole("heading", { level: 1, name: "Overview" }).waitFor();
    },
    WALK_MS,
  );

  test(
    "an address without a page says so, in the title too",
    async () => {
      // Asked for from here: the page's own policy lets it evaluate no text, which it would have to at every further look.
      const titled = async (title: string): Promise<void> => {
        while ((await ada.page.title()) !== title) await Bun.sleep(20);
      };
      await ada.goTo("/ui/nothing-here");
      await ada.page.getByRole("heading", { name: "There is no such page" }).waitFor();
      await titled("No such page · Turnpike");
      await ada.page.getByRole("link", { name: "To the overview", exact: true }).click();
      await titled("Overview · Turnpike");
    },
    WALK_MS,
  );

  test(
    "the second factor is switched on with a code, and asked for at the next log-in",
    async () => {
      const { page } = ada;
      await fetch(`${walk.turnpike.url}/api/auth/token`, {
        method: "POST",
        headers: {
          "content-type": "application/json",
          "user-agent": "a nightly program with quite a long name of its own",
        },
        body: JSON.stringify({ email: "ada@example.com", password: PASSWORD }),
      });
      await page.getByRole("button", { name: "Your account" }).click();
      await page.getByRole("menuitem", { name: "Account" }).click();
      await page.getByRole("heading", { level: 1, name: "Account" }).waitFor();
      await page.getByRole("region", { name: "Sessions" }).getByRole("button", { name: "End" }).waitFor();
      expect(await ada.axe()).toEqual([]);
      await ada.screenshot("account");
      await page.getByRole("button", { name: "Switch it on" }).click();
      const dialog = page.getByRole("dialog");
      await dialog.getByRole("img", { name: "QR code of the secret" }).waitFor();
      await ada.screenshot("two-factor");
      const secret = (await dialog.locator("code").innerText()).trim();
      await dialog.getByLabel("Code that the app shows").fill(new TOTP({ secret }).generate());
      await dialog.getByRole("textbox", { name: "Your password" }).fill(PASSWORD);
      await dialog.getByRole("button", { name: "Switch it on" }).click();
      const codes = page.getByRole("dialog", { name: "Recovery codes" });
      await codes.locator("code").first().waitFor();
      const [first = "", second = ""] = await codes.locator("code").allInnerTexts();
      await codes.getByRole("button", { name: "I have kept them" }).click();
      await page.getByRole("button", { name: "New recovery codes" }).waitFor();

      await page.getByRole("button", { name: "Your account" }).click();
      await page.getByRole("menuitem", { name: "Log out" }).click();
      await page.getByRole("heading", { name: "Log in" }).waitFor();
      await page.getByLabel("E-mail").fill("ada@example.com");
      await page.getByRole("textbox", { name: "Password" }).fill(PASSWORD);
      await page.getByRole("button", { name: "Log in", exact: true }).click();
      await page.getByLabel("Code").fill(first);
      await page.getByRole("button", { name: "Log in", exact: true }).click();
      await page.getByRole("heading", { level: 1, name: "Overview" }).waitFor();

      // Who signs in elsewhere has no password to prove it with.
      await ada.goTo("/ui/account");
      await page.getByRole("button", { name: "New recovery codes" }).click();
      const proof = page.getByRole("dialog", { name: "New recovery codes?" });
      await proof.getByRole("textbox", { name: "Code" }).fill(second);
      expect(await ada.axe()).toEqual([]);
      await ada.screenshot("two-factor-proof");
      await proof.getByRole("button", { name: "Make new ones" }).click();
      await codes.locator("code").first().waitFor();
      expect(await codes.locator("code").allInnerTexts()).not.toContain(second);
      await codes.getByRole("button", { name: "I have kept them" }).click();
    },
    WALK_MS,
  );

  test(
    "a management token is made on the account's page, shown once, and removed",
    async () => {
      const { page } = ada;
      await ada.goTo("/ui/account");
      const tokens = page.getByRole("region", { name: "Management tokens" });
      await tokens.getByText("You have none.").waitFor();
      await tokens.getByRole("button", { name: "New token" }).click();
      const dialog = page.getByRole("dialog", { name: "New token" });
      await dialog.getByRole("textbox", { name: "Name" }).fill("Terraform");
      await dialog.getByRole("button", { name: "Create the token" }).click();
      await dialog.getByText("Choose one or more.").waitFor();
      await dialog.getByRole("checkbox", { name: "keys:read" }).check();
      expect(await ada.axe()).toEqual([]);
      await ada.screenshot("new-token");
      await dialog.getByRole("button", { name: "Create the token" }).click();
      const shown = page.getByRole("dialog", { name: "Your token" });
      const token = await shown.getByTestId("secret").innerText();
      expect(token).toMatch(/^mk-[0-9A-Za-z]{49}$/);
      await shown.getByRole("button", { name: "I have kept it" }).click();
      const ask = async () =>
        (await fetch(`${walk.turnpike.url}/api/api-keys`, { headers: { authorization: `Bearer ${token}` } })).status;
      expect(await ask()).toBe(200);
      await tokens.getByText("keys:read").waitFor();
      expect(await ada.axe()).toEqual([]);
      await ada.screenshot("tokens");
      await tokens.getByRole("button", { name: "Remove Terraform" }).click();
      await page.getByRole("dialog").getByRole("button", { name: "Remove" }).click();
      await tokens.getByText("You have none.").waitFor();
      expect(await ask()).toBe(401);
    },
    WALK_MS,
  );

  test("nothing went wrong on the way, and nobody else was asked for anything", () => {
    expect(ada.faults).toEqual([]);
  });
});

describe.skipIf(browserMissing !== null)("an installation without a demo, in a browser", () => {
  let walk: Walk;
  beforeAll(async () => {
    walk = await Walk.start("no-demo", { TURNPIKE_DEMO: "false" });
  }, WALK_MS);
  afterAll(() => walk?.close(), WALK_MS);

  test(
    "its admin is in no organization, is told so on every page that needs one, and makes one",
    async () => {
      const admin = await walk.visitor();
      const { page } = admin;
      await admin.goTo("/ui/login");
      await page.getByLabel("E-mail").fill("admin@example.com");
      await page.getByRole("textbox", { name: "Password" }).fill(PASSWORD);
      await page.getByRole("button", { name: "Log in", exact: true }).click();
      const nowhere = page.getByRole("heading", { name: "You are in no organization yet" });
      await nowhere.waitFor();
      expect(await admin.axe()).toEqual([]);
      await admin.screenshot("no-organization");
      await page.getByRole("link", { name: "Models", exact: true }).click();
      await page.getByRole("heading", { level: 1, name: "Models" }).waitFor();
      await page.getByRole("link", { name: "Deployments", exact: true }).click();
      await page.getByRole("heading", { level: 1, name: "Deployments" }).waitFor();
      await page.getByRole("link", { name: "Keys", exact: true }).click();
      await nowhere.waitFor();
      await page.getByRole("button", { name: "New organization" }).click();
      await page.getByRole("textbox", { name: "Name" }).fill("Toll house");
      await page.getByRole("button", { name: "Make it" }).click();
      await page.getByRole("heading", { level: 1, name: "Keys" }).waitFor();
      await page.getByRole("link", { name: "Overview", exact: true }).click();
      await page.getByRole("heading", { level: 1, name: "Overview" }).waitFor();
      await page.getByRole("main").getByText("Toll house").waitFor();
      expect(admin.faults).toEqual([]);
    },
    WALK_MS,
  );
});

describe.skipIf(browserMissing !== null)("without a script", () => {
  let walk: Walk;
  beforeAll(async () => {
    walk = await Walk.start("fallback");
  }, WALK_MS);
  afterAll(() => walk?.close(), WALK_MS);

  test(
    "who lets a program in sees which button does so, in light and in dark",
    async () => {
      const visitor = await walk.visitor();
      const { page } = visitor;
      await visitor.goTo("/device?user_code=ABCD");
      for (const colorScheme of ["light", "dark"] as const) {
        await page.emulateMedia({ colorScheme });
        const colors = await page.evaluate<string[]>(
          "[...document.querySelectorAll('button')].map((one) => getComputedStyle(one).backgroundColor)",
        );
        expect(colors).toHaveLength(2);
        expect(colors[0]).not.toBe(colors[1]);
        expect(await visitor.axe()).toEqual([]);
      }
      expect(visitor.faults).toEqual([]);
    },
    WALK_MS,
  );

  test(
    "a person logs in by a plain form, sees who they are, and logs out",
    async () => {
      const visitor = await walk.visitor({ javaScript: false });
      const { page } = visitor;
      await visitor.goTo("/fallback/login");
      await visitor.screenshot("log-in");
      await page.getByLabel("E-mail").fill("admin@example.com");
      await page.getByLabel("Password").fill("not the one");
      await page.getByRole("button", { name: "Log in" }).click();
      await page.getByRole("alert").waitFor();
      await page.getByLabel("Password").fill(PASSWORD);
      await page.getByRole("button", { name: "Log in" }).click();
      await page.getByRole("heading", { name: "You are logged in" }).waitFor();
      expect(await page.getByText("Administrator of this installation").count()).toBe(1);
      await visitor.screenshot("home");
      await page.getByRole("button", { name: "Log out" }).click();
      await page.getByRole("heading", { name: "Log in" }).waitFor();
      await visitor.goTo("/fallback");
      await page.getByRole("heading", { name: "Log in" }).waitFor();
      await visitor.goTo("/ui/");
      await page.getByRole("link", { name: "Log in without it" }).waitFor();
      expect(visitor.faults).toEqual([]);
    },
    WALK_MS,
  );

  test(
    "the plain pages have no barrier",
    async () => {
      const visitor = await walk.visitor();
      const { page } = visitor;
      await visitor.goTo("/fallback/login");
      expect(await visitor.axe()).toEqual([]);
      await page.getByLabel("E-mail").fill("admin@example.com");
      await page.getByLabel("Password").fill("not the one");
      await page.getByRole("button", { name: "Log in" }).click();
      await page.getByRole("alert").waitFor();
      expect(await visitor.axe()).toEqual([]);
      await page.getByLabel("Password").fill(PASSWORD);
      await page.getByRole("button", { name: "Log in" }).click();
      await page.getByRole("heading", { name: "You are logged in" }).waitFor();
      expect(await visitor.axe()).toEqual([]);
      expect(visitor.faults).toEqual([]);
    },
    WALK_MS,
  );
});

describe.skipIf(browserMissing !== null)("single sign-on, in a browser", () => {
  let walk: Walk;
  let issuer: OidcService;
  beforeAll(async () => {
    issuer = await OidcService.start();
    const oidc = { issuer: issuer.issuer, client_id: CLIENT.id, client_secret: CLIENT.secret, name: "Example" };
    walk = await Walk.start("single-sign-on", {}, JSON.stringify({ general_settings: { oidc } }));
  }, WALK_MS);
  afterAll(async () => {
    await walk?.close();
    await issuer?.stop();
  }, WALK_MS);

  test(
    "a newcomer goes to the issuer and comes back logged in, to the page that was asked for",
    async () => {
      const visitor = await walk.visitor();
      const { page } = visitor;
      issuer.atDesk = { sub: "ada", email: "ada@example.com", email_verified: true, name: "Ada" };
      await visitor.goTo("/ui/keys");
      const button = page.getByRole("link", { name: "Log in with Example" });
      await button.waitFor();
      expect(await visitor.axe()).toEqual([]);
      await visitor.screenshot("log-in");
      await button.click();
      await page.getByRole("link", { name: "Go on" }).click();
      await page.getByRole("heading", { level: 1, name: "Keys" }).waitFor();
      await page.getByRole("button", { name: "Your account" }).click();
      await page.getByText("ada@example.com").waitFor();
      expect(visitor.faults.filter((fault) => !fault.endsWith(issuer.issuer))).toEqual([]);
    },
    WALK_MS,
  );
});
