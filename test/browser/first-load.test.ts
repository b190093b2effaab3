import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { browserMissing } from "./chromium.ts";
import { Walk } from "./walk.ts";

const WALK_MS = 120_000;
const SCRIPT_BYTES_MAX = 250_000;

describe.skipIf(browserMissing !== null)("the first load of the pages", () => {
  let walk: Walk;
  beforeAll(async () => {
    walk = await Walk.start("first-load");
  }, WALK_MS);
  afterAll(() => walk?.close(), WALK_MS);

  test(
    "brings less than 250 kB of compressed script",
    async () => {
      const visitor = await walk.visitor();
      const sizes = new Map<string, number>();
      visitor.page.on("requestfinished", async (request) => {
        if (request.resourceType() !== "script") return;
        const answer = await request.response();
        sizes.set(request.url(), Number(answer?.headers()["content-length"]));
      });
      await visitor.goTo("/ui/");
      await visitor.page.getByRole("heading", { name: "Log in" }).waitFor();
      await visitor.page.waitForLoadState("networkidle");
      const bytes = [...sizes.values()].reduce((sum, size) => sum + size, 0);
      console.log(`first load: ${sizes.size} scripts, ${bytes} bytes compressed`);
      expect(sizes.size).toBeGreaterThan(1);
      expect(bytes).toBeGreaterThan(0);
      expect(bytes).toBeLessThan(SCRIPT_BYTES_MAX);
    },
    WALK_MS,
  );
});
