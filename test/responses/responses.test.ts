import { afterAll, describe, expect, test } from "bun:test";
import OpenAI from "openai";
import type { Response as Answer, ResponseStreamEvent } from "openai/resources/responses/responses";
import { startAppOn } from "../accounts/people.ts";
import { all, newCustomer, refusal } from "../assistants/clients.ts";
import { DATABASES } from "../storage/databases.ts";

const weather = {
  type: "function" as const,
  name: "get_weather",
  description: "The weather of a city.",
  strict: true,
  parameters: { type: "object", properties: { city: { type: "string" } }, required: ["city"] },
};
const patch = { type: "custom" as const, name: "apply_patch", description: "Changes files." };

for (const { kind, missing } of DATABASES) {
  describe.skipIf(missing)(`responses on ${kind}`, async () => {
    if (missing) return;
    const app = await startAppOn(kind);
    afterAll(() => app.close());
    const { client, key, person } = await newCustomer(app);
    const stranger = await newCustomer(app);
    const ask = (fields: object) =>
      client.responses.create({ model: "echo", input: "Hello!", ...fields } as { model: string }) as Promise<Answer>;
    const eventsOf = async (fields: object): Promise<ResponseStreamEvent[]> =>
      all((await ask({ stream: true, ...fields })) as unknown as AsyncIterable<ResponseStreamEvent>);
    const namesOf = (events: readonly ResponseStreamEvent[]) => events.map(({ type }) => type);

    test("answer a text", async () => {
      const response = await ask({ instructions: "Be kind.", metadata: { a: "b" }, temperature: 0.5 });
      expect(response).toMatchObject({
        object: "response",
        status: "completed",
        model: "echo",
        instructions: "Be kind.",
        metadata: { a: "b" },
        temperature: 0.5,
        store: true,
        error: null,
        incomplete_details: null,
        previous_response_id: null,
        tools: [],
        text: { format: { type: "text" } },
      });
      expect(response.id).toMatch(/^resp_[0-9a-f]{32}$/);
      expect(response.output_text).toBe("You said: Hello!");
      expect(response.output).toMatchObject([
        {
          type: "message",
          role: "assistant",
          status: "completed",
          content: [{ type: "output_text", annotations: [] }],
        },
      ]);
      const { input_tokens, output_tokens, total_tokens } = response.usage ?? { input_tokens: 0, output_tokens: 0 };
      expect(input_tokens).toBeGreaterThan(0);
      expect(total_tokens).toBe(input_tokens + output_tokens);
    });

    test.each(["/responses", "/openai/v1/responses"])("are served under %s, too", async (path) => {
      const response = await app.call(path, { key, json: { model: "echo", input: "Hello!" } });
      expect(response.status).toBe(200);
      expect(response.headers.get("x-gw-model-id")).toBe("builtin-echo");
      expect(Number(response.headers.get("x-gw-response-cost"))).toBeGreaterThan(0);
      expect(await response.json()).toMatchObject({ object: "response", status: "completed" });
    });

    test("are streamed as events that add up to the whole", async () => {
      const events = await eventsOf({});
      expect(events.map(({ sequence_number }) => sequence_number)).toEqual(events.map((_, at) => at));
      const names = namesOf(events);
      expect(names.slice(0, 4)).toEqual([
        "response.created",
        "response.in_progress",
        "response.output_item.added",
        "response.content_part.added",
      ]);
      expect(names.slice(-4)).toEqual([
        "response.output_text.done",
        "response.content_part.done",
        "response.output_item.done",
        "response.completed",
      ]);
      const said = events.map((event) => (event.type === "response.output_text.delta" ? event.delta : "")).join("");
      expect(said).toBe("You said: Hello!");
      const last = events.at(-1);
      expect(last).toMatchObject({ response: { status: "completed", output: [{ type: "message" }] } });
      expect(last?.type === "response.completed" && last.response.usage?.output_tokens).toBeGreaterThan(0);
    });

    test("are what the client's own stream puts together", async () => {
      const stream = client.responses.stream({ model: "echo", input: "Hello!" });
      const whole = await stream.finalResponse();
      expect(whole.output_text).toBe("You said: Hello!");
      expect(await client.responses.retrieve(whole.id)).toMatchObject({ id: whole.id, status: "completed" });
    });

    test("call functions, and go on with what these gave", async () => {
      const called = await ask({ input: "get weather of Rome", tools: [weather] });
      const [call] = called.output;
      if (call?.type !== "function_call") throw new Error("it called nothing");
      expect(call).toMatchObject({ name: "get_weather", status: "completed" });
      expect(JSON.parse(call.arguments)).toEqual({ city: "get weather of Rome" });
      const output = { type: "function_call_output", call_id: call.call_id, output: "sunny" };
      const went = await ask({ previous_response_id: called.id, input: [output], tools: [weather] });
      expect(went.output_text).toBe("get_weather answered: sunny");
      // The same without anything that is kept.
      const asked = { type: "message", role: "user", content: [{ type: "input_text", text: "get weather of Rome" }] };
      const again = await ask({ store: false, input: [asked, call, output], tools: [weather] });
      expect(again.output_text).toBe("get_weather answered: sunny");
    });

    test("stream the arguments of a function", async () => {
      const events = await eventsOf({ input: "get weather of Rome", tools: [weather] });
      const names = namesOf(events);
      expect(names).toContain("response.function_call_arguments.delta");
      expect(names.slice(-3)).toEqual([
        "response.function_call_arguments.done",
        "response.output_item.done",
        "response.completed",
      ]);
      const given = events
        .map((event) => (event.type === "response.function_call_arguments.delta" ? event.delta : ""))
        .join("");
      expect(JSON.parse(given)).toEqual({ city: "get weather of Rome" });
    });

    test("call tools that take a text", async () => {
      const called = await ask({ input: "apply patch now", tools: [patch] });
      expect(called.output).toMatchObject([
        { type: "custom_tool_call", name: "apply_patch", input: "apply patch now" },
      ]);
      const events = await eventsOf({ input: "apply patch now", tools: [patch] });
      expect(namesOf(events)).toContain("response.custom_tool_call_input.done");
      const [call] = called.output as { call_id?: string }[];
      const went = await ask({
        previous_response_id: called.id,
        input: [{ type: "custom_tool_call_output", call_id: call?.call_id, output: "done" }],
        tools: [patch],
      });
      expect(went.output_text).toBe("apply_patch answered: done");
    });

    test("go on from an earlier one, however far back it began", async () => {
      let previous: string | null = null;
      for (const input of ["one", "two", "three"]) {
        const { id }: Answer = await ask({ input, previous_response_id: previous });
        previous = id;
      }
      const counted = await ask({ input: "four", previous_response_id: previous });
      const alone = await ask({ input: "four" });
      expect(counted.usage?.input_tokens ?? 0).toBeGreaterThan((alone.usage?.input_tokens ?? 0) + 10);
      expect(counted.previous_response_id).toBe(previous);
    });

    test("leave out the instructions of an earlier one", async () => {
      const first = await ask({ instructions: "a b c d e f g h i j k l m n o p", store: true });
      const went = await ask({ previous_response_id: first.id, input: "x" });
      const same = await ask({ previous_response_id: (await ask({})).id, input: "x" });
      expect(went.usage?.input_tokens).toBe(same.usage?.input_tokens);
    });

    test("refer to earlier items by their ids", async () => {
      const first = await ask({ input: "get weather of Rome", tools: [weather] });
      const [call] = first.output as { id?: string; call_id?: string }[];
      const went = await ask({
        input: [
          { role: "user", content: "get weather of Rome" },
          { type: "item_reference", id: call?.id },
          { type: "function_call_output", call_id: call?.call_id, output: "sunny" },
        ],
        tools: [weather],
      });
      expect(went.output_text).toBe("get_weather answered: sunny");
      const { data } = await client.responses.inputItems.list(went.id, { order: "asc" });
      expect(data.map(({ type }) => type)).toEqual(["message", "function_call", "function_call_output"]);
      const refused = await refusal(
        stranger.client.responses.create({ model: "echo", input: [{ type: "item_reference", id: call?.id ?? "" }] }),
      );
      expect(refused.status).toBe(404);
    });

    test("tell how many tokens the model would be asked with, all that was said before among them", async () => {
      const count = async (asked: object) =>
        (await client.responses.inputTokens.count({ model: "echo", input: "Hello, heron!", ...asked })).input_tokens;
      const alone = await count({});
      expect(alone).toBeGreaterThan(2);
      expect(await count({ instructions: "Be kind to herons." })).toBeGreaterThan(alone);
      const { id } = await ask({ input: "Herons stand still for hours." });
      expect(await count({ previous_response_id: id })).toBeGreaterThan(alone + 5);
      const theirs = stranger.client.responses.inputTokens;
      expect((await refusal(theirs.count({ model: "echo", previous_response_id: id }))).status).toBe(404);
      expect((await refusal(client.responses.inputTokens.count({ model: "nobody", input: "x" }))).status).toBe(404);
    });

    test("are found again, with what was put in, and deleted", async () => {
      const made = await ask({
        input: [
          { role: "user", content: "a" },
          { role: "user", content: "b" },
        ],
      });
      expect(await client.responses.retrieve(made.id)).toMatchObject({ id: made.id, output: made.output });
      const items = client.responses.inputItems;
      const texts = async (query: object) =>
        (await items.list(made.id, query)).data.map((item) => (item as { content?: unknown }).content);
      const said = (text: string) => [{ type: "input_text", text }];
      expect(await texts({})).toEqual([said("b"), said("a")]);
      expect(await texts({ order: "asc", limit: 1 })).toEqual([said("a")]);
      expect(await all(items.list(made.id, { limit: 1 }))).toHaveLength(2);
      await client.responses.delete(made.id);
      expect((await refusal(client.responses.retrieve(made.id))).status).toBe(404);
      expect((await refusal(ask({ previous_response_id: made.id }))).status).toBe(404);
    });

    test("are another team's to nobody", async () => {
      const { id } = await ask({});
      const theirs = stranger.client.responses;
      for (const call of [
        () => theirs.retrieve(id),
        () => theirs.delete(id),
        () => theirs.inputItems.list(id),
        () => theirs.cancel(id),
        () => theirs.create({ model: "echo", input: "x", previous_response_id: id }),
      ]) {
        expect((await refusal(call())).status).toBe(404);
      }
      expect((await client.responses.retrieve(id)).id).toBe(id);
    });

    test("that are not to be stored are not", async () => {
      const { id, store } = (await ask({ store: false })) as Answer & { store: boolean };
      expect(store).toBe(false);
      expect((await refusal(client.responses.retrieve(id))).status).toBe(404);
      const refused = await refusal(ask({ previous_response_id: id }));
      expect(refused).toMatchObject({ status: 404 });
      expect(refused.message).toContain("was not stored");
    });

    test("keep to a schema", async () => {
      const schema = { type: "object", properties: { city: { type: "string" } }, required: ["city"] };
      const response = await ask({ text: { format: { type: "json_schema", name: "place", schema } } });
      expect(JSON.parse(response.output_text)).toEqual({ city: "Hello!" });
    });

    test("that end early say why", async () => {
      const short = await ask({ input: "one two three four", max_output_tokens: 2 });
      expect(short).toMatchObject({ status: "incomplete", incomplete_details: { reason: "max_output_tokens" } });
      const events = await eventsOf({ input: "one two three four", max_output_tokens: 2 });
      expect(events.at(-1)).toMatchObject({ type: "response.incomplete", response: { status: "incomplete" } });
    });

    test("that break off end with what failed", async () => {
      const events = await eventsOf({ input: "one two three four", echo_fault: { cut_after: 3 } });
      expect(events.at(-1)).toMatchObject({
        type: "response.failed",
        response: { status: "failed", error: { code: "upstream_error" }, output: [{ type: "message" }] },
      });
      expect(namesOf(events)).not.toContain("response.completed");
    });

    test("that fail before they begin are plain errors", async () => {
      const failed = await refusal(ask({ stream: true, echo_fault: { status: 429, message: "slow down" } }));
      expect(failed.status).toBe(429);
      expect((await refusal(ask({ model: "no-such-model" }))).status).toBe(404);
      expect((await refusal(client.responses.create({ model: "echo", input: [] }))).status).toBe(400);
      const keyless = new OpenAI({ ...optionsOf(client), apiKey: "sk-nobody", maxRetries: 0 });
      expect((await refusal(keyless.responses.create({ model: "echo", input: "x" }))).status).toBe(401);
    });

    test.each([
      [{ background: true, store: false }, "store"],
      [{ conversation: "conv_1", previous_response_id: "resp_1" }, "conversation"],
      [{ prompt: { id: "pmpt_1" } }, "prompt"],
      [{ truncation: "auto" }, "truncation"],
      [{ n: 2 }, "n"],
      [{ tools: [{ type: "code_interpreter", container: { type: "auto" } }] }, "tools"],
      [{ tool_choice: { type: "file_search" } }, "tool_choice"],
      [{ input: [{ type: "computer_call_output", call_id: "x", output: {} }] }, "input"],
      [{ input: [{ role: "user", content: [{ type: "input_image", file_id: "file_1" }] }] }, "input"],
      [{ input: [{ role: "nobody", content: "x" }] }, "input"],
    ])("refuse what is not served: %j", async (fields, param) => {
      const response = await app.call("/v1/responses", { key, json: { model: "echo", input: "x", ...fields } });
      expect(response.status).toBe(400);
      expect(await response.json()).toMatchObject({ error: { param, code: "invalid_request" } });
    });

    test("are in the log of usage under their own path, once", async () => {
      const before = await logged();
      await ask({});
      await eventsOf({});
      await app.service.flush();
      const rows = await logged();
      expect(rows.length - before.length).toBe(2);
      expect(rows[0]).toMatchObject({ endpoint: "/v1/responses", status: "succeeded" });

      async function logged(): Promise<{ endpoint: string }[]> {
        await app.service.flush();
        const { body } = await person.send("GET", "/api/gw/logs?pageSize=100");
        return (body as { data: { endpoint: string }[] }).data.filter(({ endpoint }) => endpoint === "/v1/responses");
      }
    });
  });
}

/** The way that a client calls. */
const optionsOf = (client: OpenAI): { baseURL: string; fetch: typeof fetch } => ({
  baseURL: client.baseURL,
  fetch: (client as unknown as { fetch: typeof fetch }).fetch,
});
