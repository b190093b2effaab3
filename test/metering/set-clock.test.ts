import { afterAll, describe, expect, test } from "bun:test";
import { MASTER_KEY } from "../app.ts";
import { errorFormat } from "../gateway-admin/face.ts";
import { DAY_MS, startPaidApp } from "../gateway-admin/paid-calls.ts";
import { DATABASES } from "../storage/databases.ts";

for (const { kind, missing } of DATABASES) {
  describe.skipIf(missing)(`a budget of a day, on ${kind}`, async () => {
    if (missing) return;
    const { app, clock, calls } = await startPaidApp(kind);
    afterAll(() => app.close());
    const { post } = errorFormat(app, MASTER_KEY);

    test("is that of its day again when a clock that was ahead is set back", async () => {
      const { key } = (await post("/key/generate", { max_budget: 0.021, budget_duration: "1d" })).body;
      expect(await calls(key, 1)).toEqual([200]);
      clock.set(13 * DAY_MS);
      expect(await calls(key, 4)).toEqual([200, 200, 200, 429]);
      clock.set(-13 * DAY_MS);
      expect(await calls(key, 3)).toEqual([200, 200, 429]);
    });
  });
}
