import { afterAll, describe, expect, test } from "bun:test";
import { startAppOn } from "../accounts/people.ts";
import { DATABASES } from "../storage/databases.ts";
import { all, newCustomer } from "./clients.ts";

/** Each call costs a tenth of a cent; there is credit for one. */
const MODELS = `
model_list:
  - model_name: flat
    litellm_params: { model: echo/chat, input_cost_per_query: 0.001, input_cost_per_token: 0, output_cost_per_token: 0 }
general_settings: { signup_credits: 0.001 }
`;
const weather = { type: "function" as const, function: { name: "get_weather", parameters: { type: "object" } } };
const poll = { pollIntervalMs: 5 };

for (const { kind, missing } of DATABASES) {
  describe.skipIf(missing)(`the money of runs on ${kind}`, async () => {
    if (missing) return;
    const app = await startAppOn(kind, MODELS);
    afterAll(() => app.close());

    test("ends in the middle: the run fails with the reason, what it used is paid, and the books agree", async () => {
      const { client } = await newCustomer(app);
      const { assistants, threads } = client.beta;
      const { id } = await assistants.create({ model: "flat", tools: [weather] });
      const thread = { messages: [{ role: "user" as const, content: "get weather" }] };
      const waiting = await threads.createAndRunPoll({ assistant_id: id, thread }, poll);
      expect(waiting.status).toBe("requires_action");
      const of = { thread_id: waiting.thread_id };
      const calls = waiting.required_action?.submit_tool_outputs.tool_calls ?? [];
      const tool_outputs = calls.map((call) => ({ tool_call_id: call.id, output: "sun" }));
      const ended = await threads.runs.submitToolOutputsAndPoll(waiting.id, { ...of, tool_outputs }, poll);
      expect(ended).toMatchObject({ status: "failed", last_error: { code: "rate_limit_exceeded" } });
      expect(ended.last_error?.message).toMatch(/credit/i);
      expect(ended.usage).toMatchObject({ cost: "0.001", cost_nano: 1_000_000 });
      const steps = await all(threads.runs.steps.list(waiting.id, of));
      expect(steps.map(({ status }) => status)).toEqual(["completed"]);
      // The thread is free, and what it was asked is still there.
      await threads.messages.create(waiting.thread_id, { role: "user", content: "And now?" });
      await app.service.flush();
      const findings = await app.storage.audit.verify(Date.now());
      expect(findings.flatMap(({ differences }) => differences)).toEqual([]);
    });
  });
}
