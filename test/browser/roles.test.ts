import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { browserMissing } from "./chromium.ts";
import { type Visitor, Walk } from "./walk.ts";

const WALK_MS = 120_000;
/** Pages that work with a key of one's own. */
const KEYED = ["playground", "assistants", "threads", "files", "vector-stores", "batches"];

describe.skipIf(browserMissing !== null)("what a role may not do is not offered, in a browser", () => {
  let walk: Walk;
  let ada: Visitor;
  beforeAll(async () => {
    walk = await Walk.start("roles");
    ada = await walk.owner("ada@example.com", "Ada");
  }, WALK_MS);
  afterAll(() => walk?.close(), WALK_MS);

  /** Somebody in Ada's organization. */
  async function join(email: string, name: string, role: "admin" | "viewer"): Promise<Visitor> {
    const visitor = await walk.developer(ada, email, name);
    const me = await walk.fromPage<{ user: { id: number }; activeOrganizationId: string }>(
      visitor,
      "GET",
      "/api/auth/me",
    );
    await walk.fromPage(ada, "PATCH", `/api/gw/organizations/${me.activeOrganizationId}/members/${me.user.id}`, {
      role,
    });
    await visitor.page.reload();
    return visitor;
  }

  test(
    "a viewer, who can have no key, is led to no page that wants one",
    async () => {
      const viewer = await join("vera@example.com", "Vera", "viewer");
      const { page } = viewer;
      const links = page.getByRole("navigation").getByRole("link");
      await links.getByText("Logs").waitFor();
      const shown = await links.allInnerTexts();
      expect(shown).toContain("Training runs");
      expect(shown.filter((name) => KEYED.includes(name.toLowerCase().replace(" ", "-")))).toEqual([]);
      for (const path of KEYED) {
        await viewer.goTo(`/ui/${path}`);
        await page.getByRole("heading", { name: "This page is not for you" }).waitFor();
      }
      for (const [path, heading] of [
        ["models/echo", "Examples"],
        ["logs", "No calls in this time"],
        ["usage", "Nothing to count"],
      ] as const) {
        await viewer.goTo(`/ui/${path}`);
        await page.getByRole("heading", { name: heading }).waitFor();
        expect(await page.locator("main a[href*=playground]").count()).toBe(0);
      }
      expect(viewer.faults).toEqual([]);
    },
    WALK_MS,
  );

  test(
    "an admin is not offered to change or remove an owner, whom only owners unmake",
    async () => {
      const admin = await join("bob@example.com", "Bob", "admin");
      const { page } = admin;
      await admin.goTo("/ui/members");
      const row = (email: string) => page.getByRole("row").filter({ hasText: email });
      await row("vera@example.com").getByRole("button", { name: "Remove Vera" }).waitFor();
      await row("vera@example.com").getByRole("combobox", { name: "Role of Vera" }).waitFor();
      expect(await row("ada@example.com").innerText()).toContain("owner");
      expect(await row("ada@example.com").locator("button, input").count()).toBe(0);
      expect(await row("bob@example.com").getByRole("button").allInnerTexts()).toEqual(["Leave"]);
      await ada.goTo("/ui/members");
      await ada.page.getByRole("button", { name: "Remove Bob" }).waitFor();
      expect([...admin.faults, ...ada.faults]).toEqual([]);
    },
    WALK_MS,
  );
});
