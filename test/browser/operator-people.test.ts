import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { browserMissing } from "./chromium.ts";
import { type Visitor, Walk } from "./walk.ts";

const WALK_MS = 120_000;

describe.skipIf(browserMissing !== null)("an operator and the people, in a browser", () => {
  let walk: Walk;
  let operator: Visitor;
  let owner: Visitor;
  let secret: string;

  beforeAll(async () => {
    walk = await Walk.start("operator-people");
    operator = await walk.operator();
    owner = await walk.owner("grace@example.com", "Grace");
    const { data } = await walk.fromPage<{ data: { id: string }[] }>(owner, "GET", "/api/gw/teams");
    const body = { name: "nightly job", team_id: data[0]?.id };
    secret = (await walk.fromPage<{ key: string }>(owner, "POST", "/api/gw/api-keys", body)).key;
  }, WALK_MS);
  afterAll(() => walk?.close(), WALK_MS);

  const ask = async (): Promise<number> => {
    const answer = await fetch(`${walk.turnpike.url}/v1/chat/completions`, {
      method: "POST",
      headers: { authorization: `Bearer ${secret}`, "content-type": "application/json" },
      body: JSON.stringify({ model: "echo", messages: [{ role: "user", content: "hi" }] }),
    });
    await answer.text();
    return answer.status;
  };

  test(
    "who does not run the installation is shown none of it",
    async () => {
      await owner.goTo("/ui/operator/keys");
      await owner.page.getByRole("heading", { name: "This page is not for you" }).waitFor();
      expect(await owner.page.getByRole("link", { name: "All keys" }).count()).toBe(0);
      expect(await owner.page.content()).not.toContain("nightly job");
    },
    WALK_MS,
  );

  test(
    "an organization without credit is given some, limited, blocked and let go",
    async () => {
      const { page } = operator;
      expect(await ask()).toBe(429);
      await operator.goTo("/ui/operator/organizations");
      await page.getByRole("cell", { name: /^Grace's company/ }).waitFor();
      expect(await operator.axe()).toEqual([]);
      await operator.screenshot("organizations");
      await page.getByRole("searchbox", { name: "Search organizations" }).fill("grace");
      await page.getByRole("cell", { name: /^Demo/ }).waitFor({ state: "detached" });
      await page.getByRole("cell", { name: /^Grace's company/ }).click();
      await page.getByRole("button", { name: "Give credit" }).click();
      const dialog = page.getByRole("dialog");
      await dialog.getByRole("textbox", { name: "Amount" }).fill("12.5");
      await dialog.getByRole("button", { name: "Give" }).click();
      await dialog.getByText("Say why").waitFor();
      await dialog.getByRole("textbox", { name: "Reason" }).fill("a welcome");
      await dialog.getByRole("button", { name: "Give" }).click();
      await page.getByText("$12.50 given").waitFor();
      expect(await ask()).toBe(200);

      await page.getByRole("button", { name: "Change the limits" }).click();
      await dialog.getByRole("textbox", { name: "Budget" }).fill("a lot");
      await dialog.getByRole("button", { name: "Save" }).click();
      await dialog.getByText("An amount in USD").waitFor();
      await dialog.getByRole("textbox", { name: "Budget" }).fill("100");
      await dialog.getByRole("textbox", { name: "Requests a minute" }).fill("600");
      await operator.screenshot("limits");
      await dialog.getByRole("button", { name: "Save" }).click();
      await page.getByText("$100.00 a month, 600 requests a minute").waitFor();

      await page.getByText("0 of 1,024 MiB").waitFor();
      await page.getByRole("button", { name: "Storage quota" }).click();
      await dialog.getByRole("textbox", { name: "Quota in MiB" }).fill("2048");
      await dialog.getByRole("button", { name: "Save" }).click();
      await page.getByText("0 of 2,048 MiB").waitFor();

      await page.getByRole("button", { name: "Block", exact: true }).click();
      await dialog.getByRole("button", { name: "Block", exact: true }).click();
      await page.getByRole("button", { name: "Unblock" }).waitFor();
      expect(await ask()).toBe(403);
      expect(await operator.axe()).toEqual([]);
      await operator.screenshot("organization");
      await page.getByRole("button", { name: "Unblock" }).click();
      await dialog.getByRole("button", { name: "Unblock" }).click();
      await page.getByRole("button", { name: "Block", exact: true }).waitFor();
      expect(await ask()).toBe(200);
    },
    WALK_MS,
  );

  test(
    "a team is blocked and let go, a key is limited and switched off",
    async () => {
      const { page } = operator;
      await page.locator("#page").getByRole("link", { name: "Teams", exact: true }).click();
      await page.getByRole("heading", { level: 1, name: "All teams" }).waitFor();
      await page.getByRole("button", { name: "What to do with Default" }).click();
      await page.getByRole("menuitem", { name: "Block", exact: true }).click();
      const dialog = page.getByRole("dialog");
      await dialog.getByRole("button", { name: "Block", exact: true }).click();
      await page.getByText("by an operator").waitFor();
      expect(await ask()).toBe(403);
      expect(await operator.axe()).toEqual([]);
      await operator.screenshot("teams");
      await page.getByRole("button", { name: "What to do with Default" }).click();
      await page.getByRole("menuitem", { name: "Unblock" }).click();
      await dialog.getByRole("button", { name: "Unblock" }).click();
      await page.getByText("by an operator").waitFor({ state: "detached" });

      await operator.goTo("/ui/operator/keys");
      await page.getByRole("cell", { name: /^nightly job/ }).waitFor();
      expect(await operator.axe()).toEqual([]);
      // On a phone, too, a key says whose it is.
      await page.setViewportSize({ width: 390, height: 844 });
      expect(await page.getByRole("row").filter({ hasText: "nightly job" }).innerText()).toContain("Grace's company");
      await page.setViewportSize({ width: 1280, height: 860 });
      await page.getByRole("button", { name: "What to do with nightly job" }).click();
      await page.getByRole("menuitem", { name: "Change the limits" }).click();
      await dialog.getByRole("textbox", { name: "Budget" }).fill("0.5");
      await dialog.getByRole("button", { name: "Save" }).click();
      await page.getByText("$0.50 a month").waitFor();
      await page.getByRole("button", { name: "What to do with nightly job" }).click();
      await page.getByRole("menuitem", { name: "Change the limits" }).click();
      await dialog.getByLabel("Models it may call").first().fill("echo-embedding");
      await dialog.getByLabel("Models it may call").first().press("Enter");
      await dialog.getByRole("button", { name: "Save" }).click();
      await dialog.waitFor({ state: "detached" });
      expect(await ask()).toBe(403);
      await operator.screenshot("keys");
      await page.getByRole("button", { name: "What to do with nightly job" }).click();
      await page.getByRole("menuitem", { name: "Switch it off" }).click();
      await page.getByText("disabled", { exact: true }).waitFor();
      expect(await ask()).toBe(401);
    },
    WALK_MS,
  );

  test(
    "a user without sign-in is marked, and can sign in after getting an email",
    async () => {
      const { page } = operator;
      await walk.fromPage(operator, "POST", "/user/new", { user_id: "app-7x", user_role: "internal_user_viewer" });
      await operator.goTo("/ui/operator/users?search=app-7x");
      const row = page.getByRole("row").filter({ hasText: "app-7x" });
      await row.getByText("no sign-in", { exact: true }).waitFor();
      await row.getByText("viewer", { exact: true }).waitFor();
      expect(await operator.axe()).toEqual([]);
      await page.getByRole("button", { name: "What to do with app-7x" }).click();
      expect(await page.getByRole("menuitem", { name: "Make a link" }).count()).toBe(0);
      await page.getByRole("menuitem", { name: "Add an email" }).click();
      const dialog = page.getByRole("dialog");
      await dialog.getByRole("textbox", { name: "Email" }).fill("app7x@example.com");
      await dialog.getByRole("button", { name: "Add", exact: true }).click();
      await dialog.getByText("/ui/reset-password").waitFor();
      await dialog.getByRole("button", { name: "Done" }).click();
      await row.getByText("app7x@example.com").waitFor();
      expect(await row.getByText("no sign-in", { exact: true }).count()).toBe(0);
    },
    WALK_MS,
  );

  test(
    "somebody is helped to a new password, disabled, and enabled again",
    async () => {
      const { page } = operator;
      await operator.goTo("/ui/operator/users?search=grace");
      await page.getByRole("button", { name: "What to do with Grace" }).click();
      await page.getByRole("menuitem", { name: "Make a link" }).click();
      const dialog = page.getByRole("dialog");
      await dialog.getByText("/ui/reset-password").waitFor();
      await dialog.getByRole("button", { name: "Done" }).click();
      await page.getByRole("button", { name: "What to do with Grace" }).click();
      await page.getByRole("menuitem", { name: "Disable" }).click();
      await dialog.getByRole("button", { name: "Disable" }).click();
      await page.getByText("disabled", { exact: true }).waitFor();
      await page.getByRole("button", { name: "What to do with Grace" }).click();
      await page.getByRole("menuitem", { name: "Enable" }).click();
      await dialog.getByRole("button", { name: "Enable" }).click();
      await page.getByText("disabled", { exact: true }).waitFor({ state: "detached" });
      await operator.goTo("/ui/operator/users");
      await page.getByRole("cell", { name: /^Grace/ }).waitFor();
      await page.getByRole("button", { name: "Add somebody" }).click();
      await dialog.getByRole("textbox", { name: "E-mail" }).fill("grace@example.com");
      await dialog.getByRole("button", { name: "Add", exact: true }).click();
      await dialog
        .getByRole("alert")
        .or(dialog.getByText(/already/))
        .first()
        .waitFor();
      await dialog.getByRole("textbox", { name: "E-mail" }).fill("joan@example.com");
      await dialog.getByRole("textbox", { name: "Name" }).fill("Joan");
      await dialog.getByRole("button", { name: "Add", exact: true }).click();
      await page.getByRole("dialog", { name: "A link for Joan" }).getByRole("button", { name: "Done" }).click();
      await page.getByRole("cell", { name: /^Joan/ }).waitFor();
      expect(await operator.axe()).toEqual([]);
      await operator.screenshot("users");
    },
    WALK_MS,
  );

  test(
    "an organization is made by the operator",
    async () => {
      const { page } = operator;
      await operator.goTo("/ui/operator/organizations");
      await page.getByRole("button", { name: "Make an organization" }).click();
      const dialog = page.getByRole("dialog");
      await dialog.getByRole("textbox", { name: "Name" }).fill("<script>alert(1)</script>");
      await dialog.getByRole("button", { name: "Make it" }).click();
      await page.getByRole("heading", { level: 1, name: "<script>alert(1)</script>" }).waitFor();
    },
    WALK_MS,
  );

  test(
    "a budget under a name is made, changed and removed",
    async () => {
      const { page } = operator;
      await operator.goTo("/ui/operator/budgets");
      await page.getByRole("button", { name: "Make a budget" }).first().click();
      const dialog = page.getByRole("dialog");
      await dialog.getByRole("textbox", { name: "Name" }).fill("small");
      await dialog.getByRole("textbox", { name: "Budget" }).fill("0.000000001");
      await dialog.getByRole("button", { name: "Make it" }).click();
      await page.getByRole("cell", { name: "small", exact: true }).waitFor();
      await page.getByText("< $0.000001 a month").waitFor();
      await page.getByRole("button", { name: "Change small" }).click();
      await dialog.getByRole("textbox", { name: "Budget" }).fill("7");
      await dialog.getByRole("button", { name: "Save" }).click();
      await page.getByText("$7.00 a month").waitFor();
      expect(await operator.axe()).toEqual([]);
      await operator.screenshot("budgets");
      await page.getByRole("button", { name: "Remove small" }).click();
      await dialog.getByRole("button", { name: "Remove" }).click();
      await page.getByRole("heading", { name: "No budgets yet" }).waitFor();
    },
    WALK_MS,
  );

  test("nothing went wrong on the way, and nobody else was asked for anything", () => {
    expect(operator.faults).toEqual([]);
  });
});
