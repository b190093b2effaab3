import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { browserMissing } from "./chromium.ts";
import { type Visitor, Walk } from "./walk.ts";

const WALK_MS = 120_000;

describe.skipIf(browserMissing !== null)("an operator who sees the pages as a user, in a browser", () => {
  let walk: Walk;
  let operator: Visitor;
  let owner: Visitor;

  beforeAll(async () => {
    walk = await Walk.start("impersonation");
    operator = await walk.operator();
    owner = await walk.owner("grace@example.com", "Grace");
  }, WALK_MS);
  afterAll(() => walk?.close(), WALK_MS);

  const bannerOf = ({ page }: Visitor) => page.getByRole("region", { name: "Seen as somebody else" });
  const banner = () => bannerOf(operator);

  async function begin(visitor = operator): Promise<void> {
    const { page } = visitor;
    await visitor.goTo("/ui/operator/users?search=grace");
    await page.getByRole("button", { name: "What to do with Grace" }).click();
    await page.getByRole("menuitem", { name: "See as this user" }).click();
    const dialog = page.getByRole("dialog");
    await dialog.getByRole("button", { name: "See as this user" }).click();
    await dialog.getByText("Say why").waitFor();
    await dialog.getByRole("textbox", { name: "Reason" }).fill("ticket 4711");
    await dialog.getByRole("button", { name: "See as this user" }).click();
    await bannerOf(visitor).getByText("You are seeing this as Grace.").waitFor();
  }

  test(
    "every page says so until the operator stops, and is the operator's again then",
    async () => {
      const { page } = operator;
      await begin();
      expect(await operator.axe()).toEqual([]);
      await operator.screenshot("seen-as");
      for (const path of ["/ui/teams", "/ui/keys", "/ui/account", "/ui/models", "/ui/operator/users", "/ui/login"]) {
        await operator.goTo(path);
        await banner().waitFor();
      }
      await operator.goTo("/ui/operator/users");
      await page.getByRole("heading", { name: "This page is not for you" }).waitFor();

      await operator.goTo("/ui/teams");
      await page.getByRole("button", { name: "New team" }).first().click();
      const dialog = page.getByRole("dialog");
      await dialog.getByRole("textbox", { name: "Name" }).fill("Not to be");
      await dialog.getByRole("button", { name: /Create|Make/ }).click();
      await page.getByText("You see this as somebody else").waitFor();
      await dialog.getByRole("button", { name: "Cancel" }).click();

      await banner().getByRole("button", { name: "Stop" }).click();
      await page.getByRole("heading", { level: 1, name: "Users" }).waitFor();
      expect(await banner().count()).toBe(0);
      expect(operator.faults).toEqual([]);
    },
    WALK_MS,
  );

  test(
    "a browser whose time of day is wrong goes back when the server says, not before",
    async () => {
      const late = await walk.operator();
      const stops: string[] = [];
      late.page.on("request", (request) => {
        if (request.url().endsWith("/api/auth/impersonation/stop")) stops.push(request.url());
      });
      await late.page.clock.setFixedTime(Date.now() + 86_400_000);
      await begin(late);
      await late.goTo("/ui/teams");
      await late.page.getByRole("link", { name: "Default" }).waitFor();
      expect(stops).toEqual([]);
      await bannerOf(late).getByRole("button", { name: "Stop" }).click();
      await late.page.getByRole("heading", { level: 1, name: "Users" }).waitFor();

      // The server's last seconds are waited for, whatever the time of day is said to be.
      await begin(late);
      await late.page.route("**/api/auth/me", async (route) => {
        const answer = await route.fetch();
        const me = (await answer.json()) as { impersonation?: object };
        const impersonation = me.impersonation && { ...me.impersonation, expiresIn: 1 };
        await route.fulfill({ response: answer, json: { ...me, ...(impersonation ? { impersonation } : {}) } });
      });
      await late.goTo("/ui/teams");
      await late.page.getByRole("heading", { level: 1, name: "Users" }).waitFor();
      expect(stops).toHaveLength(2);
      await late.context.close();
    },
    WALK_MS,
  );

  test(
    "the user sees it among their sessions and ends it, and the operator is back at once",
    async () => {
      await begin();
      await owner.goTo("/ui/account");
      const sessions = owner.page.getByRole("region", { name: "Sessions" });
      await sessions.getByText("An administrator, as you").waitFor();
      expect(await owner.axe()).toEqual([]);
      await sessions.getByRole("button", { name: "End" }).first().click();
      await sessions.getByText("An administrator, as you").waitFor({ state: "detached" });
      await operator.page.reload();
      await operator.page.getByRole("heading", { level: 1, name: "Users" }).waitFor();
      expect(await banner().count()).toBe(0);
    },
    WALK_MS,
  );
});
