import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { browserMissing } from "./chromium.ts";
import { Walk } from "./walk.ts";

const WALK_MS = 120_000;

describe.skipIf(browserMissing !== null)("webhooks, in a browser", () => {
  let walk: Walk;
  const received: { type: string; signed: boolean }[] = [];
  let answer = 200;
  const service = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    async fetch(request) {
      const { type } = (await request.json()) as { type: string };
      received.push({ type, signed: request.headers.has("webhook-signature") });
      return new Response("", { status: answer });
    },
  });
  beforeAll(async () => {
    walk = await Walk.start("webhooks", {}, "general_settings: { billing: { allow_private_webhooks: true } }");
  }, WALK_MS);
  afterAll(async () => {
    await walk?.close();
    await service.stop(true);
  }, WALK_MS);

  test(
    "an owner adds one, sees what it was sent, sends it again, gives it a new secret and removes it",
    async () => {
      const owner = await walk.owner("ada@example.com", "Ada");
      const { page } = owner;
      await page.getByRole("link", { name: "Webhooks", exact: true }).click();
      await page.getByRole("heading", { name: "No webhooks yet" }).waitFor();
      await owner.screenshot("empty");
      await page.getByRole("button", { name: "New webhook" }).first().click();
      const dialog = page.getByRole("dialog");
      await dialog.getByRole("textbox", { name: "Address" }).fill("nowhere");
      await dialog.getByRole("button", { name: "Add it" }).click();
      await dialog.getByText("An address that begins with").waitFor();
      await dialog.getByRole("textbox", { name: "Address" }).fill(`http://127.0.0.1:${service.port}/hook`);
      await dialog.getByRole("textbox", { name: "What it is for" }).fill("the pager");
      expect(await owner.axe()).toEqual([]);
      await owner.screenshot("new");
      await dialog.getByRole("button", { name: "Add it" }).click();
      const secret = page.getByRole("dialog", { name: "The secret of this webhook" });
      const first = await secret.locator("pre").innerText();
      expect(first).toStartWith("whsec_");
      await owner.screenshot("secret");
      await secret.getByRole("button", { name: "I have copied it" }).click();

      const teams = await walk.fromPage<{ data: { id: string }[] }>(owner, "GET", "/api/gw/teams");
      await walk.fromPage(owner, "POST", "/api/gw/api-keys", { name: "ci", teamId: teams.data[0]?.id });
      await page.getByRole("button", { name: "Deliveries" }).click();
      const drawer = page.getByRole("dialog", { name: "Deliveries" });
      await drawer.getByText("delivered", { exact: true }).waitFor();
      expect(await owner.axe()).toEqual([]);
      await owner.screenshot("deliveries");
      expect(received).toEqual([{ type: "key.created", signed: true }]);
      // Whose they are stands in the address: a reload keeps them open, and "back" closes them.
      expect(page.url()).toContain("deliveries=");
      await page.reload();
      await drawer.getByText("delivered", { exact: true }).waitFor();
      await page.goBack();
      await drawer.waitFor({ state: "detached" });
      expect(page.url()).toEndWith("/ui/webhooks");
      await page.goForward();
      await drawer.getByRole("button", { name: "Send again: Key was made" }).click();
      await page.getByText("It is sent once more.").waitFor();
      await drawer.getByRole("button", { name: "Close" }).click();

      const more = page.getByRole("button", { name: /^More about/ });
      await more.click();
      await page.getByRole("menuitem", { name: "New secret" }).click();
      await page.getByRole("dialog").getByRole("button", { name: "New secret" }).click();
      expect(await secret.locator("pre").innerText()).not.toBe(first);
      await secret.getByRole("button", { name: "I have copied it" }).click();
      await more.click();
      await page.getByRole("menuitem", { name: "Switch off" }).click();
      const off = page.getByText("off", { exact: true }).filter({ visible: true });
      await off.waitFor();
      await page.setViewportSize({ width: 390, height: 844 });
      await off.waitFor();
      await page.setViewportSize({ width: 1280, height: 860 });
      expect(await owner.axe()).toEqual([]);
      await owner.screenshot("list");
      await more.click();
      await page.getByRole("menuitem", { name: "Remove" }).click();
      await page.getByRole("dialog").getByRole("button", { name: "Remove" }).click();
      await page.getByRole("heading", { name: "No webhooks yet" }).waitFor();
      expect(owner.faults).toEqual([]);
    },
    WALK_MS,
  );

  test(
    "what is not taken says when it is tried next, until it is",
    async () => {
      const owner = await walk.owner("bob@example.com", "Bob");
      const { page } = owner;
      const url = `http://127.0.0.1:${service.port}/hook`;
      const { id } = await walk.fromPage<{ id: string }>(owner, "POST", "/api/webhook-endpoints", { url });
      answer = 500;
      const teams = await walk.fromPage<{ data: { id: string }[] }>(owner, "GET", "/api/gw/teams");
      await walk.fromPage(owner, "POST", "/api/gw/api-keys", { name: "ci", teamId: teams.data[0]?.id });
      await owner.goTo(`/ui/webhooks?deliveries=${id}`);
      const drawer = page.getByRole("dialog", { name: "Deliveries" });
      await drawer.getByText("retrying", { exact: true }).waitFor();
      await drawer.getByText(/answered 500\. .* Next try: /).waitFor();
      expect(await drawer.getByText("failed", { exact: true }).count()).toBe(0);
      expect(await owner.axe()).toEqual([]);
      answer = 200;
      await drawer.getByText("delivered", { exact: true }).waitFor();
      expect(await drawer.getByText("Next try").count()).toBe(0);
      expect(owner.faults).toEqual([]);
    },
    WALK_MS,
  );
});
