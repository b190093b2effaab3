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
      // The page takes its time to look through the whole description.
      const patience = { timeout: WALK_MS };
      await row.locator("code", { hasText: /^\/chat\/completions$/ }).waitFor(patience);
      await row.locator("code", { hasText: "/api/v1/chat/completions" }).waitFor(patience);
    },
    WALK_MS,
  );
});
