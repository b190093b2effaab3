// What Anthropic's own models say of a call beside its name and input reaches callers that speak Anthropic's form.

import { expect, test } from "bun:test";
import { startBooked } from "../metering/booked-app.ts";
import { eventsIn } from "./messages-app.ts";

const CALLS = [
  {
    ...{ type: "tool_use", id: "toolu_1", name: "look", input: { at: 1 } },
    caller: { type: "code_execution_20260120", tool_id: "srvtoolu_1" },
  },
  { type: "tool_use", id: "toolu_2", name: "zoom", input: {}, toolset_name: "computer", caller: { type: "direct" } },
];
const MESSAGE = {
  ...{ id: "msg_1", type: "message", role: "assistant", model: "claude" },
  ...{ stop_reason: "tool_use", stop_sequence: null, usage: { input_tokens: 5, output_tokens: 5 } },
};
const EVENTS = [
  { type: "message_start", message: { ...MESSAGE, content: [], stop_reason: null } },
  ...CALLS.flatMap((call, index) => [
    { type: "content_block_start", index, content_block: { ...call, input: {} } },
    {
      type: "content_block_delta",
      index,
      delta: { type: "input_json_delta", partial_json: JSON.stringify(call.input) },
    },
    { type: "content_block_stop", index },
  ]),
  { type: "message_delta", delta: { stop_reason: "tool_use", stop_sequence: null }, usage: { output_tokens: 5 } },
  { type: "message_stop" },
];

const upstream = Bun.serve({
  ...{ port: 0, hostname: "127.0.0.1", development: false },
  async fetch(request) {
    const { stream } = (await request.json()) as { stream?: boolean };
    if (!stream) return Response.json({ ...MESSAGE, content: CALLS });
    const text = EVENTS.map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`).join("");
    return new Response(text, { headers: { "content-type": "text/event-stream" } });
  },
});
const { app } = await startBooked(
  {
    model_list: [
      {
        model_name: "claude",
        litellm_params: { model: "anthropic/claude-sonnet-4-5", api_base: upstream.url.origin, api_key: "k" },
        model_info: { input_cost_per_token: "0.000001", output_cost_per_token: "0.000002" },
      },
    ],
  },
  upstream,
);
const post = (path: string, fields: object = {}) =>
  app.call(path, {
    key: app.first.demoKey ?? "",
    json: { model: "claude", max_tokens: 100, messages: [{ role: "user", content: "Look!" }], ...fields },
  });

test("in a whole answer", async () => {
  const { content } = (await (await post("/v1/messages")).json()) as { content: unknown };
  expect(content).toEqual(CALLS);
});

test("in a stream", async () => {
  const events = await eventsIn(await post("/v1/messages", { stream: true }));
  const begun = events.flatMap(({ type, content_block }) => (type === "content_block_start" ? [content_block] : []));
  expect(begun).toEqual(CALLS.map((call) => ({ ...call, input: {} })));
  const written = events.flatMap(({ delta }) => (delta as { partial_json?: string } | undefined)?.partial_json ?? []);
  expect(written).toEqual(CALLS.map(({ input }) => JSON.stringify(input)));
});

test("and no caller of a chat", async () => {
  for (const stream of [false, true]) {
    expect(await (await post("/v1/chat/completions", { stream })).text()).not.toMatch(/caller|anthropic_block/);
  }
});
