import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { browserMissing } from "./chromium.ts";
import { type Visitor, Walk } from "./walk.ts";

const WALK_MS = 120_000;
const PHONE = { width: 390, height: 844 };

describe.skipIf(browserMissing !== null)("forms and secrets, in a browser", () => {
  let walk: Walk;
  let ada: Visitor;
  beforeAll(async () => {
    walk = await Walk.start("forms", { TURNPIKE_SIGNUP_CREDITS: "5" });
    ada = await walk.owner("ada@example.com", "Ada");
  }, WALK_MS);
  afterAll(() => walk?.close(), WALK_MS);
  const isFocused = (field: ReturnType<Visitor["page"]["getByLabel"]>) =>
    field.and(ada.page.locator(":focus")).waitFor();

  test(
    "a list of addresses is pasted as it is kept elsewhere, and a wrong one costs nothing that was typed",
    async () => {
      const { page } = ada;
      await ada.goTo("/ui/organization");
      const addresses = page.getByRole("combobox", { name: "Allowed addresses" });
      await page.evaluate(`navigator.clipboard.writeText("192.0.2.1\\n192.0.2.2 nowhere")`);
      await addresses.click();
      await page.keyboard.press("Control+V");
      await page.keyboard.press("Tab");
      await page.getByLabel("Name").fill("Ada and sons");
      await page.getByRole("button", { name: "Save" }).click();
      await page.getByText("is neither an address nor a range").waitFor();
      await isFocused(addresses);
      expect(await page.getByLabel("Name").inputValue()).toBe("Ada and sons");
      expect(await ada.axe()).toEqual([]);
      await ada.screenshot("addresses");
      await page.keyboard.press("Backspace");
      await page.getByRole("button", { name: "Save" }).click();
      await page.getByText("The organization is changed.").waitFor();
      const { data } = await walk.fromPage<{ data: { name: string; allowedIps: string[] }[] }>(
        ada,
        "GET",
        "/api/gw/organizations/list",
      );
      expect(data[0]).toMatchObject({ name: "Ada and sons", allowedIps: ["192.0.2.1", "192.0.2.2"] });
      await walk.fromPage(ada, "PUT", "/api/gw/organizations", { allowedIps: [] });
    },
    WALK_MS,
  );

  test(
    "a dialog in which something was typed or chosen stays for a click beside it and for Escape; its buttons close it",
    async () => {
      const { page } = ada;
      await ada.goTo("/ui/keys");
      const open = () => page.getByRole("button", { name: "New key" }).first().click();
      const dialog = page.getByRole("dialog", { name: "New key" });
      const name = dialog.getByLabel("Name");
      await open();
      await name.waitFor();
      await page.keyboard.press("Escape");
      await dialog.waitFor({ state: "detached" });

      await open();
      await name.fill("nightly job");
      await page.keyboard.press("Escape");
      await page.mouse.click(4, 4);
      await dialog.getByLabel("Budget").fill("5");
      expect(await name.inputValue()).toBe("nightly job");
      await dialog.getByRole("button", { name: "Cancel" }).click();
      await dialog.waitFor({ state: "detached" });
      // What was given up is gone, and so is its protection.
      await open();
      await name.waitFor();
      expect(await name.inputValue()).toBe("");
      await page.keyboard.press("Escape");
      await dialog.waitFor({ state: "detached" });

      await ada.goTo("/ui/members");
      await page.getByRole("button", { name: "Invite" }).click();
      const invite = page.getByRole("dialog", { name: "Invite somebody" });
      const role = invite.getByRole("combobox", { name: "Role" });
      await role.click();
      await page.getByRole("option", { name: /^Viewer/ }).click();
      await page.keyboard.press("Escape");
      await invite.getByLabel("E-mail").fill("bob@example.com");
      expect(await role.inputValue()).toMatch(/^Viewer/);
      await invite.getByRole("button", { name: "Close" }).click();
      await invite.waitFor({ state: "detached" });
    },
    WALK_MS,
  );

  test(
    "a field that is wrong is shown and reached, even where its part of the form was closed",
    async () => {
      const { page } = ada;
      await ada.goTo("/ui/keys");
      await page.getByRole("button", { name: "New key" }).first().click();
      const dialog = page.getByRole("dialog", { name: "New key" });
      const more = dialog.getByRole("button", { name: /^Rates, models/ });
      const interval = dialog.getByLabel("New value every");
      await dialog.getByLabel("Name").fill("nightly");
      await more.click();
      await interval.fill("soon");
      await more.click();
      await interval.waitFor({ state: "detached" });
      await dialog.getByRole("button", { name: "Create the key" }).click();
      await dialog.getByText("A number and a unit").waitFor();
      await isFocused(interval);
      await interval.fill("30d");
      await dialog.getByRole("combobox", { name: "The old value ends after" }).click();
      await page.getByRole("option", { name: "an hour" }).click();
      expect(await ada.axe()).toEqual([]);
      await page.setViewportSize(PHONE);
      const edges = await page.evaluate<number[]>(
        `[...document.querySelectorAll("[role=dialog], [role=dialog] button")].map((part) => part.getBoundingClientRect().right)`,
      );
      expect(Math.max(...edges)).toBe(edges[0] ?? 0);
      await dialog.getByRole("button", { name: "Create the key" }).click();
    },
    WALK_MS,
  );

  test(
    "a secret is seen whole on a phone, and goes by its buttons alone",
    async () => {
      const { page } = ada;
      const secret = page.getByTestId("secret");
      await secret.waitFor();
      const isCut = () =>
        page.evaluate<boolean>(
          `[document.querySelector("[data-testid=secret]")].some((code) => code.scrollWidth > code.clientWidth)`,
        );
      expect(await isCut()).toBe(false);
      await page.keyboard.press("Escape");
      // Closing would take a moment: what comes after it is waited for.
      await page.getByRole("tab", { name: "Python" }).click();
      await page.getByRole("tabpanel", { name: "Python" }).waitFor();
      expect(await secret.isVisible()).toBe(true);
      await page.getByRole("button", { name: "I have kept it" }).click();
      await secret.waitFor({ state: "detached" });
      const { data } = await walk.fromPage<{ data: object[] }>(ada, "GET", "/api/api-keys");
      expect(data[0]).toMatchObject({ rotationInterval: "30d", rotationGraceSeconds: 3600 });

      await ada.goTo("/ui/account");
      await page.getByRole("button", { name: "New token" }).click();
      const dialog = page.getByRole("dialog", { name: "New token" });
      await dialog.getByLabel("Name").fill("deploy");
      await dialog.getByRole("checkbox", { name: "audit:read" }).check();
      await dialog.getByRole("button", { name: "Create the token" }).click();
      await secret.waitFor();
      expect(await isCut()).toBe(false);
      expect(await ada.axe()).toEqual([]);
      await page.keyboard.press("Escape");
      await page.getByRole("button", { name: "I have kept it" }).click();
      await secret.waitFor({ state: "detached" });
      await page.setViewportSize({ width: 1280, height: 860 });
    },
    WALK_MS,
  );

  test(
    "a key's menu can be read and used by the keyboard, and its own limits are open when they are changed",
    async () => {
      const { page } = ada;
      await ada.goTo("/ui/keys");
      await page.getByRole("button", { name: "What to do with nightly" }).press("Enter");
      await page.getByRole("menuitem", { name: "Remove" }).waitFor();
      expect(await ada.axe()).toEqual([]);
      await isFocused(page.getByRole("menuitem", { name: "Change limits" }));
      await page.keyboard.press("Enter");
      const dialog = page.getByRole("dialog", { name: "Change nightly" });
      expect(await dialog.getByLabel("New value every").inputValue()).toBe("30d");
      await dialog.getByRole("button", { name: "Cancel" }).click();
    },
    WALK_MS,
  );

  test(
    "an app that asks wrongly is told what is wrong with which of its words",
    async () => {
      await ada.goTo("/auth?callback_url=http%3A%2F%2Fapp.example%2Fback&code_challenge=short");
      await ada.page.getByText("callback_url: It begins with").waitFor();
      expect(await ada.axe()).toEqual([]);
      await ada.screenshot("connect-wrong");
    },
    WALK_MS,
  );

  test(
    "a team's budget is set where it is seen; past it, a call says when it is over, in the viewer's time, and where to look",
    async () => {
      const { page } = ada;
      const { data } = await walk.fromPage<{ data: { id: string }[] }>(ada, "GET", "/api/gw/teams");
      await ada.goTo(`/ui/teams/${data[0]?.id}`);
      await page.getByRole("button", { name: "Set a budget" }).click();
      const dialog = page.getByRole("dialog", { name: "Change the team" });
      await dialog.getByLabel("Budget in USD").fill("0");
      await dialog.getByRole("button", { name: "Save" }).click();
      await page.getByRole("button", { name: "Change the budget" }).waitFor();
      await page.getByText("spent this month").waitFor();
      expect(await ada.axe()).toEqual([]);
      await ada.screenshot("team-budget");
      await ada.goTo("/ui/playground");
      await page.getByPlaceholder("Write to the model").fill("Hello");
      await page.keyboard.press("Enter");
      const alert = page.getByRole("alert").filter({ hasText: "This call failed" });
      await alert.getByText("budget is used up").waitFor();
      expect(await alert.innerText()).not.toMatch(/\dT\d\d:/);
      await ada.screenshot("over-budget");
      await alert.getByRole("link", { name: "Look at the budget" }).click();
      await page.getByRole("heading", { level: 1, name: "Teams" }).waitFor();

      // A call that was refused is a call all the same.
      await page.waitForFunction(
        `fetch("/api/gw/usage?startDate=2020-01-01").then((answer) => answer.json()).then(({ totals }) => totals.requests > 0)`,
      );
      await ada.goTo("/ui/usage");
      await page.getByText("The call of this time cost nothing.").waitFor();
      await ada.screenshot("usage-free");
    },
    WALK_MS,
  );

  test("nothing went wrong on the way", () => expect(ada.faults).toEqual([]));
});
