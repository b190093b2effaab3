import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { browserMissing } from "./chromium.ts";
import { type Visitor, Walk } from "./walk.ts";

const WALK_MS = 120_000;

describe.skipIf(browserMissing !== null)("lists that are put in order, in a browser", () => {
  let walk: Walk;
  let ada: Visitor;
  let operator: Visitor;
  beforeAll(async () => {
    walk = await Walk.start("sorting", { TURNPIKE_SIGNUP_CREDITS: "5" });
    ada = await walk.owner("ada@example.com", "Ada");
    operator = await walk.operator();
  }, WALK_MS);
  afterAll(() => walk?.close(), WALK_MS);

  /** Sorts by a column, up and then down; after a reload it is still so. `rows` is the order from the smallest on. */
  async function expectOrders(
    { page }: Visitor,
    table: string,
    column: string,
    rows: readonly string[],
  ): Promise<void> {
    const header = page.getByRole("table", { name: table }).getByRole("columnheader", { name: column });
    const first = (text: string) =>
      page.getByRole("table", { name: table }).locator("tbody tr").first().filter({ hasText: text });
    await header.getByRole("button").click();
    await page.locator(`th[aria-sort="ascending"]`).filter({ hasText: column }).waitFor();
    await first(rows[0] ?? "").waitFor();
    await header.getByRole("button").click();
    await first(rows.at(-1) ?? "").waitFor();
    await page.reload();
    await page.locator(`th[aria-sort="descending"]`).filter({ hasText: column }).waitFor();
    await first(rows.at(-1) ?? "").waitFor();
    const shown = await page.getByRole("table", { name: table }).locator("tbody tr").allInnerTexts();
    expect(shown.map((text) => rows.findIndex((row) => text.includes(row)))).toEqual([...rows.keys()].toReversed());
  }

  test(
    "vouchers by their amount, and users by their name",
    async () => {
      for (const amountUsd of ["20", "5", "10"]) {
        await walk.fromPage(operator, "POST", "/api/admin/vouchers", { amountUsd });
      }
      await operator.goTo("/ui/operator/vouchers");
      await expectOrders(operator, "Vouchers", "Amount", ["$5.00", "$10.00", "$20.00"]);
      expect(await operator.axe()).toEqual([]);
      await operator.goTo("/ui/operator/users");
      await expectOrders(operator, "Users", "Who", ["ada@example.com", "admin@example.com"]);
      await operator.goTo("/ui/operator/payments?sort=attempts");
      await operator.page.getByRole("heading", { name: "No events yet" }).waitFor();
      expect(operator.faults).toEqual([]);
    },
    WALK_MS,
  );

  test(
    "webhooks, open invitations, and keys by what they have spent",
    async () => {
      const teams = await walk.fromPage<{ data: { id: string }[] }>(ada, "GET", "/api/gw/teams");
      const teamId = teams.data[0]?.id;
      for (const name of ["m", "a", "z"]) {
        await walk.fromPage(ada, "POST", "/api/webhook-endpoints", { url: `https://${name}.example/told` });
        const email = `${name}@example.org`;
        await walk.fromPage(ada, "POST", "/api/gw/teams/invite-member", { teamId, email, role: "member" });
      }
      await ada.goTo("/ui/webhooks");
      await expectOrders(ada, "Webhooks", "Address", ["//a.", "//m.", "//z."]);
      await ada.goTo("/ui/members");
      await expectOrders(ada, "Open invitations", "Invited", ["a@example.org", "m@example.org", "z@example.org"]);
      expect(await ada.axe()).toEqual([]);
      await ada.screenshot("invitations");

      for (const [at, name] of ["idle", "busy", "seldom"].entries()) {
        const { key } = await walk.fromPage<{ key: string }>(ada, "POST", "/api/gw/api-keys", { name, teamId });
        const length = [0, 4000, 400][at] ?? 0;
        if (length > 0) await say(key, "x ".repeat(length));
      }
      await ada.page.waitForFunction(
        `fetch("/api/gw/usage?startDate=2020-01-01").then((answer) => answer.json()).then(({ totals }) => totals.requests === 2)`,
      );
      await ada.goTo("/ui/keys");
      await expectOrders(ada, "Keys", "Spent in all", ["idle", "seldom", "busy"]);
      expect(ada.faults).toEqual([]);
    },
    WALK_MS,
  );

  async function say(key: string, content: string): Promise<void> {
    const answer = await fetch(`${walk.turnpike.url}/v1/chat/completions`, {
      method: "POST",
      headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
      body: JSON.stringify({ model: "echo", messages: [{ role: "user", content }] }),
    });
    expect(answer.status).toBe(200);
    await answer.text();
  }
});
