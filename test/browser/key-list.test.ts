import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { browserMissing } from "./chromium.ts";
import { type Visitor, Walk } from "./walk.ts";

const WALK_MS = 120_000;
/** As long as a name may be without a blank. */
const LONG = "Abcdefghijklmnopqrstuvwxyz0123456789".repeat(3).slice(0, 80);

describe.skipIf(browserMissing !== null)("the list of keys, in a browser", () => {
  let walk: Walk;
  let ada: Visitor;
  let team = "";
  beforeAll(async () => {
    walk = await Walk.start("key-list");
    ada = await walk.owner("ada@example.com", "Ada");
    const teams = await walk.fromPage<{ data: { id: string }[] }>(ada, "GET", "/api/gw/teams");
    team = teams.data[0]?.id ?? "";
    await make(ada, "made by Ada", team);
    await ada.goTo("/ui/keys");
  }, WALK_MS);
  afterAll(() => walk?.close(), WALK_MS);

  const make = (visitor: Visitor, name: string, teamId: string) =>
    walk.fromPage(visitor, "POST", "/api/gw/api-keys", { name, teamId });
  const menuOf = ({ page }: Visitor, name: string) => page.getByRole("button", { name: `What to do with ${name}` });
  /** Waits until the focus is at what has this name. */
  const focusAt = (name: string) => ada.page.waitForFunction(hasFocus, name);

  test(
    "a button that is clicked twice rotates a key once",
    async () => {
      const { page } = ada;
      let rotations = 0;
      page.on("request", (request) => {
        if (request.url().endsWith("/rotate")) rotations++;
      });
      await menuOf(ada, "made by Ada").click();
      await page.getByRole("menuitem", { name: "Rotate" }).click();
      await page.getByRole("dialog").getByRole("button", { name: "Rotate" }).evaluate(clickTwice);
      await page.getByRole("dialog", { name: "Your key" }).waitFor();
      await page.waitForLoadState("networkidle");
      expect(rotations).toBe(1);
    },
    WALK_MS,
  );

  test(
    "the value of a key has the focus at its copy, and dialogs give it back, also those of a menu",
    async () => {
      const { page } = ada;
      await page.reload();
      await page.getByRole("button", { name: "New key" }).press("Enter");
      await page.getByRole("dialog").getByLabel("Name").fill("by keyboard");
      await page.keyboard.press("Enter");
      await focusAt("Copy the key");
      await page.getByRole("button", { name: "I have kept it" }).press("Enter");
      await focusAt("New key");
      await menuOf(ada, "by keyboard").press("Enter");
      await page.getByRole("menuitem", { name: "Remove" }).press("Enter");
      await focusAt("Cancel");
      await page.keyboard.press("Escape");
      await focusAt("What to do with by keyboard");
    },
    WALK_MS,
  );

  test(
    "dialogs that are opened before the teams are there begin with one, as they do later",
    async () => {
      const { page } = ada;
      for (const [path, button, title] of [
        ["/ui/keys", "New key", "New key"],
        ["/ui/members", "Invite", "Invite somebody"],
      ] as const) {
        const fetched = Promise.withResolvers<void>();
        await page.route("**/api/gw/teams?*", async (route) => {
          await fetched.promise;
          await route.continue();
        });
        await ada.goTo(path);
        await page.getByRole("button", { name: button }).first().click();
        const dialog = page.getByRole("dialog", { name: title });
        await dialog.waitFor();
        fetched.resolve();
        await dialog.getByRole("combobox", { name: "Team" }).waitFor();
        expect(await dialog.getByRole("combobox", { name: "Team" }).inputValue()).toBe("Default");
        await page.unroute("**/api/gw/teams?*");
      }
      await ada.goTo("/ui/keys");
    },
    WALK_MS,
  );

  test(
    "a heading sorts the table up, down and as it was, and the address keeps it",
    async () => {
      const { page } = ada;
      await make(ada, "Zeta", team);
      await make(ada, "alpha", team);
      await ada.goTo("/ui/keys");
      const first = () => page.getByRole("table", { name: "Keys" }).getByRole("row").nth(1);
      const heading = page.getByRole("columnheader", { name: "Key", exact: true });
      const sortedAs = (order: string) => page.locator(`th[aria-sort="${order}"]`, { hasText: /^Key/ }).waitFor();
      await first().filter({ hasText: "alpha" }).waitFor();
      await heading.getByRole("button").click();
      await page.waitForURL(/sort=name/);
      await sortedAs("ascending");
      await heading.getByRole("button").click();
      await first().filter({ hasText: "Zeta" }).waitFor();
      await page.reload();
      await sortedAs("descending");
      await first().filter({ hasText: "Zeta" }).waitFor();
      await heading.getByRole("button").click();
      await sortedAs("none");
      await first().filter({ hasText: "alpha" }).waitFor();
      expect(new URL(page.url()).search).toBe("");
    },
    WALK_MS,
  );

  test(
    "the page says whose keys it shows, on a phone too, and the address comes before the choice in the corner",
    async () => {
      const { page } = ada;
      const other = await walk.fromPage<{ id: string }>(ada, "POST", "/api/gw/teams", { name: "Night shift" });
      await make(ada, "of the night", other.id);
      await page.reload();
      await page.getByRole("button", { name: /Change the organization or the team/ }).click();
      await page.getByRole("menuitem", { name: "Night shift" }).click();
      await page.setViewportSize({ width: 390, height: 844 });
      await page.getByText("Keys of the team Night shift.").waitFor();
      const shown = page.getByRole("combobox", { name: "Team" });
      const rows = page.getByRole("table", { name: "Keys" }).getByRole("row");
      expect(await shown.inputValue()).toBe("Night shift");
      await shown.click();
      await page.getByRole("option", { name: "All teams" }).click();
      await rows.filter({ hasText: "alpha" }).waitFor();
      expect(await rows.filter({ hasText: "alpha" }).innerText()).toContain("Default");
      expect(await rows.filter({ hasText: "of the night" }).innerText()).toContain("Night shift");
      expect(await ada.axe()).toEqual([]);
      await ada.goTo(`/ui/keys?team=${team}`);
      await rows.filter({ hasText: "alpha" }).waitFor();
      expect(await shown.inputValue()).toBe("Default");
      expect(await rows.filter({ hasText: "of the night" }).count()).toBe(0);
      await page.getByRole("button", { name: "New key" }).click();
      const dialog = page.getByRole("dialog", { name: "New key" });
      expect(await dialog.getByRole("combobox", { name: "Team" }).inputValue()).toBe("Default");
      await page.keyboard.press("Escape");
      // A link to a team that is gone says so, and the way out stands above.
      await ada.goTo(`/ui/keys?team=${crypto.randomUUID()}`);
      await page.getByText("There is no such team.").waitFor();
      await shown.click();
      await page.getByRole("option", { name: "All teams" }).click();
      await rows.filter({ hasText: "of the night" }).waitFor();
      await page.setViewportSize({ width: 1280, height: 860 });
      await page.getByRole("button", { name: /Change the organization or the team/ }).click();
      await page.getByRole("menuitem", { name: "All teams" }).click();
      await ada.goTo("/ui/keys");
    },
    WALK_MS,
  );

  test(
    "the search field says what is searched for, also after a link has cleared it",
    async () => {
      const { page } = ada;
      await page.getByLabel("Search").fill("nothing like it");
      await page.getByRole("heading", { name: "No such key" }).waitFor();
      await page.getByRole("link", { name: "Keys", exact: true }).click();
      await page.getByRole("row").filter({ hasText: "by keyboard" }).waitFor();
      expect(await page.getByLabel("Search").inputValue()).toBe("");
    },
    WALK_MS,
  );

  test(
    "a member is offered what the server lets them do: their own keys, and all of a team that they run",
    async () => {
      const bob = await walk.developer(ada, "bob@example.com", "Bob");
      await make(bob, "made by Bob", team);
      await bob.goTo("/ui/keys");
      await menuOf(bob, "made by Bob").waitFor();
      await bob.page.waitForLoadState("networkidle");
      expect(await menuOf(bob, "made by Ada").count()).toBe(0);
      await bob.page.getByText("made by Ada").click();
      expect(await bob.page.getByRole("dialog").count()).toBe(0);
      const { user } = await walk.fromPage<{ user: { id: number } }>(bob, "GET", "/api/auth/me");
      await walk.fromPage(ada, "PATCH", `/api/gw/teams/${team}/members/${user.id}`, { role: "admin" });
      await bob.page.reload();
      await menuOf(bob, "made by Ada").waitFor();
      expect(bob.faults).toEqual([]);
    },
    WALK_MS,
  );

  test(
    "a long name of a team breaks no other word of the table",
    async () => {
      const { id } = await walk.fromPage<{ id: string }>(ada, "POST", "/api/gw/teams", { name: LONG });
      await make(ada, "in a long team", id);
      for (const width of [1440, 768]) {
        await ada.page.setViewportSize({ width, height: 900 });
        await ada.goTo("/ui/keys");
        await ada.page.getByRole("row").filter({ hasText: LONG }).waitFor();
        expect((await ada.brokenWords()).filter((word) => !word.endsWith(LONG))).toEqual([]);
      }
      await ada.screenshot("long-team");
      expect(ada.faults).toEqual([]);
    },
    WALK_MS,
  );
});

/** Runs in the browser: the second click comes before any timer, as it does where the machine is busy. */
async function clickTwice(button: unknown): Promise<void> {
  const click = (): void => (button as { click(): void }).click();
  click();
  for (let left = 50; left > 0; left--) await Promise.resolve();
  click();
}

/** Runs in the browser. */
function hasFocus(name: string): boolean {
  const { document } = globalThis as unknown as {
    document: { activeElement: { ariaLabel: string | null; innerText: string } };
  };
  const { ariaLabel, innerText } = document.activeElement;
  return (ariaLabel ?? innerText).trim() === name;
}
