import { afterAll, describe, expect, test } from "bun:test";
import { startAppOn } from "../accounts/people.ts";
import { DATABASES } from "../storage/databases.ts";
import { all, newCustomer } from "./clients.ts";

const poll = { pollIntervalMs: 5 };
const usage = { prompt_tokens: 10, completion_tokens: 5, total_tokens: 15 };
const tools = [{ type: "function" as const, function: { name: "f", parameters: { type: "object" } } }];
const said = { messages: [{ role: "user" as const, content: "Hello!" }] };

interface Asked {
  readonly messages: readonly { readonly role: string; readonly content: unknown }[];
}

/** What the model streams when it is first asked; with what its tools gave it, it says "Done.". */
let first: object[] = [];
let asked: Asked = { messages: [] };
const upstream = Bun.serve({
  port: 0,
  hostname: "127.0.0.1",
  async fetch(request) {
    asked = (await request.json()) as Asked;
    const isDone = asked.messages.some(({ role }) => role === "tool");
    const deltas = isDone ? [{ content: "Done." }] : first;
    const frames = [
      ...deltas.map((delta) => ({ choices: [{ index: 0, delta, finish_reason: null }] })),
      { choices: [{ index: 0, delta: {}, finish_reason: isDone ? "stop" : "tool_calls" }], usage },
    ].map((frame) => `data: ${JSON.stringify({ id: "c", object: "chat.completion.chunk", created: 1, ...frame })}\n\n`);
    return new Response(`${frames.join("")}data: [DONE]\n\n`, { headers: { "content-type": "text/event-stream" } });
  },
});
afterAll(() => upstream.stop(true));

const MODELS = `
model_list:
  - model_name: odd
    litellm_params: { model: openai/m, api_base: "http://127.0.0.1:${upstream.port}/v1", api_key: sk-up, input_cost_per_token: 0, output_cost_per_token: 0 }
  - model_name: vectors
    litellm_params: { model: echo/embedding }
    model_info: { mode: embedding }
`;
const called = (name: string, args: string) => ({
  tool_calls: [{ index: 0, id: "call_1", type: "function", function: { name, arguments: args } }],
});

for (const { kind, missing } of DATABASES) {
  describe.skipIf(missing)(`runs of models that answer in odd ways on ${kind}`, async () => {
    if (missing) return;
    const app = await startAppOn(kind, MODELS);
    afterAll(() => app.close());
    const { client } = await newCustomer(app);
    const { assistants, threads } = client.beta;

    for (const [when, deltas, texts] of [
      ["behind its calls", [called("f", "{}"), { content: "Wait" }, { content: "." }], ["Wait."]],
      ["on both sides of its calls", [{ content: "So." }, called("f", "{}"), { content: "Wait." }], ["So.", "Wait."]],
    ] as const) {
      test(`keep what a model says ${when}`, async () => {
        first = [...deltas];
        const { id } = await assistants.create({ model: "odd", tools });
        let streamed = "";
        const events = threads.createAndRunStream({ assistant_id: id, thread: said });
        events.on("textDelta", ({ value }) => {
          streamed += value ?? "";
        });
        const waiting = await events.finalRun();
        expect(streamed).toBe(texts.join(""));
        const { thread_id } = waiting;
        const tool_outputs = [{ tool_call_id: "call_1", output: "sun" }];
        await threads.runs.submitToolOutputsAndPoll(waiting.id, { thread_id, tool_outputs }, poll);
        const messages = await all(threads.messages.list(thread_id, { order: "asc", run_id: waiting.id }));
        expect(
          messages.map(({ status, content: [part] }) => [status, part?.type === "text" && part.text.value]),
        ).toEqual([...texts, "Done."].map((text) => ["completed", text]));
        const steps = await all(threads.runs.steps.list(waiting.id, { thread_id }));
        expect(steps.map(({ status }) => status)).toEqual(Array(texts.length + 1).fill("completed"));
        // Each of the two turns is counted at one step.
        expect(steps.filter((step) => step.usage !== null)).toHaveLength(2);
        // The model reads it as the one turn that it was.
        expect(asked.messages.map(({ role, content }) => [role, content])).toEqual([
          ["user", "Hello!"],
          ["assistant", texts.join("\n\n")],
          ["tool", "sun"],
        ]);
      });
    }

    test("find nothing where a model searches for nothing", async () => {
      const { id: store } = await client.vectorStores.create({});
      const { id } = await assistants.create({
        model: "odd",
        tools: [{ type: "file_search" }],
        tool_resources: { file_search: { vector_store_ids: [store] } },
      });
      for (const args of ["", '{"query":""}', '{"query":" "}']) {
        first = [called("file_search", args)];
        expect(await threads.createAndRunPoll({ assistant_id: id, thread: said }, poll)).toMatchObject({
          status: "completed",
        });
      }
    });
  });
}
