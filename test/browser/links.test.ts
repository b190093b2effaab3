import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { type SmtpServer, startSmtp } from "../services/smtp.ts";
import { browserMissing } from "./chromium.ts";
import { PASSWORD, type Visitor, Walk } from "./walk.ts";

const WALK_MS = 120_000;
const NEW_PASSWORD = "another good long one";

describe.skipIf(browserMissing !== null)("links out of letters, in a browser", () => {
  let smtp: SmtpServer;
  let walk: Walk;
  let ada: Visitor;
  const visitors: Visitor[] = [];
  beforeAll(async () => {
    smtp = await startSmtp();
    walk = await Walk.start("links", { TURNPIKE_SMTP_URL: smtp.url });
    ada = await walk.owner("ada@example.com", "Ada");
    visitors.push(ada);
  }, WALK_MS);
  afterAll(async () => {
    await walk?.close();
    await smtp?.stop();
  }, WALK_MS);

  const newVisitor = async (): Promise<Visitor> => {
    const visitor = await walk.visitor();
    visitors.push(visitor);
    return visitor;
  };
  const overview = ({ page }: Visitor) => page.getByRole("heading", { level: 1, name: "Overview" }).waitFor();
  /** The letter number `count` to the address is the invitation. */
  const invite = async (email: string, count: number): Promise<string> => {
    const teams = await walk.fromPage<{ data: { id: string }[] }>(ada, "GET", "/api/gw/teams");
    const asked = { teamId: teams.data[0]?.id, email, role: "member" };
    await walk.fromPage(ada, "POST", "/api/gw/teams/invite-member", asked);
    return (await smtp.mailTo(email, count)).token;
  };

  test(
    "an address is verified by a button, and the notice about it is gone",
    async () => {
      const { page } = ada;
      const notice = page.getByText("Is this your address?");
      await notice.waitFor();
      await ada.screenshot("notice");
      const { token } = await smtp.mailTo("ada@example.com");
      await ada.goTo(`/ui/verify-email?token=${token}`);
      await page.getByRole("heading", { level: 1, name: "Is this your address?" }).waitFor();
      expect(await ada.axe()).toEqual([]);
      await ada.screenshot("verify-email");
      await page.getByRole("button", { name: "Yes, it is mine" }).click();
      await page.getByRole("link", { name: "Go on" }).click();
      await overview(ada);
      await notice.waitFor({ state: "detached" });
    },
    WALK_MS,
  );

  test(
    "on another device one logs in first, and somebody else's account is told from one's own",
    async () => {
      const phone = await newVisitor();
      await walk.signUp("joan@example.com", "Joan");
      const { token } = await smtp.mailTo("joan@example.com");
      const { page } = phone;
      await phone.goTo(`/ui/verify-email?token=${token}`);
      await page.getByRole("heading", { level: 1, name: "Is this your address?" }).waitFor();
      expect(await page.getByRole("button", { name: "Yes, it is mine" }).count()).toBe(0);
      expect(await phone.axe()).toEqual([]);
      await phone.screenshot("verify-email-log-in");

      await ada.goTo(`/ui/verify-email?token=${token}`);
      await ada.page.getByRole("button", { name: "Yes, it is mine" }).click();
      await ada.page.getByText("This is another account").waitFor();
      await ada.page.getByText("ada@example.com").waitFor();
      expect(await ada.axe()).toEqual([]);

      await page.getByRole("link", { name: "Log in" }).click();
      await page.getByRole("heading", { name: "Log in" }).waitFor();
      await page.getByLabel("E-mail").fill("joan@example.com");
      await page.getByRole("textbox", { name: "Password" }).fill(PASSWORD);
      await page.getByRole("button", { name: "Log in", exact: true }).click();
      await page.getByRole("button", { name: "Yes, it is mine" }).click();
      await page.getByRole("heading", { name: "Thank you" }).waitFor();
    },
    WALK_MS,
  );

  test(
    "somebody new joins the organization that invites them",
    async () => {
      const grace = await newVisitor();
      const { page } = grace;
      await grace.goTo(`/ui/invitation?token=${await invite("grace@example.com", 1)}`);
      await page.getByRole("heading", { name: "Join Ada's company" }).waitFor();
      expect(await page.getByLabel("E-mail").inputValue()).toBe("grace@example.com");
      expect(await grace.axe()).toEqual([]);
      await grace.screenshot("invitation");
      await page.getByLabel("Name").fill("Grace");
      await page.getByRole("textbox", { name: "Password" }).fill(PASSWORD);
      await page.getByRole("button", { name: "Sign up" }).click();
      await overview(grace);
      await page.getByRole("button", { name: /Ada's company/ }).waitFor();
    },
    WALK_MS,
  );

  test(
    "somebody with a forgotten password chooses another one, and then accepts an invitation",
    async () => {
      const bob = await newVisitor();
      const { page } = bob;
      await walk.signUp("bob@example.com", "Bob");
      await smtp.mailTo("bob@example.com", 1);
      await bob.goTo("/ui/login");
      await page.getByRole("link", { name: "Forgot your password?" }).click();
      await page.getByRole("heading", { name: "Forgotten password" }).waitFor();
      await page.getByLabel("E-mail").fill("bob@example.com");
      await bob.screenshot("forgot-password");
      await page.getByRole("button", { name: "Send the link" }).click();
      await page.getByRole("heading", { name: "Look into your mail" }).waitFor();
      expect(await bob.axe()).toEqual([]);
      const { token } = await smtp.mailTo("bob@example.com", 2);
      await bob.goTo(`/ui/reset-password?token=${token}`);
      await page.getByRole("textbox", { name: "New password" }).fill("short");
      await page.getByRole("button", { name: "Change it" }).click();
      await page.getByText("Use at least 8 characters.").waitFor();
      expect(await bob.axe()).toEqual([]);
      await bob.screenshot("reset-password");
      await page.getByRole("textbox", { name: "New password" }).fill(NEW_PASSWORD);
      await page.getByRole("button", { name: "Change it" }).click();
      await page.getByRole("heading", { name: "Your password is changed" }).waitFor();

      await bob.goTo(`/ui/invitation?token=${await invite("bob@example.com", 3)}`);
      await page.getByRole("link", { name: "Log in" }).click();
      await page.getByRole("heading", { name: "Log in" }).waitFor();
      await page.getByLabel("E-mail").fill("bob@example.com");
      await page.getByRole("textbox", { name: "Password" }).fill(NEW_PASSWORD);
      await page.getByRole("button", { name: "Log in", exact: true }).click();
      await page.getByRole("button", { name: "Accept the invitation" }).click();
      await overview(bob);
      await page.getByRole("button", { name: /Change the organization/ }).click();
      await page.getByRole("menuitem", { name: "Ada's company" }).click();
      await page.getByRole("button", { name: /Ada's company/ }).waitFor();
    },
    WALK_MS,
  );

  test(
    "a link that is not good is told of in words",
    async () => {
      const nobody = await newVisitor();
      await nobody.goTo("/ui/invitation?token=inv-none");
      await nobody.page.getByText("Ask whoever invited you for another one.").waitFor();
      expect(await nobody.axe()).toEqual([]);
      await nobody.screenshot("bad-link");
    },
    WALK_MS,
  );

  test(
    "a link that has lost its end is told of before anybody types or presses anything",
    async () => {
      const nobody = await newVisitor();
      for (const path of ["/ui/invitation", "/ui/reset-password", "/ui/verify-email"]) {
        await nobody.goTo(path);
        await nobody.page.getByText("This link is not whole").waitFor();
        expect(await nobody.page.getByRole("textbox").count()).toBe(0);
        expect(await nobody.axe()).toEqual([]);
      }
      await nobody.screenshot("half-link");
      await nobody.page.getByRole("link", { name: "To the log-in" }).click();
      await nobody.page.getByRole("heading", { level: 1, name: "Log in" }).waitFor();
      await ada.goTo("/ui/verify-email?token=of-nobody");
      await ada.page.getByRole("button", { name: "Yes, it is mine" }).click();
      await ada.page.getByText("This link is not good, or no longer").waitFor();
      expect(await ada.page.getByRole("button", { name: "Yes, it is mine" }).count()).toBe(0);
      await ada.page.getByRole("link", { name: "To the overview", exact: true }).click();
      await overview(ada);
    },
    WALK_MS,
  );

  test(
    "a server that has no time says nothing of the link, and takes nothing that was typed",
    async () => {
      const nobody = await newVisitor();
      const { page } = nobody;
      const refuse = () =>
        page.route("**/api/invitations/preview", (route) =>
          route.fulfill({ status: 429, json: { error: "Too many calls.", code: "RATE_LIMIT_EXCEEDED" } }),
        );
      const token = await invite("hedy@example.com", 1);
      await page.clock.install();
      await refuse();
      await nobody.goTo(`/ui/invitation?token=${token}`);
      await page.getByText("Too many calls.").waitFor();
      expect(await page.getByText("This link is not good").count()).toBe(0);
      await page.unroute("**/api/invitations/preview");
      await page.getByRole("button", { name: "Try again" }).click();
      await page.getByLabel("Name").fill("Hedy");
      await refuse();
      await page.clock.fastForward(60_000);
      await page.evaluate("window.dispatchEvent(new Event('visibilitychange'))");
      await page.getByText("Too many calls.").waitFor();
      expect(await page.getByLabel("Name").count()).toBe(1);
      expect(await page.getByLabel("Name").inputValue()).toBe("Hedy");
    },
    WALK_MS,
  );

  test("nothing went wrong on the way", () => {
    expect(visitors.flatMap(({ faults }) => faults)).toEqual([]);
  });
});
