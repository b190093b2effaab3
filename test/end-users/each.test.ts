import { afterAll, describe, expect, test } from "bun:test";
import { MASTER_KEY } from "../app.ts";
import { errorFormat } from "../gateway-admin/face.ts";
import { DAY_MS, startPaidApp } from "../gateway-admin/paid-calls.ts";
import { DATABASES } from "../storage/databases.ts";

for (const { kind, missing } of DATABASES) {
  describe.skipIf(missing)(`what holds for each end user, on ${kind}`, async () => {
    if (missing) return;
    const end_user_limits = { max_budget: 0.014, budget_duration: "1d", rpm: 4 };
    const { app, clock } = await startPaidApp(kind, { general_settings: { end_user_limits } });
    afterAll(() => app.close());
    const { post, get } = errorFormat(app, MASTER_KEY);
    const { key } = (await post("/key/generate", {})).body;
    const statuses = async (user: string | null, count: number): Promise<readonly number[]> => {
      const found: number[] = [];
      const json = { model: "paid", messages: [{ role: "user", content: "hi" }], ...(user === null ? {} : { user }) };
      for (let call = 0; call < count; call++) {
        const response = await app.call("/v1/chat/completions", { key, json });
        await response.text();
        found.push(response.status);
      }
      await app.service.flush();
      return found;
    };

    test("is a budget for each by itself, which begins anew; calls that name nobody have none", async () => {
      expect(await statuses("ada", 3)).toEqual([200, 200, 429]);
      expect(await statuses("bob", 3)).toEqual([200, 200, 429]);
      expect(await statuses(null, 5)).toEqual([200, 200, 200, 200, 200]);
      clock.step(DAY_MS);
      expect(await statuses("ada", 3)).toEqual([200, 200, 429]);
    });

    test("is replaced, field by field, by what one of them has of its own", async () => {
      await post("/customer/new", { user_id: "eve", max_budget: 0.021, budget_duration: "1d" });
      await post("/customer/new", { user_id: "sam", rpm_limit: 1 });
      expect(await statuses("eve", 4)).toEqual([200, 200, 200, 429]);
      expect(await statuses("sam", 2)).toEqual([200, 429]);
      clock.step(61_000);
      expect(await statuses("sam", 1)).toEqual([200]);
      clock.step(61_000);
      // The day's budget of each is used up now.
      expect(await statuses("sam", 1)).toEqual([429]);
    });

    test("is in the books", async () => {
      expect((await get("/api/admin/ledger/verify")).body).toMatchObject({ ok: true });
      expect((await post("/customer/new", { user_id: "bob" })).body.spend).toBe(0.014);
    });
  });
}
