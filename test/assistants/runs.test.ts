import { afterAll, describe, expect, test } from "bun:test";
import type { Run } from "openai/resources/beta/threads/runs/runs";
import { startAppOn } from "../accounts/people.ts";
import { DATABASES } from "../storage/databases.ts";
import { all, newCustomer, refusal } from "./clients.ts";

const weather = {
  type: "function" as const,
  function: {
    name: "get_weather",
    parameters: { type: "object", properties: { city: { type: "string" } }, required: ["city"] },
  },
};
const time = { type: "function" as const, function: { name: "get_time", parameters: { type: "object" } } };
const poll = { pollIntervalMs: 5 };

for (const { kind, missing } of DATABASES) {
  describe.skipIf(missing)(`runs on ${kind}`, async () => {
    if (missing) return;
    const app = await startAppOn(kind);
    afterAll(() => app.close());
    const { client, key } = await newCustomer(app);
    const stranger = await newCustomer(app);
    const { assistants, threads } = client.beta;
    const helper = await assistants.create({ model: "echo", name: "Helper", instructions: "Be kind." });
    const said = (content: string) => ({ messages: [{ role: "user" as const, content }] });
    const texts = async (threadId: string) =>
      (await all(threads.messages.list(threadId, { order: "asc" }))).map(({ role, content }) => [
        role,
        content[0]?.type === "text" ? content[0].text.value : content[0]?.type,
      ]);
    const functionCalls = (run: Run) => run.required_action?.submit_tool_outputs.tool_calls ?? [];

    test("answer in the thread, and count what they used", async () => {
      const thread = await threads.create(said("Hello!"));
      const run = await threads.runs.createAndPoll(thread.id, { assistant_id: helper.id, metadata: { a: "b" } }, poll);
      expect(run).toMatchObject({
        object: "thread.run",
        status: "completed",
        assistant_id: helper.id,
        instructions: "Be kind.",
        model: "echo",
        metadata: { a: "b" },
        tool_choice: "auto",
        truncation_strategy: { type: "auto", last_messages: null },
        expires_at: null,
        last_error: null,
        required_action: null,
      });
      expect(run.usage?.total_tokens).toBe((run.usage?.prompt_tokens ?? 0) + (run.usage?.completion_tokens ?? 0));
      expect(run.usage?.completion_tokens).toBeGreaterThan(0);
      expect(await texts(thread.id)).toEqual([
        ["user", "Hello!"],
        ["assistant", "You said: Hello!"],
      ]);
      const [message] = await all(threads.messages.list(thread.id, { run_id: run.id }));
      expect(message).toMatchObject({ assistant_id: helper.id, run_id: run.id, status: "completed" });
      const steps = await all(threads.runs.steps.list(run.id, { thread_id: thread.id }));
      expect(steps).toMatchObject([
        {
          object: "thread.run.step",
          type: "message_creation",
          status: "completed",
          step_details: { type: "message_creation", message_creation: { message_id: message?.id ?? "" } },
          usage: run.usage,
        },
      ]);
      const ids = { thread_id: thread.id, run_id: run.id };
      expect(await threads.runs.steps.retrieve(steps[0]?.id ?? "", ids)).toEqual(steps[0] as never);
      expect(await threads.runs.update(run.id, { thread_id: thread.id, metadata: { c: "d" } })).toMatchObject({
        metadata: { c: "d" },
      });
      expect((await all(threads.runs.list(thread.id))).map(({ id }) => id)).toEqual([run.id]);
    });

    test("stream their events with the real names, in the real order", async () => {
      const thread = await threads.create(said("Stream!"));
      const names: string[] = [];
      let text = "";
      for await (const { event, data } of await threads.runs.create(thread.id, {
        assistant_id: helper.id,
        stream: true,
      })) {
        if (names.at(-1) !== event) names.push(event);
        if (event === "thread.message.delta") {
          const [part] = data.delta.content ?? [];
          text += part?.type === "text" ? (part.text?.value ?? "") : "";
        }
      }
      expect(names).toEqual([
        "thread.run.created",
        "thread.run.queued",
        "thread.run.in_progress",
        "thread.run.step.created",
        "thread.run.step.in_progress",
        "thread.message.created",
        "thread.message.in_progress",
        "thread.message.delta",
        "thread.message.completed",
        "thread.run.step.completed",
        "thread.run.completed",
      ]);
      expect(text).toBe("You said: Stream!");
      const raw = await app.call(`/v1/threads/${thread.id}/runs`, {
        key,
        json: { assistant_id: helper.id, stream: true },
      });
      expect(raw.headers.get("content-type")).toStartWith("text/event-stream");
      expect(await raw.text()).toEndWith("event: done\ndata: [DONE]\n\n");
    });

    test("of a new thread tell of the thread first, and the client's helper puts it together", async () => {
      const stream = threads.createAndRunStream({ assistant_id: helper.id, thread: said("Both!") });
      const names: string[] = [];
      stream.on("event", ({ event }) => names.push(event));
      const final = await stream.finalMessages();
      expect(names[0]).toBe("thread.created");
      expect(final[0]?.content).toMatchObject([{ type: "text", text: { value: "You said: Both!" } }]);
      const run = await threads.createAndRunPoll({ assistant_id: helper.id, thread: said("Polled!") }, poll);
      expect(run.status).toBe("completed");
      expect(await texts(run.thread_id)).toEqual([
        ["user", "Polled!"],
        ["assistant", "You said: Polled!"],
      ]);
    });

    test("wait for functions and go on with what they gave", async () => {
      const tools = [weather, time];
      const thread = await threads.create(said("Please get weather and get time."));
      const waiting = await threads.runs.createAndPoll(thread.id, { assistant_id: helper.id, tools }, poll);
      expect(waiting.status).toBe("requires_action");
      const calls = functionCalls(waiting);
      expect(calls.map((call) => call.function.name).sort()).toEqual(["get_time", "get_weather"]);
      expect(waiting.usage).toBeNull();
      const of = { thread_id: thread.id };
      const [open] = await all(threads.runs.steps.list(waiting.id, of));
      expect(open).toMatchObject({ type: "tool_calls", status: "in_progress", usage: null });
      const outputs = calls.map(({ id }, index) => ({ tool_call_id: id, output: `result ${index}` }));
      const submit = (tool_outputs: { tool_call_id: string; output: string }[]) =>
        refusal(threads.runs.submitToolOutputs(waiting.id, { ...of, tool_outputs }));
      expect(await submit(outputs.slice(1))).toMatchObject({
        status: 400,
        message: expect.stringContaining("missing"),
      });
      expect((await submit([...outputs, { tool_call_id: "call_other", output: "" }])).status).toBe(400);
      const done = await threads.runs.submitToolOutputsAndPoll(waiting.id, { ...of, tool_outputs: outputs }, poll);
      expect(done.status).toBe("completed");
      const [, [, answer] = []] = await texts(thread.id);
      expect(answer).toContain("result 0");
      expect(answer).toContain("result 1");
      const steps = await all(threads.runs.steps.list(waiting.id, { ...of, order: "asc" }));
      expect(steps.map(({ type, status }) => [type, status])).toEqual([
        ["tool_calls", "completed"],
        ["message_creation", "completed"],
      ]);
      expect(steps[0]?.step_details).toMatchObject({
        tool_calls: calls.map(({ id }, index) => ({ id, type: "function", function: { output: `result ${index}` } })),
      });
      const used = steps.reduce((sum, { usage }) => sum + (usage?.total_tokens ?? 0), 0);
      expect(done.usage?.total_tokens).toBe(used);
      expect((await submit(outputs)).status).toBe(400);
    });

    test("stream up to the functions and from there on", async () => {
      const thread = await threads.create(said("get weather"));
      const names: string[] = [];
      const note = ({ event }: { event: string }) => {
        if (names.at(-1) !== event) names.push(event);
      };
      const stream = threads.runs.stream(thread.id, { assistant_id: helper.id, tools: [weather] });
      stream.on("event", note);
      const steps = await stream.finalRunSteps();
      expect(steps[0]?.step_details).toMatchObject({
        type: "tool_calls",
        tool_calls: [
          { type: "function", function: { name: "get_weather", arguments: expect.stringMatching(/^\{.*\}$/) } },
        ],
      });
      const waiting = await stream.finalRun();
      const tool_outputs = functionCalls(waiting).map(({ id }) => ({ tool_call_id: id, output: "sunny" }));
      const rest = threads.runs.submitToolOutputsStream(waiting.id, { thread_id: thread.id, tool_outputs });
      rest.on("event", note);
      const final = await rest.finalMessages();
      expect(JSON.stringify(final)).toContain("sunny");
      expect(names).toEqual([
        "thread.run.created",
        "thread.run.queued",
        "thread.run.in_progress",
        "thread.run.step.created",
        "thread.run.step.in_progress",
        "thread.run.step.delta",
        "thread.run.requires_action",
        "thread.run.step.completed",
        "thread.run.queued",
        "thread.run.in_progress",
        "thread.run.step.created",
        "thread.run.step.in_progress",
        "thread.message.created",
        "thread.message.in_progress",
        "thread.message.delta",
        "thread.message.completed",
        "thread.run.step.completed",
        "thread.run.completed",
      ]);
    });

    test("hold their thread: no second run, no other message, until the end", async () => {
      const thread = await threads.create(said("get weather"));
      const waiting = await threads.runs.createAndPoll(thread.id, { assistant_id: helper.id, tools: [weather] }, poll);
      const [message] = await all(threads.messages.list(thread.id));
      const of = { thread_id: thread.id };
      for (const call of [
        () => threads.runs.create(thread.id, { assistant_id: helper.id }),
        () => threads.messages.create(thread.id, { role: "user", content: "Wait!" }),
        () => threads.messages.delete(message?.id ?? "", of),
      ]) {
        const { status, message: why } = await refusal(call());
        expect([status, why.includes(waiting.id)]).toEqual([400, true]);
      }
      const cancelled = await threads.runs.cancel(waiting.id, of);
      expect(cancelled.status).toBe("cancelling");
      const after = await threads.runs.poll(waiting.id, of, poll);
      expect(after).toMatchObject({ status: "cancelled", required_action: null });
      expect(after.cancelled_at).not.toBeNull();
      const [step] = await all(threads.runs.steps.list(waiting.id, of));
      expect(step?.status).toBe("cancelled");
      await threads.messages.create(thread.id, { role: "user", content: "Now." });
      expect((await refusal(threads.runs.cancel(waiting.id, of))).status).toBe(400);
    });

    test("of many that begin at once in a thread, one is made", async () => {
      const thread = await threads.create(said("get weather"));
      const body = { assistant_id: helper.id, tools: [weather] };
      const outcomes = await Promise.all(
        Array.from({ length: 8 }, () =>
          threads.runs.create(thread.id, body).then(
            () => 200,
            (error: { status: number }) => error.status,
          ),
        ),
      );
      expect(outcomes.filter((status) => status === 200)).toHaveLength(1);
      expect(outcomes.filter((status) => status === 400)).toHaveLength(7);
    });

    test("say why they failed, and stop where they may not go on", async () => {
      const thread = await threads.create(said("Hello, hello, hello!"));
      const short = await threads.runs.createAndPoll(
        thread.id,
        { assistant_id: helper.id, max_completion_tokens: 3 },
        poll,
      );
      expect(short).toMatchObject({ status: "incomplete", incomplete_details: { reason: "max_completion_tokens" } });
      const [cut] = await all(threads.messages.list(thread.id, { run_id: short.id }));
      expect(cut).toMatchObject({ status: "incomplete", incomplete_details: { reason: "max_tokens" } });
      const long = await threads.create(said("word ".repeat(2000)));
      const full = await threads.runs.createAndPoll(long.id, { assistant_id: helper.id, max_prompt_tokens: 256 }, poll);
      expect(full).toMatchObject({ status: "incomplete", incomplete_details: { reason: "max_prompt_tokens" } });
      const odd = { type: "json_schema" as const, json_schema: { name: "x", schema: { type: "nonsense" } } };
      const failed = await threads.runs.createAndPoll(
        thread.id,
        { assistant_id: helper.id, response_format: odd },
        poll,
      );
      expect(failed).toMatchObject({ status: "failed", last_error: { code: "invalid_prompt" } });
      expect(failed.last_error?.message).not.toBe("");
    });

    test("read only the last messages if told, and the newest that fit", async () => {
      const thread = await threads.create({
        messages: ["one", "two", "three"].map((content) => ({ role: "user" as const, content })),
      });
      const prompt = async (more: object) => {
        const run = await threads.runs.createAndPoll(thread.id, { assistant_id: helper.id, ...more }, poll);
        expect(run.status).toBe("completed");
        return run.usage?.prompt_tokens ?? 0;
      };
      const whole = await prompt({});
      const last = await prompt({ truncation_strategy: { type: "last_messages", last_messages: 1 } });
      expect(last).toBeLessThan(whole);
      const long = await threads.create({
        messages: Array.from({ length: 30 }, () => ({ role: "user" as const, content: "some words ".repeat(50) })),
      });
      const cut = await threads.runs.createAndPoll(long.id, { assistant_id: helper.id, max_prompt_tokens: 600 }, poll);
      expect(cut.status).toBe("completed");
      expect(cut.usage?.prompt_tokens).toBeLessThan(1200);
    });

    test("take what the run says in place of the assistant, and more instructions and messages", async () => {
      const thread = await threads.create();
      const run = await threads.runs.createAndPoll(
        thread.id,
        {
          assistant_id: helper.id,
          instructions: "Be brief.",
          additional_instructions: "Be bold.",
          additional_messages: [{ role: "user", content: "Added." }],
          temperature: 0.2,
          parallel_tool_calls: false,
          tools: [weather, time],
          tool_choice: "none",
        },
        poll,
      );
      expect(run).toMatchObject({
        status: "completed",
        instructions: "Be brief.\n\nBe bold.",
        temperature: 0.2,
        parallel_tool_calls: false,
        tool_choice: "none",
      });
      expect(await texts(thread.id)).toEqual([
        ["user", "Added."],
        ["assistant", "You said: Added."],
      ]);
      const forced = await threads.runs.createAndPoll(
        thread.id,
        {
          assistant_id: helper.id,
          tools: [weather, time],
          tool_choice: { type: "function", function: { name: "get_time" } },
        },
        poll,
      );
      const calls = functionCalls(forced);
      expect(calls.map((call) => call.function.name)).toEqual(["get_time"]);
      const done = await threads.runs.submitToolOutputsAndPoll(
        forced.id,
        { thread_id: thread.id, tool_outputs: [{ tool_call_id: calls[0]?.id ?? "", output: "noon" }] },
        poll,
      );
      expect(done.status).toBe("completed");
    });

    test("are refused before they begin where they cannot be carried out", async () => {
      const thread = await threads.create(said("x"));
      const create = async (more: object) =>
        (await refusal(threads.runs.create(thread.id, { assistant_id: helper.id, ...more } as never))).status;
      expect(await create({ assistant_id: "asst_none" })).toBe(404);
      expect(await create({ model: "nobody" })).toBe(404);
      expect(await create({ tools: [{ type: "code_interpreter" }] })).toBe(400);
      expect(await create({ tool_choice: "required" })).toBe(400);
      expect(await create({ tool_choice: { type: "function", function: { name: "x" } }, tools: [weather] })).toBe(400);
      expect(await create({ truncation_strategy: { type: "last_messages" } })).toBe(400);
      expect(await create({ max_prompt_tokens: 10 })).toBe(422);
      expect(await create({ thread_id: 1, temperature: "hot" })).toBe(422);
      expect(await all(threads.runs.list(thread.id))).toEqual([]);
    });

    test("of another team are not there, whatever names them", async () => {
      const thread = await threads.create(said("get weather"));
      const run = await threads.runs.createAndPoll(thread.id, { assistant_id: helper.id, tools: [weather] }, poll);
      const [step] = await all(threads.runs.steps.list(run.id, { thread_id: thread.id }));
      const theirs = stranger.client.beta.threads;
      const own = await theirs.create(said("x"));
      const mine = await stranger.client.beta.assistants.create({ model: "echo" });
      for (const thread_id of [thread.id, own.id]) {
        const outputs = functionCalls(run).map(({ id }) => ({ tool_call_id: id, output: "" }));
        for (const call of [
          () => theirs.runs.retrieve(run.id, { thread_id }),
          () => theirs.runs.update(run.id, { thread_id, metadata: {} }),
          () => theirs.runs.cancel(run.id, { thread_id }),
          () => theirs.runs.submitToolOutputs(run.id, { thread_id, tool_outputs: outputs }),
          () => theirs.runs.steps.list(run.id, { thread_id }),
          () => theirs.runs.steps.retrieve(step?.id ?? "", { thread_id, run_id: run.id }),
          () => theirs.runs.list(thread_id, { after: run.id }),
          () => theirs.messages.list(thread_id, { run_id: run.id }),
        ]) {
          expect((await refusal(call())).status).toBe(404);
        }
      }
      expect((await refusal(theirs.runs.create(thread.id, { assistant_id: mine.id }))).status).toBe(404);
      expect((await refusal(theirs.runs.create(own.id, { assistant_id: helper.id }))).status).toBe(404);
      expect((await refusal(theirs.createAndRun({ assistant_id: helper.id }))).status).toBe(404);
      expect((await threads.runs.retrieve(run.id, { thread_id: thread.id })).status).toBe("requires_action");
    });
  });
}
