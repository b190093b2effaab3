import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import type { CDPSession } from "playwright-core";
import { browserMissing } from "./chromium.ts";
import { PASSWORD, type Visitor, Walk } from "./walk.ts";

const WALK_MS = 120_000;
const EMAIL = "ada@example.com";

/** A device that keeps passkeys and knows a finger, inside of the browser. */
async function giveDevice(visitor: Visitor): Promise<{ debug: CDPSession; authenticatorId: string }> {
  const debug = await visitor.context.newCDPSession(visitor.page);
  await debug.send("WebAuthn.enable");
  const { authenticatorId } = await debug.send("WebAuthn.addVirtualAuthenticator", {
    options: {
      protocol: "ctap2",
      transport: "internal",
      hasResidentKey: true,
      hasUserVerification: true,
      isUserVerified: true,
      automaticPresenceSimulation: true,
    },
  });
  return { debug, authenticatorId };
}

describe.skipIf(browserMissing !== null)("passkeys, in a browser", () => {
  let walk: Walk;
  let ada: Visitor;
  let device: Awaited<ReturnType<typeof giveDevice>>;
  const card = () => ada.page.getByRole("region", { name: "Passkeys" });
  const passkeyButton = () => ada.page.getByRole("button", { name: "Log in with a passkey" });
  const logOut = async () => {
    await ada.page.getByRole("button", { name: "Your account" }).click();
    await ada.page.getByRole("menuitem", { name: "Log out" }).click();
    await ada.page.getByRole("heading", { name: "Log in" }).waitFor();
  };

  beforeAll(async () => {
    walk = await Walk.start("passkeys");
    await walk.signUp(EMAIL, "Ada");
    ada = await walk.visitor({ atName: true });
    device = await giveDevice(ada);
    await ada.goTo("/ui/login");
    await ada.page.getByLabel("E-mail").fill(EMAIL);
    await ada.page.getByRole("textbox", { name: "Password" }).fill(PASSWORD);
    await ada.page.getByRole("button", { name: "Log in", exact: true }).click();
    await ada.page.getByRole("heading", { level: 1, name: "Overview" }).waitFor();
  }, WALK_MS);
  afterAll(() => walk?.close(), WALK_MS);

  test(
    "one is added on the account's page, with the password and a name",
    async () => {
      const { page } = ada;
      await ada.goTo("/ui/account");
      await card().getByText("You have none.").waitFor();
      await card().getByRole("button", { name: "Add a passkey" }).click();
      const dialog = page.getByRole("dialog", { name: "Add a passkey" });
      await dialog.getByRole("textbox", { name: "Name" }).fill("Laptop");
      await dialog.getByRole("textbox", { name: "Your password" }).fill("not the one");
      await dialog.getByRole("button", { name: "Go on" }).click();
      await dialog.getByText("It is wrong.").waitFor();
      const { credentials } = await device.debug.send("WebAuthn.getCredentials", device);
      expect(credentials).toEqual([]);
      expect(await ada.axe()).toEqual([]);
      await ada.screenshot("add");
      await dialog.getByRole("textbox", { name: "Your password" }).fill(PASSWORD);
      await dialog.getByRole("button", { name: "Go on" }).click();
      await card().getByText("Laptop", { exact: true }).waitFor();
    },
    WALK_MS,
  );

  test(
    "a device that has one already says so",
    async () => {
      const { page } = ada;
      await card().getByRole("button", { name: "Add a passkey" }).click();
      const dialog = page.getByRole("dialog", { name: "Add a passkey" });
      await dialog.getByRole("textbox", { name: "Your password" }).fill(PASSWORD);
      await dialog.getByRole("button", { name: "Go on" }).click();
      await dialog.getByText("This device has a passkey of your account already.").waitFor();
      await dialog.getByRole("button", { name: "Cancel" }).click();
    },
    WALK_MS,
  );

  test(
    "nothing that was typed is lost when files of the pages are gone, or an answer makes no sense",
    async () => {
      const { page } = ada;
      await ada.goTo("/ui/account");
      await card().getByRole("button", { name: "Add a passkey" }).click();
      const dialog = page.getByRole("dialog", { name: "Add a passkey" });
      await dialog.getByRole("textbox", { name: "Name" }).fill("Typed with care");
      await dialog.getByRole("textbox", { name: "Your password" }).fill(PASSWORD);
      await page.route("**/assets/**", (route) => route.fulfill({ status: 404 }));
      await dialog.getByRole("button", { name: "Go on" }).click();
      await dialog.getByText("This device has a passkey of your account already.").waitFor();
      await page.unroute("**/assets/**");
      await page.route("**/passkeys/options", (route) => route.fulfill({ json: {} }));
      await dialog.getByRole("button", { name: "Go on" }).click();
      await dialog.getByText("This device has a passkey of your account already.").waitFor({ state: "detached" });
      await dialog.getByRole("alert").waitFor();
      await page.unroute("**/passkeys/options");
      expect(await dialog.getByRole("textbox", { name: "Name" }).inputValue()).toBe("Typed with care");
      await dialog.getByRole("button", { name: "Cancel" }).click();
      expect(ada.faults).toEqual([]);
    },
    WALK_MS,
  );

  test(
    "it is renamed",
    async () => {
      const { page } = ada;
      await card().getByRole("button", { name: "Rename Laptop" }).click();
      const dialog = page.getByRole("dialog", { name: "Rename the passkey" });
      await dialog.getByRole("textbox", { name: "Name" }).fill("Ada's laptop");
      await dialog.getByRole("button", { name: "Save" }).click();
      await card().getByText("Ada's laptop", { exact: true }).waitFor();
      await dialog.waitFor({ state: "hidden" });
      expect(await ada.axe()).toEqual([]);
      await ada.screenshot("account");
    },
    WALK_MS,
  );

  test(
    "it logs in without a word being typed, to the page that was asked for",
    async () => {
      const { page } = ada;
      await logOut();
      await ada.goTo("/ui/account");
      await passkeyButton().waitFor();
      expect(await ada.axe()).toEqual([]);
      await ada.screenshot("log-in");
      await passkeyButton().click();
      await page.getByRole("heading", { level: 1, name: "Account" }).waitFor();
      await card()
        .getByText(/used (now|\d)/)
        .waitFor();
    },
    WALK_MS,
  );

  test(
    "who cancels is told so, and can log in another way",
    async () => {
      const { page } = ada;
      await logOut();
      await device.debug.send("WebAuthn.setUserVerified", { ...device, isUserVerified: false });
      await passkeyButton().click();
      await page.getByText("It was cancelled or took too long").waitFor();
      expect(await ada.axe()).toEqual([]);
      await ada.screenshot("cancelled");
      await device.debug.send("WebAuthn.setUserVerified", { ...device, isUserVerified: true });
      await passkeyButton().click();
      await page.getByRole("heading", { level: 1, name: "Overview" }).waitFor();
    },
    WALK_MS,
  );

  test(
    "it is removed once that was confirmed, and logs in no more",
    async () => {
      const { page } = ada;
      await ada.goTo("/ui/account");
      await card().getByRole("button", { name: "Remove Ada's laptop" }).click();
      await page.getByRole("dialog").getByRole("button", { name: "Remove" }).click();
      await card().getByText("You have none.").waitFor();
      await logOut();
      await passkeyButton().click();
      await page.getByText("This passkey is not good here, or was removed").waitFor();
      expect(ada.faults).toEqual([]);
    },
    WALK_MS,
  );

  test(
    "an operator takes somebody's away",
    async () => {
      const { page } = ada;
      await page.getByLabel("E-mail").fill(EMAIL);
      await page.getByRole("textbox", { name: "Password" }).fill(PASSWORD);
      await page.getByRole("button", { name: "Log in", exact: true }).click();
      await page.getByRole("heading", { level: 1, name: "Overview" }).waitFor();
      await ada.goTo("/ui/account");
      await card().getByRole("button", { name: "Add a passkey" }).click();
      const dialog = page.getByRole("dialog", { name: "Add a passkey" });
      await dialog.getByRole("textbox", { name: "Your password" }).fill(PASSWORD);
      await dialog.getByRole("button", { name: "Go on" }).click();
      await dialog.waitFor({ state: "hidden" });
      const operator = await walk.operator();
      await operator.goTo("/ui/operator/users");
      await operator.page.getByRole("button", { name: "What to do with Ada" }).click();
      await operator.page.getByRole("menuitem", { name: "Take away the passkeys" }).click();
      await operator.page.getByRole("button", { name: "Take them away" }).click();
      await operator.page.getByText("Ada has no passkeys any more.").waitFor();
      await ada.goTo("/ui/account");
      await card().getByText("You have none.").waitFor();
      expect(operator.faults).toEqual([]);
    },
    WALK_MS,
  );

  test(
    "at a mere number a browser has none: the log-in has no button, and the account's page says why",
    async () => {
      const visitor = await walk.signedIn(EMAIL);
      await visitor.goTo("/ui/account");
      await visitor.page.getByText("This browser makes none here").waitFor();
      expect(await visitor.page.getByRole("button", { name: "Add a passkey" }).count()).toBe(0);
      const stranger = await walk.visitor();
      await stranger.goTo("/ui/login");
      await stranger.page.getByRole("button", { name: "Log in", exact: true }).waitFor();
      expect(await stranger.page.getByRole("button", { name: "Log in with a passkey" }).count()).toBe(0);
      expect([...visitor.faults, ...stranger.faults]).toEqual([]);
    },
    WALK_MS,
  );
});
