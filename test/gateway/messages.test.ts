import { afterAll, describe, expect, test } from "bun:test";
import { script } from "../e2e/dialect-suite.ts";
import { bodyOf, eventsIn, say, startMessages, TOOLS, textsIn } from "./messages-app.ts";
import { events, json, reply, startRaw } from "./raw-upstream.ts";

const world = await startMessages({ litellm_settings: { cache: true, cache_params: { mode: "default_off" } } });
const { app, books, key, post, seen } = world;
afterAll(() => world.close());

type Body = Record<string, unknown> & { content: { type: string; [field: string]: unknown }[] };
const answer = async (fields: object): Promise<Body> => {
  const response = await post(fields);
  const body = (await response.json()) as Body;
  expect([response.status, body.type]).toEqual([200, "message"]);
  return body;
};
const ECHOED = 'Echo of "hello", with ünïcode ✓.';
const FORMS = ["claude", "gpt"] as const;

describe.each(FORMS)("a message of %s", (model) => {
  test.each(["/v1/messages", "/anthropic/v1/messages", "/v1/messages?beta=true"])(
    "is answered under %s",
    async (path) => {
      const response = await post({ model }, {}, path);
      expect(response.status).toBe(200);
      expect(await response.json()).toEqual({
        id: expect.stringMatching(/^msg_/),
        type: "message",
        role: "assistant",
        model,
        content: [{ type: "text", text: ECHOED }],
        stop_reason: "end_turn",
        stop_sequence: null,
        usage: { input_tokens: 11, cache_creation_input_tokens: 0, cache_read_input_tokens: 0, output_tokens: 6 },
      });
      expect(response.headers.get("x-gw-model-id")).toBe(`${model}-id`);
      expect(response.headers.get("x-gw-response-cost")).toBe("0.000023");
      expect(response.headers.get("request-id")).toBe(response.headers.get("x-request-id"));
    },
  );

  test("is in the books as the call that it is", async () => {
    await post({ model, metadata: { user_id: "user_7" } });
    expect(await books.last()).toMatchObject({
      status: "succeeded",
      endpoint: "/v1/messages",
      operation: "chat",
      endUser: "user_7",
      promptTokens: 11,
      completionTokens: 6,
      cost: 23_000n,
    });
  });

  test("is streamed as Anthropic's events, with the count at its end", async () => {
    const response = await post({ model, stream: true });
    expect(response.headers.get("content-type")).toStartWith("text/event-stream");
    expect(response.headers.get("x-gw-model-group")).toBe(model);
    expect(response.headers.get("request-id")).toBe(response.headers.get("x-request-id"));
    const events = await eventsIn(response);
    const types = events.map(({ type }) => type);
    expect(types.slice(0, 4)).toEqual(["message_start", "ping", "content_block_start", "content_block_delta"]);
    expect(types.slice(-3)).toEqual(["content_block_stop", "message_delta", "message_stop"]);
    expect(events[0]).toMatchObject({ message: { role: "assistant", model, content: [], stop_reason: null } });
    expect(textsIn(events)).toEqual([ECHOED]);
    expect(events.at(-2)).toEqual({
      type: "message_delta",
      delta: { stop_reason: "end_turn", stop_sequence: null },
      usage: { input_tokens: 11, cache_creation_input_tokens: 0, cache_read_input_tokens: 0, output_tokens: 6 },
    });
    expect(await books.last()).toMatchObject({
      status: "succeeded",
      stream: true,
      promptTokens: 11,
      completionTokens: 6,
    });
  });

  test("calls tools, also in a stream, and takes their results", async () => {
    const { content, stop_reason } = await answer({ model, tools: TOOLS, ...say("both tools") });
    expect(stop_reason).toBe("tool_use");
    expect(content).toMatchObject([
      { type: "tool_use", name: "get_weather", input: { city: "Paris" } },
      { type: "tool_use", name: "get_time", input: { zone: "Europe/Paris" } },
    ]);
    const events = await eventsIn(await post({ model, tools: TOOLS, stream: true, ...say("both tools") }));
    expect(textsIn(events).map((text) => JSON.parse(text))).toEqual(content.map(({ input }) => input));
    const begun = events.filter(({ type }) => type === "content_block_start").map((event) => event.content_block);
    expect(begun).toMatchObject([
      { name: "get_weather", input: {} },
      { name: "get_time", input: {} },
    ]);
    expect(events.at(-2)).toMatchObject({ delta: { stop_reason: "tool_use" } });
    const results = content.map(({ id }, at) => ({ type: "tool_result", tool_use_id: id, content: `result ${at}` }));
    const messages = [
      ...say("both tools").messages,
      { role: "assistant", content },
      { role: "user", content: [...results.reverse(), { type: "text", text: "go on" }] },
    ];
    expect(await answer({ model, tools: TOOLS, messages })).toMatchObject({
      content: [{ text: "The tools said: result 1 and result 0" }],
    });
  });

  test("shows pictures, also those of a tool's result", async () => {
    const source = { type: "base64", media_type: "image/png", data: "iVBORw0KGgo=" };
    const image = { type: "image", source };
    const shown = await answer({ model, ...say([image, { type: "text", text: "picture" }]) });
    expect(shown).toMatchObject({ content: [{ text: "I see 1 picture(s)." }] });
    const use = { type: "tool_use", id: "toolu_1", name: "get_weather", input: {} };
    const result = { type: "tool_result", tool_use_id: "toolu_1", content: [image] };
    await answer({
      model,
      tools: TOOLS,
      messages: [
        { role: "user", content: "Look" },
        { role: "assistant", content: [use] },
        { role: "user", content: [result] },
      ],
    });
    expect(script.seen.at(-1)?.images).toBe(1);
  });

  test("counts what a cache was read for apart", async () => {
    const { usage } = await answer({ model, ...say("cached") });
    const written = model === "claude" ? 20 : 0;
    expect(usage).toMatchObject({
      cache_read_input_tokens: 50,
      cache_creation_input_tokens: written,
      output_tokens: 3,
    });
    const events = await eventsIn(await post({ model, stream: true, ...say("cached") }));
    expect(events.at(-2)).toMatchObject({ usage: { ...(usage as object) } });
  });

  test("says that it ended because it was too long", async () => {
    expect(await answer({ model, ...say("long") })).toMatchObject({ stop_reason: "max_tokens" });
  });

  test("is told what to do by text or by blocks", async () => {
    for (const system of ["be brief", [{ type: "text", text: "be brief", cache_control: { type: "ephemeral" } }]]) {
      expect(await answer({ model, system, ...say("system") })).toMatchObject({
        content: [{ text: "My orders: be brief" }],
      });
    }
  });

  test("is given again from the cache, plain and as the same events", async () => {
    const cache = { "use-cache": true, namespace: model };
    for (const stream of [false, true]) {
      const first = await post({ model, cache, stream });
      const again = await post({ model, cache, stream });
      expect([first, again].map(({ headers }) => headers.get("x-gw-cache-hit"))).toEqual([null, "true"]);
      expect(await again.text()).toBe(await first.text());
    }
    const chat = await app.call("/v1/chat/completions", { key, json: { ...bodyOf({ model, cache }) } });
    expect(chat.headers.get("x-gw-cache-hit")).toBeNull();
    expect(await chat.json()).toMatchObject({ object: "chat.completion" });
  });

  test("sent again with an Idempotency-Key is the very same one", async () => {
    const headers = { "idempotency-key": `again ${model}` };
    const first = await (await post({ model }, headers)).json();
    const again = await post({ model }, headers);
    expect(again.headers.get("idempotent-replayed")).toBe("true");
    expect(await again.json()).toEqual(first);
  });
});

test("an answer that nobody counted costs what it costs as a chat", async () => {
  const content = [{ type: "text", text: "one two three four five six" }];
  const sent = json({ id: "msg_1", type: "message", role: "assistant", content, stop_reason: "end_turn" });
  const raw = await startRaw({ claude: { provider: "anthropic", sent } });
  await raw.chat("claude", false);
  const chat = await raw.books.last();
  await raw.post("/v1/messages", "claude", { max_tokens: 10, messages: [{ role: "user", content: "hi" }] });
  const message = await raw.books.last();
  expect(message.endpoint).toBe("/v1/messages");
  expect([message.completionTokens, message.cost]).toEqual([chat.completionTokens, chat.cost]);
});

test("an answer that nobody counted tells the tokens that are charged, plain and streamed", async () => {
  const content = "one two three four five six";
  const whole = json({
    id: "c",
    choices: [{ index: 0, message: { role: "assistant", content }, finish_reason: "stop" }],
  });
  const said = { id: "c", choices: [{ index: 0, delta: { content }, finish_reason: "stop" }] };
  const streamed = reply("200 OK", "text/event-stream", events(said, "[DONE]"));
  const raw = await startRaw({
    plain: { provider: "openai", sent: whole },
    stream: { provider: "openai", sent: streamed },
  });
  const fields = { max_tokens: 10, messages: [{ role: "user", content: "hi" }] };
  const charged = async () => {
    const { promptTokens, completionTokens } = await raw.books.last();
    expect(completionTokens).toBeGreaterThan(0);
    return { input_tokens: promptTokens, output_tokens: completionTokens };
  };
  const answered = (await (await raw.post("/v1/messages", "plain", fields)).json()) as { usage: object };
  expect(answered.usage).toMatchObject(await charged());
  const told = await eventsIn(await raw.post("/v1/messages", "stream", { ...fields, stream: true }));
  expect(told.find(({ type }) => type === "message_delta")?.usage).toMatchObject(await charged());
});

test("calls of a stream that all say to be the first are told apart by their ids", async () => {
  const called = (...tool_calls: object[]) => ({ id: "c", choices: [{ index: 0, delta: { tool_calls } }] });
  const first = { index: 0, id: "a", function: { name: "look", arguments: '{"at":' } };
  // Some give each piece an id of its own: only what has a name begins a call.
  const more = { index: 0, id: "other", function: { arguments: "1}" } };
  const second = { index: 0, id: "b", function: { name: "look", arguments: '{"at":2}' } };
  const end = { id: "c", choices: [{ index: 0, delta: {}, finish_reason: "tool_calls" }] };
  const sent = events(called(first), called(more), called(second), end, "[DONE]");
  const raw = await startRaw({ gpt: { provider: "openai", sent: reply("200 OK", "text/event-stream", sent) } });
  const response = await raw.post("/v1/messages", "gpt", { max_tokens: 10, stream: true, ...say("Look") });
  const told = await eventsIn(response);
  const begun = told.filter(({ type }) => type === "content_block_start");
  expect(begun.map((event) => (event.content_block as { id: string }).id)).toEqual(["a", "b"]);
  expect(textsIn(told)).toEqual(['{"at":1}', '{"at":2}']);
});

describe("thoughts", () => {
  const thinking = { type: "enabled", budget_tokens: 1024 };

  test("of Anthropic's models come with their signatures, and go back with them", async () => {
    const { content } = await answer({ thinking, ...say("think") });
    expect(content).toEqual([
      { type: "thinking", thinking: "Let me think.", signature: "c2lnbmVk" },
      { type: "text", text: "Done thinking." },
    ]);
    const events = await eventsIn(await post({ thinking, stream: true, ...say("think") }));
    expect(textsIn(events)).toEqual(["Let me think.", "Done thinking."]);
    const signed = events.findIndex(
      ({ delta }) => (delta as { type?: string } | undefined)?.type === "signature_delta",
    );
    expect(events.slice(signed, signed + 2)).toMatchObject([
      { index: 0, delta: { signature: "c2lnbmVk" } },
      { type: "content_block_stop", index: 0 },
    ]);
    const messages = [...say("think").messages, { role: "assistant", content }, ...say("more").messages];
    await answer({ thinking, messages });
    expect(script.seen.at(-1)?.body.messages).toMatchObject([{}, { content }, {}]);
  });

  test("of others are shown to who asks for them", async () => {
    const thought = { type: "thinking", thinking: "Let me think.", signature: "" };
    const text = { type: "text", text: "Done thinking." };
    expect((await answer({ model: "thinker", thinking, ...say("think") })).content).toEqual([thought, text]);
    expect((await answer({ model: "thinker", ...say("think") })).content).toEqual([text]);
    const events = await eventsIn(await post({ model: "thinker", thinking, stream: true, ...say("think") }));
    expect(textsIn(events)).toEqual(["Let me think.", "Done thinking."]);
  });
});

test("what only Anthropic has goes to its models, and is refused by others", async () => {
  const tools = [{ type: "web_search_20250305", name: "web_search" }];
  await answer({ tools });
  expect(script.seen.at(-1)?.body.tools).toEqual(tools);
  const refused = await post({ model: "gpt", tools });
  expect(refused.status).toBe(400);
  expect(await refused.json()).toMatchObject({
    type: "error",
    error: { type: "invalid_request_error", message: expect.stringContaining("web_search_20250305") },
  });
});

test("a chat that says to be in Anthropic's form is taken at its word, and breaks nothing", async () => {
  const messages = [{ role: "user", content: "hello" }, { role: "assistant" }, { role: "user", content: null }];
  for (const model of ["claude", "gpt"]) {
    const json = { model, messages, anthropic_form: true };
    const response = await app.call("/v1/chat/completions", { key, json });
    expect([model, response.status]).toEqual([model, 200]);
  }
});

test("another group stands in for one that fails, whatever its form", async () => {
  const messages = [{ role: "user", content: [{ type: "text", text: "hello", cache_control: { type: "ephemeral" } }] }];
  for (const stream of [false, true]) {
    const response = await post({ model: "backed", messages, stream, thinking: { type: "adaptive" } });
    expect(response.headers.get("x-gw-model-group")).toBe("gpt");
    expect(response.headers.get("x-gw-attempted-fallbacks")).toBe("1");
    const answered = response.clone();
    expect((await answered.text()).match(/"model":"(\w+)"/)?.[1]).toBe("gpt");
    if (stream) expect(textsIn(await eventsIn(response))).toEqual([ECHOED]);
    else expect(await response.json()).toMatchObject({ content: [{ text: ECHOED }] });
  }
});

test("Claude Code's calls pass: blocks with marks, many tools, thoughts, results, betas", async () => {
  const mark = { cache_control: { type: "ephemeral" } };
  const many = Array.from({ length: 30 }, (_, at) => ({ ...TOOLS[0], name: `tool_${at}` }));
  const request = {
    stream: true,
    max_tokens: 32_000,
    thinking: { type: "enabled", budget_tokens: 31_999 },
    metadata: { user_id: `user_${"0".repeat(64)}_account__session_${crypto.randomUUID()}` },
    system: [
      { type: "text", text: "You are a coding agent.", ...mark },
      { type: "text", text: "Be thorough.", ...mark },
    ],
    tools: many.map((tool, at) => (at === 29 ? { ...tool, ...mark } : tool)),
    messages: [
      {
        role: "user",
        content: [
          { type: "text", text: "<reminder/>" },
          { type: "text", text: "Fix it.", ...mark },
        ],
      },
      {
        role: "assistant",
        content: [
          { type: "thinking", thinking: "I read it.", signature: "c2lnbmVk" },
          { type: "text", text: "Reading." },
          { type: "tool_use", id: "toolu_1", name: "tool_1", input: { path: "a.ts" } },
          { type: "tool_use", id: "toolu_2", name: "tool_2", input: {} },
        ],
      },
      {
        role: "user",
        content: [
          { type: "tool_result", tool_use_id: "toolu_1", content: "1→code" },
          {
            type: "tool_result",
            tool_use_id: "toolu_2",
            content: [{ type: "text", text: "no" }],
            is_error: true,
            ...mark,
          },
          { type: "text", text: "<reminder/>", ...mark },
        ],
      },
    ],
  };
  const headers = { "anthropic-beta": "claude-code-20250219,interleaved-thinking-2025-05-14", "x-app": "cli" };
  for (const model of ["claude", "gpt", "thinker"]) {
    const response = await post({ model, ...request }, headers, "/v1/messages?beta=true");
    const events = await eventsIn(response);
    expect([model, response.status, textsIn(events).at(-1)]).toEqual([
      model,
      200,
      `The tools said: 1→code and ${model === "claude" ? "" : "Error: "}no`,
    ]);
    expect(seen.at(-1)?.headers.get("anthropic-beta") ?? null).toBe(
      model === "claude" ? headers["anthropic-beta"] : null,
    );
  }
  const sent = script.seen.findLast(({ body }) => body.system !== undefined)?.body;
  const { system, tools, thinking, messages } = request;
  expect(sent).toMatchObject({ system, tools, thinking, messages, max_tokens: 32_000 });
});

describe("tokens of a message are counted", () => {
  const count = async (fields: object, path = "/v1/messages/count_tokens") => {
    const { max_tokens: _, ...json } = bodyOf(fields) as Record<string, unknown>;
    const response = await app.call(path, { headers: { "x-api-key": key }, json });
    expect(response.status).toBe(200);
    const body = (await response.json()) as { input_tokens: number };
    expect(Object.keys(body)).toEqual(["input_tokens"]);
    return body.input_tokens;
  };

  test.each(FORMS)("with instructions and tools, for nothing: %s", async (model) => {
    const calls = books.opened.length;
    const bare = await count({ model });
    expect(bare).toBeGreaterThan(3);
    const path = "/anthropic/v1/messages/count_tokens?beta=true";
    expect(await count({ model, system: "word ".repeat(50) }, path)).toBeGreaterThan(bare + 40);
    expect(await count({ model, tools: TOOLS })).toBeGreaterThan(bare + 20);
    expect(books.opened.length).toBe(calls);
  });

  test("by Anthropic's own counter for its models", async () => {
    await count({ thinking: { type: "enabled", budget_tokens: 1024 } });
    expect(new URL(seen.at(-1)?.url ?? "").pathname).toBe("/v1/messages/count_tokens");
  });

  test.each([
    ["parts", { type: "content", content: [{ type: "text", text: "word ".repeat(9000) }] }],
    ["a text, whatever it is called", { type: "text", media_type: "application/pdf", data: "word ".repeat(9000) }],
  ])("as the words of a document of %s", async (_, source) => {
    expect(await count({ model: "gpt", ...say([{ type: "document", source }]) })).toBeGreaterThan(8_900);
  });
});
