import { afterAll, describe, expect, test } from "bun:test";
import { startAppOn } from "../accounts/people.ts";
import { MASTER_KEY } from "../app.ts";
import { face } from "../gateway-admin/face.ts";
import { SteppedClock } from "../stepped-clock.ts";
import { DATABASES } from "../storage/databases.ts";

const DAY_MS = 86_400_000;
/** The call of these tests has seven tokens in, and costs 0.007 USD. */
const YAML = JSON.stringify({
  model_list: [
    {
      model_name: "paid",
      litellm_params: { model: "echo/chat", input_cost_per_token: 0.001, output_cost_per_token: 0 },
    },
  ],
});

for (const { kind, missing } of DATABASES) {
  describe.skipIf(missing)(`a budget of a day, on ${kind}`, async () => {
    if (missing) return;
    const clock = new SteppedClock();
    // At noon: no day ends while the calls of a test are made.
    clock.set((Math.floor(clock.nowMs() / DAY_MS) + 1.5) * DAY_MS - clock.nowMs());
    const app = await startAppOn(kind, YAML, clock);
    afterAll(() => app.close());
    const { post } = face(app, MASTER_KEY);

    test("is that of its day again when a clock that was ahead is set back", async () => {
      const { key } = (await post("/key/generate", { max_budget: 0.021, budget_duration: "1d" })).body;
      const calls = async (count: number): Promise<readonly number[]> => {
        const statuses: number[] = [];
        for (let call = 0; call < count; call++) {
          const json = { model: "paid", messages: [{ role: "user", content: "hi" }] };
          const response = await app.call("/v1/chat/completions", { key, json });
          statuses.push(response.status);
          await response.text();
        }
        await app.service.flush();
        return statuses;
      };
      expect(await calls(1)).toEqual([200]);
      clock.set(13 * DAY_MS);
      expect(await calls(4)).toEqual([200, 200, 200, 429]);
      clock.set(-13 * DAY_MS);
      expect(await calls(3)).toEqual([200, 200, 429]);
    });
  });
}
