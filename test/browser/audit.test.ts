import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { browserMissing } from "./chromium.ts";
import { type Visitor, Walk } from "./walk.ts";

const WALK_MS = 120_000;
/** Takes all the room that a column can get. */
const LONG = "The key that the nightly evaluation of everything uses, until somebody finds a shorter name for it";

describe.skipIf(browserMissing !== null)("an organization's audit log, in a browser", () => {
  let walk: Walk;
  let owner: Visitor;
  let developer: Visitor;
  beforeAll(async () => {
    walk = await Walk.start("audit");
    owner = await walk.owner("ada@example.com", "Ada");
    developer = await walk.developer(owner, "dan@example.com", "Dan");
    const teams = await walk.fromPage<{ data: { id: string }[] }>(owner, "GET", "/api/gw/teams");
    const team = teams.data[0]?.id;
    await walk.fromPage(owner, "PATCH", `/api/gw/teams/${team}`, { budget: 25_000_000_000, budgetWindow: "month" });
    for (const name of ["ci", "nightly"])
      await walk.fromPage(owner, "POST", "/api/gw/api-keys", { name, teamId: team });
    await walk.fromPage(developer, "POST", "/api/gw/api-keys", { name: "mine", teamId: team });
  }, WALK_MS);
  afterAll(async () => walk?.close(), WALK_MS);
  const rowOf = (text: RegExp) => owner.page.getByRole("row", { name: text });

  test(
    "an owner reads who changed what, the latest first, and what a change has changed from what to what",
    async () => {
      const { page } = owner;
      await page.getByRole("link", { name: "Audit log", exact: true }).click();
      await page.getByRole("heading", { level: 1, name: "Audit log" }).waitFor();
      const first = page.getByRole("table", { name: "Audit log" }).locator("tbody tr").first();
      await first.getByRole("cell", { name: "made a key" }).waitFor();
      await first.getByRole("cell", { name: "mine" }).waitFor();
      await first.getByRole("cell", { name: "Dan" }).waitFor();
      // Nobody is signed in while they sign up; who it was is known all the same.
      await rowOf(/Dan accepted an invitation dan@example.com/).waitFor();
      await rowOf(/Ada signed up Ada/).waitFor();
      expect(await owner.axe()).toEqual([]);
      await owner.screenshot("list");

      await rowOf(/changed a team/).focus();
      await page.keyboard.press("Enter");
      const drawer = page.getByRole("dialog");
      await drawer.getByRole("heading", { name: /^Ada changed a team/ }).waitFor();
      await drawer.getByRole("row", { name: "Budget none $25.00" }).waitFor();
      await drawer.getByRole("row", { name: "Budget window none month" }).waitFor();
      expect(await owner.axe()).toEqual([]);
      await owner.screenshot("entry");
      // A reload keeps it, and "back" closes it: on a phone it covers the list.
      await page.reload();
      await drawer.getByRole("heading", { name: /^Ada changed a team/ }).waitFor();
      await page.goBack();
      await drawer.waitFor({ state: "detached" });
      await page.getByRole("heading", { level: 1, name: "Audit log" }).waitFor();
      await rowOf(/changed a team/).click();
      await drawer.getByRole("button", { name: "All changes to it" }).click();
      await drawer.waitFor({ state: "detached" });
      await rowOf(/made a key/)
        .first()
        .waitFor({ state: "detached" });
      await rowOf(/changed a team/).waitFor();
      await page.getByRole("button", { name: "Show all" }).click();
      await rowOf(/made a key/)
        .first()
        .waitFor();
    },
    WALK_MS,
  );

  test(
    "it is looked through by who, kind, what and when, and exported as it is shown",
    async () => {
      const { page } = owner;
      await owner.goTo("/ui/audit");
      const choose = async (label: string, choice: string | RegExp) => {
        await page.getByRole("combobox", { name: label, exact: true }).click();
        await page.getByRole("option", { name: choice }).click();
      };
      await choose("Kind", "Keys");
      await rowOf(/changed a team/).waitFor({ state: "detached" });
      await rowOf(/nightly/).waitFor();
      await choose("Who", /^Dan/);
      await rowOf(/nightly/).waitFor({ state: "detached" });
      await rowOf(/mine/).waitFor();
      await page.getByRole("button", { name: "Export" }).click();
      const download = page.waitForEvent("download");
      await page.getByRole("menuitem", { name: "CSV" }).click();
      const lines = readFileSync(await (await download).path(), "utf8")
        .trim()
        .split("\r\n");
      expect(lines).toHaveLength(2);
      expect(lines[1]).toContain("api_key.create");

      await choose("What", "rotated a key");
      await page.getByRole("heading", { name: "Nothing fits" }).waitFor();
      expect(await owner.axe()).toEqual([]);
      await owner.screenshot("nothing");
      await page.getByRole("button", { name: "Show all" }).last().click();
      await rowOf(/changed a team/).waitFor();
      // Days are those of the viewer: today, whatever day it is in UTC.
      const today = await page.evaluate<string>(
        "new Date(Date.now() - new Date().getTimezoneOffset() * 6e4).toISOString().slice(0, 10)",
      );
      await page.getByLabel("From").fill(today);
      await page.getByLabel("To", { exact: true }).fill(today);
      await page.waitForURL((address) => address.searchParams.get("to") === today);
      await rowOf(/changed a team/).waitFor();
      await page.getByLabel("To", { exact: true }).fill("2020-01-01");
      await page.getByRole("heading", { name: "Nothing fits" }).waitFor();
    },
    WALK_MS,
  );

  test(
    "a day and an id are typed as slowly as one likes",
    async () => {
      const { page } = owner;
      await owner.goTo("/ui/audit");
      const from = page.getByLabel("From");
      // The same whether the browser asks for the day or for the month first.
      await from.focus();
      for (const digit of "02022020") {
        await page.keyboard.press(digit);
        await page.waitForTimeout(350);
      }
      expect(await from.inputValue()).toBe("2020-02-02");
      await page.waitForURL((address) => address.searchParams.get("from") === "2020-02-02");
      await page.getByRole("button", { name: "Show all" }).click();
      await page.waitForURL((address) => !address.searchParams.has("from"));
      expect(await from.inputValue()).toBe("");
      const id = page.getByRole("searchbox");
      for (const letter of ["a", "Space", "b"]) {
        await id.press(letter);
        await page.waitForTimeout(350);
      }
      expect(await id.inputValue()).toBe("a b");
    },
    WALK_MS,
  );

  test(
    "nobody is said to have left while the members cannot be read",
    async () => {
      const { page } = owner;
      await page.route("**/members?**", (route) => route.fulfill({ status: 400, json: { error: "not now" } }));
      await owner.goTo("/ui/audit");
      await rowOf(/Person \d+ signed up/)
        .first()
        .waitFor();
      expect(await page.getByText("no member").count()).toBe(0);
      await page.unroute("**/members?**");
      await owner.goTo("/ui/audit");
      await rowOf(/Ada signed up Ada/).waitFor();
    },
    WALK_MS,
  );

  test(
    "it has pages",
    async () => {
      const { page } = owner;
      const teams = await walk.fromPage<{ data: { id: string }[] }>(owner, "GET", "/api/gw/teams");
      for (let number = 0; number < 21; number++) {
        await walk.fromPage(owner, "POST", "/api/gw/api-keys", { name: `k${number}`, teamId: teams.data[0]?.id });
      }
      await owner.goTo("/ui/audit?kind=api_key");
      await rowOf(/k20/).waitFor();
      await page.getByRole("button", { name: "Page 2" }).click();
      await rowOf(/nightly/).waitFor();
      await owner.screenshot("second-page");
    },
    WALK_MS,
  );

  test(
    "names of people are not broken inside a word",
    async () => {
      const { page } = owner;
      const boss = await walk.developer(owner, "boss@example.com", "Administrator");
      const teams = await walk.fromPage<{ data: { id: string }[] }>(boss, "GET", "/api/gw/teams");
      await walk.fromPage(boss, "POST", "/api/gw/api-keys", { name: LONG, teamId: teams.data[0]?.id });
      await owner.goTo("/ui/audit");
      await rowOf(/Administrator made a key/).waitFor();
      await owner.untilAtRest();
      expect((await owner.brokenWords()).filter((word) => /^(Who|What): /.test(word))).toEqual([]);
      expect(await owner.brokenWords()).not.toContain("To: Administrator");
      // The other sizes are those of `screenshot`, which also looks at what is cut off.
      await owner.screenshot("long-name");
      for (const width of [768, 992, 1280]) {
        await page.setViewportSize({ width, height: 860 });
        expect((await owner.brokenWords()).filter((word) => word.endsWith("Administrator"))).toEqual([]);
      }
    },
    WALK_MS,
  );

  test(
    "who may not read it does not see it, and is told so at its address",
    async () => {
      const { page } = developer;
      await developer.goTo("/ui/audit");
      await page.getByRole("heading", { name: "This page is not for you" }).waitFor();
      expect(await page.getByRole("link", { name: "Audit log" }).count()).toBe(0);
      await developer.screenshot("forbidden");
      expect([...owner.faults, ...developer.faults]).toEqual([]);
    },
    WALK_MS,
  );
});
