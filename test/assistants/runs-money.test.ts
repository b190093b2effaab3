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

  describe.skipIf(missing)(`runs on ${kind}`, async () => {
    if (missing) return;
    const app = await startAppOn(kind);
    afterAll(() => app.close());
    const { client, keyId, person } = await newCustomer(app);
    const { assistants, threads } = client.beta;
    const helper = await assistants.create({ model: "echo", name: "Helper", instructions: "Be kind." });
    const said = (content: string) => ({ messages: [{ role: "user" as const, content }] });

    test("are charged to the key like chat calls, with a row in the log", async () => {
      const thread = await threads.create(said("What does it cost?"));
      const { usage } = await threads.runs.createAndPoll(thread.id, { assistant_id: helper.id }, poll);
      await app.service.flush();
      const { body } = await person.send("GET", "/api/gw/logs");
      const { data } = body as { data: Record<string, unknown>[] };
      const call = data.find(({ endpoint }) => endpoint === "/v1/threads/{thread_id}/runs");
      expect(call).toMatchObject({ model: "echo", status: "succeeded" });
      expect(JSON.stringify(call)).toContain(keyId);
      expect(Number(call?.cost)).toBeGreaterThan(0);
      // The run itself tells it, beside the tokens.
      expect(usage).toMatchObject({ cost_nano: call?.cost, cost: expect.stringMatching(/^0\.\d+$/) });
    });

    test("tell what each step has cost, and a run that is cancelled what it has come to", async () => {
      const thread = await threads.create(said("get weather"));
      const waiting = await threads.runs.createAndPoll(thread.id, { assistant_id: helper.id, tools: [weather] }, poll);
      const of = { thread_id: thread.id };
      await threads.runs.cancel(waiting.id, of);
      const { usage } = await threads.runs.poll(waiting.id, of, poll);
      const [step] = await all(threads.runs.steps.list(waiting.id, of));
      const { cost_nano } = usage as unknown as { cost_nano: number };
      expect(cost_nano).toBeGreaterThan(0);
      expect(step?.usage).toMatchObject({ cost_nano });
    });
  });
}
