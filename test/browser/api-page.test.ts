import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { browserMissing } from "./chromium.ts";
import { Walk } from "./walk.ts";

const WALK_MS = 180_000;

describe.skipIf(browserMissing !== null)("the API page, in a browser", () => {
  let walk: Walk;
  beforeAll(async () => {
    walk = await Walk.start("api-page");
  }, WALK_MS);
  afterAll(() => walk?.close(), WALK_MS);

  test(
    "has one row for an operation, which says where else it is",
    async () => {
      const visitor = await walk.visitor();
      const { page } = visitor;
      await visitor.goTo("/docs");
      const tag = page.locator("#operations-tag-Inference");
      await tag.waitFor({ timeout: WALK_MS });
      expect(await page.locator(".opblock").count()).toBe(0);
      await tag.click();
      const row = page.locator(".opblock", { has: page.locator('[data-path="/v1/chat/completions"]') });
      await row.waitFor();
      expect(await page.locator('[data-path="/chat/completions"]').count()).toBe(0);
      await row.locator(".opblock-summary-control").click();
      const patience = { timeout: WALK_MS };
      await row.locator("code", { hasText: /^\/chat\/completions$/ }).waitFor(patience);
      await row.locator("code", { hasText: "/api/v1/chat/completions" }).waitFor(patience);
      expect(visitor.faults).toEqual([]);
    },
    WALK_MS,
  );

  test(
    "shows what an operation has in common with others, and can be called from it",
    async () => {
      const visitor = await walk.visitor();
      const { page } = visitor;
      await visitor.goTo("/docs");
      await page.locator("#operations-tag-Inference").click();
      const row = page.locator("#operations-Inference-post_v1_chat_completions");
      await row.locator(".opblock-summary-control").click();
      await row.locator('.response[data-code="401"]', { hasText: "AuthenticationError" }).waitFor({ timeout: WALK_MS });
      await row.locator('.response[data-code="422"]', { hasText: "detail" }).waitFor();
      expect(await row.locator("textarea.body-param__text").inputValue()).toContain('"messages"');
      await row.getByRole("button", { name: "Execute" }).click();
      await row.locator(".live-responses-table .response-col_status", { hasText: "401" }).waitFor();
      await page.getByRole("button", { name: "Authorize" }).click();
      await page.getByRole("heading", { name: /APIKeyHeader/ }).waitFor();
      expect(await page.locator(".errors-wrapper").count()).toBe(0);
      expect(visitor.faults).toEqual([]);
    },
    WALK_MS,
  );
});
