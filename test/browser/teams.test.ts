import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { browserMissing } from "./chromium.ts";
import { PASSWORD, type Visitor, Walk } from "./walk.ts";

const WALK_MS = 120_000;

interface Paged {
  readonly data: readonly { readonly email: string; readonly role: string }[];
}

describe.skipIf(browserMissing !== null)("teams and members, in a browser", () => {
  let walk: Walk;
  let ada: Visitor;
  beforeAll(async () => {
    walk = await Walk.start("teams");
    ada = await walk.owner("ada@example.com", "Ada");
  }, WALK_MS);
  afterAll(() => walk?.close(), WALK_MS);

  test(
    "an owner makes a team and invites somebody, who joins by the link",
    async () => {
      const { page } = ada;
      await page.getByRole("link", { name: "Teams", exact: true }).click();
      await page.getByRole("table", { name: "Teams" }).waitFor();
      await page.getByRole("button", { name: "New team" }).click();
      await page.getByRole("textbox", { name: "Name" }).fill("Research");
      await page.getByRole("button", { name: "Make the team" }).click();
      await page.getByRole("heading", { level: 1, name: "Research" }).waitFor();

      await page.getByRole("button", { name: "Invite" }).click();
      const dialog = page.getByRole("dialog");
      await dialog.getByRole("textbox", { name: "E-mail" }).fill("bob@example.com");
      expect(await ada.axe()).toEqual([]);
      await ada.screenshot("invite");
      await dialog.getByRole("button", { name: "Invite", exact: true }).click();
      const link = new URL((await dialog.locator("pre").innerText()).trim());
      await ada.screenshot("invite-link");
      await dialog.getByRole("button", { name: "Done" }).click();
      await page.getByRole("region", { name: "Open invitations" }).getByText("bob@example.com").waitFor();

      const bob = await walk.visitor();
      await bob.goTo(link.pathname + link.search);
      await bob.page.getByLabel("Name").fill("Bob");
      await bob.page.getByRole("textbox", { name: "Password" }).fill(PASSWORD);
      await bob.page.getByRole("button", { name: "Sign up" }).click();
      await bob.page.getByRole("heading", { level: 1, name: "Overview" }).waitFor();
      await bob.page.getByRole("link", { name: "Teams", exact: true }).click();
      await bob.page.getByRole("link", { name: "Research" }).click();
      await bob.page.getByRole("table", { name: "Members" }).getByText("Bob").first().waitFor();
      expect(await bob.page.getByRole("button", { name: "Invite" }).count()).toBe(0);
      expect(await bob.axe()).toEqual([]);
      await bob.screenshot("team-member");
      expect(bob.faults).toEqual([]);
    },
    WALK_MS,
  );

  test(
    "limits of the team and of a member are set, roles changed, and a member removed",
    async () => {
      const { page } = ada;
      await page.reload();
      const members = page.getByRole("table", { name: "Members" });
      const row = members.getByRole("row").filter({ hasText: "bob@example.com" });
      await row.getByRole("button", { name: "Change" }).click();
      await page.getByRole("textbox", { name: "Budget in USD" }).fill("12.5");
      await page.getByRole("textbox", { name: "Requests a minute" }).fill("30");
      const tokens = page.getByRole("textbox", { name: "Tokens a minute" });
      await tokens.fill("2500000");
      expect(await tokens.inputValue()).toBe("2,500,000");
      await ada.screenshot("member-limits");
      await page.getByRole("button", { name: "Save", exact: true }).click();
      await row.getByText("$12.50 a month, 30 requests/min, 2,500,000 tokens/min").waitFor();

      await page.getByRole("button", { name: "Change", exact: true }).first().click();
      await page.getByRole("dialog").getByRole("textbox", { name: "Name" }).fill("Research and play");
      await page.getByRole("textbox", { name: "Budget in USD" }).fill("a lot");
      await page.getByRole("button", { name: "Save", exact: true }).click();
      await page.getByText("An amount in USD, such as 25 or 19.99").waitFor();
      await page.getByRole("textbox", { name: "Budget in USD" }).fill("100");
      await page.getByRole("dialog").getByRole("textbox", { name: "Calls at" }).fill("4");
      await page.getByRole("button", { name: "Save", exact: true }).click();
      await page.getByRole("heading", { level: 1, name: "Research and play" }).waitFor();
      await page.getByText("4 at one time").waitFor();
      expect(await ada.axe()).toEqual([]);
      await ada.screenshot("team");
      const { data: teams } = await walk.fromPage<{ data: readonly { id: string; name: string }[] }>(
        ada,
        "GET",
        "/api/gw/teams",
      );
      for (const { id, name } of teams) {
        const named = { team_id: id, name: `key of ${name}` };
        await walk.fromPage(ada, "POST", "/api/gw/api-keys", named);
      }
      expect(teams).toHaveLength(2);
      const link = page.getByRole("link", { name: "To the keys" });
      const seenOn = async (tab: typeof page): Promise<readonly string[]> => {
        const keys = tab.getByRole("table", { name: "Keys" });
        await keys.getByText("key of Research and play", { exact: true }).waitFor();
        return keys.getByText(/^key of /).allInnerTexts();
      };
      const [tab] = await Promise.all([ada.context.waitForEvent("page"), link.click({ modifiers: ["Control"] })]);
      expect(await seenOn(tab)).toEqual(["key of Research and play"]);
      await tab.close();
      await link.click();
      expect(await seenOn(page)).toEqual(["key of Research and play"]);
      await page.goBack();
      await page.getByRole("heading", { level: 1, name: "Research and play" }).waitFor();
      await page.setViewportSize({ width: 390, height: 844 });
      expect((await ada.brokenWords()).filter((word) => word.startsWith("Role"))).toEqual([]);
      await page.setViewportSize({ width: 1280, height: 860 });

      await page.getByRole("link", { name: "Members", exact: true }).click();
      const role = page.getByRole("combobox", { name: "Role of Bob" });
      await role.click();
      await page.getByRole("option", { name: "admin" }).click();
      const question = page.getByRole("dialog", { name: "Make Bob an admin?" });
      await question.waitFor();
      expect(await ada.axe()).toEqual([]);
      await ada.screenshot("role-question");
      await question.getByRole("button", { name: "Cancel" }).click();
      await question.waitFor({ state: "detached" });
      const me = await walk.fromPage<{ activeOrganizationId: string }>(ada, "GET", "/api/auth/me");
      const roleOf = async (): Promise<string | undefined> => {
        const all = await walk.fromPage<Paged>(ada, "GET", `/api/gw/organizations/${me.activeOrganizationId}/members`);
        return all.data.find(({ email }) => email === "bob@example.com")?.role;
      };
      expect([await role.inputValue(), await roleOf()]).toEqual(["member", "member"]);

      // What gives and takes no rights over others is not asked for.
      await role.click();
      await page.getByRole("option", { name: "viewer" }).click();
      await page.getByText("Bob is a viewer now.").waitFor();

      await page.route("**/members/*", (route) =>
        route.fulfill({ status: 403, json: { error: "Only an owner makes or unmakes owners.", code: "FORBIDDEN" } }),
      );
      await role.click();
      await page.getByRole("option", { name: "owner" }).click();
      const refused = page.getByRole("dialog", { name: "Make Bob an owner?" });
      await refused.getByRole("button", { name: "Change the role" }).click();
      await refused.getByRole("alert").getByText("Only an owner makes or unmakes owners.").waitFor();
      await page.unrouteAll();
      await refused.getByRole("button", { name: "Cancel" }).click();
      expect(await roleOf()).toBe("viewer");

      await role.click();
      await page.getByRole("option", { name: "admin" }).click();
      await question.getByRole("button", { name: "Change the role" }).click();
      await page.getByText("Bob is an admin now.").waitFor();
      expect(await roleOf()).toBe("admin");
      expect(await ada.axe()).toEqual([]);
      await ada.screenshot("members");
      await page
        .getByRole("row")
        .filter({ hasText: "bob@example.com" })
        .getByRole("button", { name: "Remove" })
        .click();
      await page.getByRole("dialog").getByRole("button", { name: "Remove" }).click();
      await page.getByText("The member is out of the organization.").waitFor();
      await page.getByText("bob@example.com").waitFor({ state: "detached" });
    },
    WALK_MS,
  );

  test(
    "who runs a team alone is not offered to invite viewers, who see all teams",
    async () => {
      const lead = await walk.developer(ada, "lead@example.com", "Lead");
      const { data } = await walk.fromPage<{ data: readonly { id: string }[] }>(lead, "GET", "/api/gw/teams");
      const me = await walk.fromPage<{ user: { id: number } }>(lead, "GET", "/api/auth/me");
      const path = `/api/gw/teams/${data[0]?.id}/members/${me.user.id}`;
      await walk.fromPage(ada, "PATCH", path, { role: "admin" });
      await lead.goTo(`/ui/teams/${data[0]?.id}`);
      await lead.page.getByRole("button", { name: "Invite" }).click();
      await lead.page.getByRole("dialog").getByRole("combobox", { name: "Role" }).click();
      await lead.page.getByRole("option").first().waitFor();
      expect(await lead.page.getByRole("option").allInnerTexts()).toEqual([
        "Member: makes keys and calls models",
        "Admin of the team: also invites people",
      ]);
    },
    WALK_MS,
  );

  test(
    "the organization's settings are changed, and a team is deleted by typing its name",
    async () => {
      const { page } = ada;
      await page.getByRole("link", { name: "Settings", exact: true }).click();
      await page.getByRole("heading", { level: 1, name: "Organization" }).waitFor();
      await page.getByText("0 of 1,024 MiB").waitFor();
      await page.getByRole("textbox", { name: "Billing e-mail" }).fill("bills@example.com");
      await page.getByRole("textbox", { name: "Days that logs are kept" }).fill("90");
      expect(await ada.axe()).toEqual([]);
      await ada.screenshot("organization");
      await page.getByRole("button", { name: "Save" }).click();
      await page.getByText("The organization is changed.").waitFor();
      await page.reload();
      await page.getByRole("textbox", { name: "Billing e-mail" }).waitFor();
      expect(await page.getByRole("textbox", { name: "Billing e-mail" }).inputValue()).toBe("bills@example.com");

      await page.getByRole("link", { name: "Teams", exact: true }).click();
      await page.getByRole("link", { name: "Research and play" }).click();
      await page.getByRole("button", { name: "Delete the team" }).click();
      await page.getByLabel("Type Research and play to go on").fill("Research and play");
      await ada.screenshot("delete-team");
      await page.getByRole("button", { name: "Delete", exact: true }).click();
      await page.getByText("The team and its keys are gone.").waitFor();
      await page.getByRole("link", { name: "Research and play" }).waitFor({ state: "detached" });
      expect(await ada.axe()).toEqual([]);
      await ada.screenshot("teams");
      expect(ada.faults).toEqual([]);
    },
    WALK_MS,
  );
});
