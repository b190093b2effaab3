import { startAppOn } from "../accounts/people.ts";
import { SteppedClock } from "../stepped-clock.ts";
import type { DATABASES } from "../storage/databases.ts";

export const DAY_MS = 86_400_000;
const FREE_TOKENS = { input_cost_per_token: 0, output_cost_per_token: 0 };
const MODELS = {
  model_list: [
    {
      model_name: "paid",
      litellm_params: { model: "echo/chat", input_cost_per_query: 0.007, ...FREE_TOKENS },
    },
  ],
};

/** An app at noon, so that no day ends while the calls of a test are made. Each call costs 0.007 USD. */
export async function startPaidApp(kind: (typeof DATABASES)[number]["kind"], settings: object = {}) {
  const clock = new SteppedClock();
  clock.set((Math.floor(clock.nowMs() / DAY_MS) + 1.5) * DAY_MS - clock.nowMs());
  const app = await startAppOn(kind, JSON.stringify({ ...MODELS, ...settings }), clock);
  const chat = (key: string): Promise<Response> =>
    app.call("/v1/chat/completions", { key, json: { model: "paid", messages: [{ role: "user", content: "hi" }] } });
  /** How so many calls, one after another, are answered; they are in the books then. */
  const calls = async (key: string, count: number): Promise<readonly number[]> => {
    const statuses: number[] = [];
    for (let call = 0; call < count; call++) {
      const response = await chat(key);
      statuses.push(response.status);
      await response.text();
    }
    await app.service.flush();
    return statuses;
  };
  return { app, clock, chat, calls };
}
