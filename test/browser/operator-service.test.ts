import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { browserMissing } from "./chromium.ts";
import { type Visitor, Walk } from "./walk.ts";

const WALK_MS = 120_000;
const MASTER_KEY = "sk-operators-own-master-key-for-the-walk";
const WITHOUT_CACHE = `
guardrails:
  - guardrail_name: personal data
    litellm_params: { guardrail: pii, mode: pre_call, default_on: false }
`;

describe.skipIf(browserMissing !== null)("an operator and the service, in a browser", () => {
  let walk: Walk;
  let operator: Visitor;
  const folder = mkdtempSync(join(tmpdir(), "turnpike-operator-"));
  const file = join(folder, "turnpike.yaml");

  beforeAll(async () => {
    writeFileSync(file, WITHOUT_CACHE);
    walk = await Walk.start("operator-service", { TURNPIKE_CONFIG: file, TURNPIKE_MASTER_KEY: MASTER_KEY });
    operator = await walk.operator();
  }, WALK_MS);
  afterAll(async () => {
    await walk?.close();
    rmSync(folder, { recursive: true, force: true });
  }, WALK_MS);

  const ask = async (content = "What is kept?"): Promise<Response> =>
    fetch(`${walk.turnpike.url}/v1/chat/completions`, {
      method: "POST",
      headers: { authorization: `Bearer ${MASTER_KEY}`, "content-type": "application/json" },
      body: JSON.stringify({ model: "echo", messages: [{ role: "user", content }] }),
    });

  test(
    "while the cache is off, the page says what to put into which file, as it has to stand there",
    async () => {
      const { page } = operator;
      await operator.goTo("/ui/operator/cache");
      await page.getByRole("heading", { name: "The cache is off" }).waitFor();
      await page.getByText("turnpike.yaml", { exact: true }).waitFor();
      const aligned = `getComputedStyle(document.querySelector("pre")).textAlign`;
      expect(await page.evaluate<string>(aligned)).toBe("start");
      expect(await operator.axe()).toEqual([]);
      await operator.screenshot("cache-off");
    },
    WALK_MS,
  );

  test(
    "a guardrail is tried on a text; another one is made, looks at calls at once, is changed and removed",
    async () => {
      const { page } = operator;
      await operator.goTo("/ui/operator/guardrails");
      await page.getByRole("button", { name: "Try personal data" }).waitFor();
      // A phone has room for one column: it says what the others do.
      await page.setViewportSize({ width: 390, height: 844 });
      const shown = await page.getByRole("table", { name: "Guardrails" }).getByRole("row").nth(1).innerText();
      expect(shown).toContain("Personal data");
      expect(shown).toContain("masks before the call");
      expect(shown).toContain("for calls, keys and teams that name it");
      await page.setViewportSize({ width: 1280, height: 860 });
      await page.getByRole("button", { name: "Try personal data" }).click();
      const card = page.getByRole("region", { name: "Try it" });
      await card.getByRole("button", { name: "Look" }).click();
      await card.getByText("[EMAIL_1]").waitFor();
      await card.locator("mark", { hasText: "ada@example.com" }).waitFor();
      expect(await operator.axe()).toEqual([]);
      await operator.screenshot("guardrails-try");

      await page.getByRole("button", { name: "New guardrail" }).click();
      const draft = page.getByRole("region", { name: "New guardrail" });
      await draft.getByRole("textbox", { name: "Name" }).fill("code names");
      await draft.getByRole("combobox", { name: "Looks for" }).click();
      await page.getByRole("option", { name: "Words" }).click();
      await draft.getByRole("textbox", { name: "Words and phrases" }).fill("project falcon");
      await draft.getByRole("combobox", { name: "Then" }).click();
      await page.getByRole("option", { name: "refuse the call" }).click();
      await card.getByRole("textbox", { name: "Text" }).fill("How is Project Falcon?");
      await card.getByRole("button", { name: "Look" }).click();
      await card.getByText("would be refused").waitFor();
      expect(await operator.axe()).toEqual([]);
      await operator.screenshot("guardrails-write");
      await draft.getByRole("button", { name: "Add it" }).click();
      await page.getByRole("button", { name: "Edit code names" }).waitFor();
      expect((await ask("Project Falcon")).status).toBe(400);

      await page.getByRole("button", { name: "Edit code names" }).click();
      const change = page.getByRole("region", { name: "Change code names" });
      const words = change.getByRole("textbox", { name: "Words and phrases" });
      expect(await words.inputValue()).toBe("project falcon");
      await words.fill("project heron");
      await operator.screenshot("guardrails-change");
      await change.getByRole("button", { name: "Save" }).click();
      await change.waitFor({ state: "detached" });
      expect((await ask("Project Falcon")).status).toBe(200);
      expect((await ask("Project Heron")).status).toBe(400);

      await page.getByRole("button", { name: "Remove code names" }).click();
      await page.getByRole("dialog").getByRole("button", { name: "Remove" }).click();
      await page.getByRole("button", { name: "Edit code names" }).waitFor({ state: "detached" });
      expect((await ask("Project Heron")).status).toBe(200);

      writeFileSync(file, `litellm_settings: { cache: true }\n`);
      await page.getByRole("button", { name: "Read the file again" }).click();
      await page.getByText("No guardrails yet").waitFor();
    },
    WALK_MS,
  );

  test(
    "the cache shows its hits, and is emptied",
    async () => {
      const { page } = operator;
      await (await ask()).text();
      const again = await ask();
      expect(again.headers.get("x-gw-cache-hit")).toBe("true");
      await again.text();
      await operator.goTo("/ui/operator/cache");
      await page.getByText("50%").waitFor();
      expect(await operator.axe()).toEqual([]);
      await operator.screenshot("cache");
      await page.getByRole("button", { name: "Empty it" }).click();
      await page.getByRole("dialog").getByRole("button", { name: "Empty the cache" }).click();
      await page.getByText("One answer is forgotten.").waitFor();
      const fresh = await ask();
      expect(fresh.headers.get("x-gw-cache-hit")).toBeNull();
      await fresh.text();
    },
    WALK_MS,
  );

  test(
    "vouchers are made, shown once and revoked",
    async () => {
      const { page } = operator;
      await operator.goTo("/ui/operator/vouchers");
      await page.getByRole("heading", { name: "No vouchers yet" }).waitFor();
      await page.getByRole("button", { name: "Make vouchers" }).first().click();
      const dialog = page.getByRole("dialog");
      await dialog.getByRole("textbox", { name: "Amount of each" }).fill("25");
      await dialog.getByRole("textbox", { name: "How many" }).fill("3");
      await dialog.getByRole("textbox", { name: "Note" }).fill("<b>for the fair</b>");
      await dialog.getByRole("button", { name: "Make them" }).click();
      const codes = (await dialog.locator("pre").innerText()).trim().split("\n");
      expect(codes).toHaveLength(3);
      // They are shown this once: a key that was pressed by chance must not take them away.
      await page.keyboard.press("Escape");
      await dialog.getByRole("button", { name: "I have kept them" }).click();
      await page.getByText("<b>for the fair</b>").first().waitFor();
      expect(await page.content()).not.toContain(codes[0] ?? "none");
      expect(await operator.axe()).toEqual([]);
      await operator.screenshot("vouchers");
      await page
        .getByRole("button", { name: /^Revoke/ })
        .first()
        .click();
      await dialog.getByRole("button", { name: "Revoke" }).click();
      await page.getByText("revoked", { exact: true }).waitFor();
      await operator.goTo("/ui/operator/vouchers");
      await page.getByRole("link", { name: "Give credit to an organization" }).click();
      await page.getByText("Choose the organization that you give credit to.").waitFor();
      await operator.screenshot("give-credit");
      await page.getByRole("cell", { name: /^Demo/ }).click();
      await dialog.getByText("Give Demo credit").waitFor();
      expect(await operator.axe()).toEqual([]);
      await dialog.getByRole("textbox", { name: "Amount" }).fill("2");
      await dialog.getByRole("textbox", { name: "Reason" }).fill("a trial");
      await dialog.getByRole("button", { name: "Give" }).click();
      await page.getByText("$2.00 given").waitFor();
      await operator.goTo("/ui/operator/payments");
      await page.getByRole("heading", { name: "No events yet" }).waitFor();
      expect(await operator.axe()).toEqual([]);
      await operator.screenshot("payments");
    },
    WALK_MS,
  );

  test(
    "the books are checked, and the audit log has who did what",
    async () => {
      const { page } = operator;
      await operator.goTo("/ui/operator/ledger");
      await page.getByRole("button", { name: "Check the books" }).click();
      await page.getByText("The books are sound").waitFor();
      expect(await operator.axe()).toEqual([]);
      await operator.screenshot("ledger");
      const name = "Adaofthelongestname".repeat(5);
      await walk.fromPage(operator, "POST", "/organization/new", { organization_alias: name });
      await operator.goTo("/ui/operator/audit");
      await page.getByRole("cell", { name: /^voucher.revoke/ }).waitFor();
      await page.getByRole("columnheader", { name: "Address" }).waitFor();
      const broken = await operator.brokenWords();
      // The target gives way, and nothing else does.
      expect(broken).toContain(`To: ${name}`);
      expect(broken.filter((word) => !word.startsWith("To: "))).toEqual([]);
      expect(await operator.axe()).toEqual([]);
      await page.getByRole("button", { name: "Verify" }).click();
      await page.getByText("The log is as it was written").waitFor();
      expect(await operator.axe()).toEqual([]);
      await operator.screenshot("audit");
      await page.getByRole("searchbox", { name: /^Action/ }).fill("cache.flush");
      await page.getByRole("cell", { name: /^voucher.revoke/ }).waitFor({ state: "detached" });
      await page.getByRole("cell", { name: /^cache.flush/ }).click();
      await page.getByRole("dialog").getByText("Details").waitFor();
      await operator.screenshot("audit-entry");
      await page.keyboard.press("Escape");
      await page.getByRole("button", { name: "Export" }).click();
      const download = page.waitForEvent("download");
      await page.getByRole("menuitem", { name: "CSV" }).click();
      expect((await download).suggestedFilename()).toBe("audit-log.csv");
    },
    WALK_MS,
  );

  test(
    "health and settings are shown, and secrets are not",
    async () => {
      const { page } = operator;
      await operator.goTo("/ui/operator/health");
      await page.getByRole("region", { name: "Database" }).getByText("well").waitFor();
      await page.getByRole("button", { name: "Call them all" }).click();
      await page.getByRole("dialog").getByRole("button", { name: "Call them" }).click();
      await page.getByRole("table", { name: "Answers of the deployments" }).waitFor();
      expect(await operator.axe()).toEqual([]);
      await operator.screenshot("health");
      const reason = "The usage journal cannot be written (ENOSPC).";
      // With the status of success: of any other the browser writes to its console.
      await page.route("**/health/readiness", (route) =>
        route.fulfill({ json: { status: "unhealthy", db: "connected", journal: "unwritable", reason } }),
      );
      await page.getByRole("alert").getByText(reason).waitFor();
      expect(await operator.axe()).toEqual([]);
      await page.unroute("**/health/readiness");
      await page.getByRole("alert").waitFor({ state: "detached" });

      const models = page.getByRole("region", { name: "Models" });
      const deployment = (state: string, calls = 1) => ({
        id: state,
        state,
        enabled: state !== "off",
        lacks: null,
        calls,
        checkOk: null,
      });
      let data = ["well", "off", "resting"].map((state) => deployment(state));
      await page.route("**/api/admin/deployments?*", (route) =>
        route.fulfill({ json: { data, meta: { page: 1, pageSize: 100, total: data.length, totalPages: 1 } } }),
      );
      await models.getByText("1 of 3 is not well.").waitFor();
      // One that nobody has called yet is not said to be well.
      data = [deployment("well", 0)];
      await models.getByText("no calls yet", { exact: true }).waitFor();
      expect(await models.getByText("well").count()).toBe(0);
      data = [deployment("well")];
      await models.getByText("well", { exact: true }).waitFor();
      await page.unroute("**/api/admin/deployments?*");
      await operator.goTo("/ui/operator/settings");
      await page.getByRole("heading", { name: "general_settings" }).waitFor();
      expect(await page.content()).not.toContain(MASTER_KEY);
      expect(await operator.axe()).toEqual([]);
      await operator.screenshot("settings");
      await page.getByRole("searchbox", { name: "Search settings" }).fill("port");
      await page.getByRole("heading", { name: "router_settings" }).waitFor({ state: "detached" });
    },
    WALK_MS,
  );

  test("nothing went wrong on the way, and nobody else was asked for anything", () => {
    expect(operator.faults).toEqual([]);
  });
});
