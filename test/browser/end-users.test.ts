import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { browserMissing } from "./chromium.ts";
import { Walk } from "./walk.ts";

const WALK_MS = 120_000;

describe.skipIf(browserMissing !== null)("end users, in a browser", () => {
  let walk: Walk;
  beforeAll(async () => {
    walk = await Walk.start("end-users");
  }, WALK_MS);
  afterAll(() => walk?.close(), WALK_MS);

  test(
    "an owner limits one, changes it, blocks it, finds it and lets go of it",
    async () => {
      const owner = await walk.owner("ada@example.com", "Ada");
      const { page } = owner;
      await page.getByRole("link", { name: "End users", exact: true }).click();
      await page.getByRole("heading", { name: "Nobody is limited" }).waitFor();
      await owner.screenshot("empty");
      await page.getByRole("button", { name: "Limit an end user" }).first().click();
      const dialog = page.getByRole("dialog");
      const name = "customer 7/1 <b>";
      await dialog.getByRole("textbox", { name: "Name" }).fill(name);
      await dialog.getByRole("textbox", { name: "Shown as" }).fill("Grace");
      await dialog.getByRole("textbox", { name: "Budget in USD" }).fill("five");
      await dialog.getByRole("button", { name: "Save" }).click();
      await dialog.getByText("An amount in USD").waitFor();
      await dialog.getByRole("textbox", { name: "Budget in USD" }).fill("5");
      expect(await owner.axe()).toEqual([]);
      await owner.screenshot("new");
      await dialog.getByRole("button", { name: "Save" }).click();
      await page.getByText("$5.00 a month").waitFor();

      const act = async (what: string) => {
        await page.getByRole("button", { name: `Actions for ${name}` }).click();
        await page.getByRole("menuitem", { name: what, exact: true }).click();
      };
      await act("Change");
      await dialog.getByRole("textbox", { name: "Requests a minute" }).fill("60");
      await dialog.getByRole("button", { name: "Save" }).click();
      await page.getByText("60 requests/min").waitFor();
      await act("Block");
      await page.getByText("blocked", { exact: true }).waitFor();
      expect(await owner.axe()).toEqual([]);
      await owner.screenshot("list");
      const path = `/api/end-users/${encodeURIComponent(name)}`;
      expect(await walk.fromPage(owner, "PATCH", path, {})).toMatchObject({
        id: name,
        alias: "Grace",
        blocked: true,
        budget: { limit: 5_000_000_000, window: "month" },
        rpmLimit: 60,
      });
      await page.getByRole("searchbox", { name: "Search end users" }).fill("nobody");
      await page.getByRole("heading", { name: "No end user like that" }).waitFor();
      await page.getByRole("searchbox", { name: "Search end users" }).fill("GRACE");
      await act("Remove");
      await dialog.getByRole("button", { name: "Remove" }).click();
      await page.getByRole("heading", { name: "No end user like that" }).waitFor();
      await page.getByRole("searchbox", { name: "Search end users" }).fill("");
      await page.getByRole("heading", { name: "Nobody is limited" }).waitFor();
      expect(owner.faults).toEqual([]);
    },
    WALK_MS,
  );
});
