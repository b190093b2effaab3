import { afterAll, afterEach, beforeAll, describe, expect, test } from "bun:test";
import { browserMissing } from "./chromium.ts";
import { PASSWORD, type Visitor, Walk } from "./walk.ts";

const WALK_MS = 120_000;
/** How often a page asks before it says that it was in vain. */
const TRIES = 3;

/** What comes between somebody and their work: a server that is away, a session that ends, an address without encryption. */
describe.skipIf(browserMissing !== null)("interruptions, in a browser", () => {
  let walk: Walk;
  let ada: Visitor;
  beforeAll(async () => {
    walk = await Walk.start("interruptions");
    ada = await walk.owner("ada@example.com", "Ada");
    await walk.fromPage(ada, "POST", "/api/training/participants", { name: "north", url: "https://example.com" });
    await ada.page.clock.install();
  }, WALK_MS);
  afterEach(() => comeBack());
  afterAll(() => walk?.close(), WALK_MS);

  /** How often each path was asked for in vain. */
  const refused = new Map<string, number>();
  const goAway = () => {
    refused.clear();
    return ada.page.route("**/api/**", (route) => {
      const { pathname } = new URL(route.request().url());
      refused.set(pathname, (refused.get(pathname) ?? 0) + 1);
      return route.fulfill({ status: 503, body: "" });
    });
  };
  const comeBack = () => ada.page.unroute("**/api/**");
  /** Lets the page's own clock run until it has come to what is waited for. */
  const pass = async (until: () => Promise<boolean>): Promise<void> => {
    for (let left = 200; left > 0; left--) {
      if (await until()) return;
      await ada.page.clock.runFor(1000);
      await Bun.sleep(20);
    }
    throw new Error("it never came to that");
  };
  /** The page asks again for what it shows, in vain, and says so. */
  const askAnewWhileAway = async () => {
    const { page } = ada;
    await goAway();
    await page.clock.fastForward(120_000);
    await page.evaluate("window.dispatchEvent(new Event('visibilitychange'))");
    const notice = page.getByText("The server does not answer", { exact: true });
    await pass(() => notice.isVisible());
    return notice;
  };
  const beginKey = async (name: string) => {
    await ada.goTo("/ui/keys");
    await ada.page.getByRole("button", { name: "New key" }).first().click();
    const dialog = ada.page.getByRole("dialog", { name: "New key" });
    await dialog.getByLabel("Name").fill(name);
    await dialog.getByLabel("Budget").fill("12.5");
    return dialog;
  };

  test(
    "a server that is away takes neither the page nor what was typed, and the page goes on by itself",
    async () => {
      const { page } = ada;
      const dialog = await beginKey("typed before the outage");
      const notice = await askAnewWhileAway();
      expect(await notice.count()).toBe(1);
      expect(await dialog.getByLabel("Name").inputValue()).toBe("typed before the outage");
      await ada.screenshot("away");
      await comeBack();
      await pass(async () => !(await notice.isVisible()));
      await dialog.getByRole("button", { name: "Create the key" }).click();
      await page.getByRole("dialog", { name: "Your key" }).waitFor();
    },
    WALK_MS,
  );

  test(
    "a machine without a network says so at once, and sends nothing by itself when it has one again",
    async () => {
      const { page } = ada;
      const dialog = await beginKey("typed without a network");
      await ada.context.setOffline(true);
      await dialog.getByRole("button", { name: "Create the key" }).click();
      await dialog.getByText("The server could not be reached").waitFor();
      await ada.context.setOffline(false);
      expect(await dialog.getByLabel("Name").inputValue()).toBe("typed without a network");
      await dialog.getByRole("button", { name: "Create the key" }).click();
      await page.getByRole("dialog", { name: "Your key" }).waitFor();
      ada.faults.splice(0, ada.faults.length, ...ada.faults.filter((fault) => !fault.includes("ERR_INTERNET")));
    },
    WALK_MS,
  );

  test(
    "a form that comes late takes the first letter all the same",
    async () => {
      const { page } = ada;
      const held = Promise.withResolvers<void>();
      await page.route("**/api/gw/teams?**", async (route) => {
        await held.promise;
        await route.continue();
      });
      await ada.goTo("/ui/keys");
      await page.getByRole("button", { name: "New key" }).first().click();
      const dialog = page.getByRole("dialog", { name: "New key" });
      await dialog.getByRole("button", { name: "Close" }).waitFor();
      held.resolve();
      await dialog.getByLabel("Name").waitFor();
      await page.keyboard.type("a b");
      expect(await dialog.getByLabel("Name").inputValue()).toBe("a b");
      await page.unroute("**/api/gw/teams?**");
    },
    WALK_MS,
  );

  // Pages of one thing and cards with a form, which ask anew by themselves: what they knew and what was typed stays.
  test.each([
    ["a team's dialog", "/ui/teams/TEAM", "/api/gw/teams/TEAM", "Change", "Name"],
    ["a new run", "/ui/training/new", "/api/training/participants", null, "Name"],
    ["the alerts", "/ui/billing?tab=settings", "/api/billing/alerts", null, "When the balance falls below, in USD"],
  ] as const)(
    "%s keeps what was typed while the server is away",
    async (_, path, asks, button, field) => {
      const { page } = ada;
      const { data } = await walk.fromPage<{ data: { id: string }[] }>(ada, "GET", "/api/gw/teams");
      const team = data[0]?.id ?? "";
      await ada.goTo(path.replace("TEAM", team));
      if (button !== null) await page.getByRole("button", { name: button, exact: true }).first().click();
      const input = page.locator("input").and(page.getByLabel(new RegExp(`^${field}( \\*)?$`)));
      await input.fill("12.5");
      await askAnewWhileAway();
      // Three times in a row, and then once more after a while: by then the page has been told.
      await pass(async () => (refused.get(asks.replace("TEAM", team)) ?? 0) > TRIES);
      expect(await input.count()).toBe(1);
      expect(await input.inputValue()).toBe("12.5");
    },
    WALK_MS,
  );

  test(
    "a page that is opened while the server is away shows itself once it is back",
    async () => {
      const { page } = ada;
      await goAway();
      await ada.goTo("/ui/keys");
      await pass(() => page.getByText("The server is starting or shutting down").isVisible());
      await page.getByRole("button", { name: "Try again" }).waitFor();
      await comeBack();
      await pass(() => page.getByRole("table", { name: "Keys" }).getByText("typed before the outage").isVisible());
    },
    WALK_MS,
  );

  test(
    "who is logged out at work logs in again above the page, and nothing that was typed is lost",
    async () => {
      const { page } = ada;
      const dialog = await beginKey("typed before the session ended");
      await ada.context.clearCookies();
      await dialog.getByRole("button", { name: "Create the key" }).click();
      const again = page.getByRole("dialog", { name: "Log in again" });
      await again.waitFor();
      expect(await again.getByLabel("E-mail").inputValue()).toBe("ada@example.com");
      expect(await ada.axe()).toEqual([]);
      await ada.screenshot("log-in-again");
      await again.getByRole("textbox", { name: "Password" }).fill("wrong as can be");
      await page.keyboard.press("Escape");
      await again.getByRole("button", { name: "Log in", exact: true }).click();
      await again.getByRole("alert").waitFor();
      await again.getByRole("textbox", { name: "Password" }).fill(PASSWORD);
      await again.getByRole("button", { name: "Log in", exact: true }).click();
      await again.waitFor({ state: "detached" });
      expect(await dialog.getByLabel("Name").inputValue()).toBe("typed before the session ended");
      expect(await dialog.getByLabel("Budget").inputValue()).toBe("12.5");
      await dialog.getByRole("button", { name: "Create the key" }).click();
      await page.getByRole("dialog", { name: "Your key" }).waitFor();
    },
    WALK_MS,
  );

  test(
    "somebody else who logs in there sees nothing of the page",
    async () => {
      const { page } = ada;
      await walk.signUp("eve@example.com", "Eve");
      await beginKey("not for Eve");
      await ada.context.clearCookies();
      await page.getByRole("button", { name: "Create the key" }).click();
      const again = page.getByRole("dialog", { name: "Log in again" });
      await again.getByLabel("E-mail").fill("eve@example.com");
      await again.getByRole("textbox", { name: "Password" }).fill(PASSWORD);
      await again.getByRole("button", { name: "Log in", exact: true }).click();
      await page.getByRole("heading", { level: 1, name: "Overview" }).waitFor();
      await page.getByText("Eve's company").first().waitFor();
      expect(await page.getByRole("dialog").count()).toBe(0);
    },
    WALK_MS,
  );

  test(
    "an address without encryption says that no session is kept there",
    async () => {
      const { page } = await walk.visitor();
      const words = page.getByText("This address is not encrypted");
      await page.goto(`${walk.turnpike.url}/ui/login`);
      await page.getByRole("heading", { name: "Log in" }).waitFor();
      expect(await words.count()).toBe(0);
      // For the system the same machine, for the browser an address like any other.
      await page.goto(`http://0.0.0.0:${new URL(walk.turnpike.url).port}/ui/login`);
      await words.waitFor();
    },
    WALK_MS,
  );
});
