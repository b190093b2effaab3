import { describe, expect, test } from "bun:test";
import { eventsOf } from "../../src/lib/sse.ts";
import { events, reply, startRaw } from "./raw-upstream.ts";

type Event = { readonly type: string; readonly [field: string]: unknown };

const piece = (delta: object, finish: string | null = null) => ({
  id: "c",
  choices: [{ index: 0, delta, finish_reason: finish }],
});
const call = (index: number, fields: object) => piece({ tool_calls: [{ index, ...fields }] });
const stream = (...chunks: readonly object[]) => {
  const usage = { prompt_tokens: 3, completion_tokens: 4, total_tokens: 7 };
  const end = [piece({}, "tool_calls"), { id: "c", choices: [], usage }, "[DONE]"];
  return { provider: "openai", sent: reply("200 OK", "text/event-stream", events(...chunks, ...end)) };
};

const world = await startRaw({
  late: stream(
    call(0, { id: "a", function: { name: "", arguments: '{"x"' } }),
    call(1, { id: "b", function: { name: "two", arguments: "{}" } }),
    call(0, { function: { arguments: ":1" } }),
    call(0, { function: { name: "one", arguments: "}" } }),
  ),
  never: stream(call(0, { id: "a", function: { arguments: "{}" } })),
});

const told = async (path: string, model: string, fields: object): Promise<Event[]> => {
  const response = await world.post(path, model, { stream: true, ...fields });
  return eventsOf(await response.text()).map(({ data }) => JSON.parse(data) as Event);
};

describe("a call whose name comes behind its first piece", () => {
  test("begins with its name in a response, and its arguments follow", async () => {
    const all = await told("/v1/responses", "late", { input: "hi" });
    const kinds = ["response.output_item.added", "response.function_call_arguments.delta", "response.output_item.done"];
    const seen = all.filter(({ type }) => kinds.includes(type));
    expect(seen).toMatchObject([
      { type: kinds[0], output_index: 0, item: { name: "two", call_id: "b", arguments: "" } },
      { type: kinds[1], output_index: 0, delta: "{}" },
      { type: kinds[0], output_index: 1, item: { name: "one", call_id: "a", arguments: "" } },
      { type: kinds[1], output_index: 1, delta: '{"x":1}' },
      { type: kinds[2], output_index: 0, item: { name: "two", arguments: "{}" } },
      { type: kinds[2], output_index: 1, item: { name: "one", arguments: '{"x":1}' } },
    ]);
  });

  test("begins with its name in a message, and its input follows", async () => {
    const fields = { max_tokens: 9, messages: [{ role: "user", content: "hi" }] };
    const all = await told("/v1/messages", "late", fields);
    const blocks = all.filter(({ type }) => /^content_block_(start|delta)$/.test(type));
    expect(blocks).toMatchObject([
      { index: 0, content_block: { type: "tool_use", id: "b", name: "two" } },
      { index: 0, delta: { partial_json: "{}" } },
      { index: 1, content_block: { type: "tool_use", id: "a", name: "one" } },
      { index: 1, delta: { partial_json: '{"x":1}' } },
    ]);
  });

  test("is told at the end where there is none", async () => {
    const responded = await told("/v1/responses", "never", { input: "hi" });
    expect(responded.at(-1)).toMatchObject({ response: { output: [{ call_id: "a", name: "", arguments: "{}" }] } });
    const fields = { max_tokens: 9, messages: [{ role: "user", content: "hi" }] };
    const blocks = (await told("/v1/messages", "never", fields)).filter(({ type }) => type === "content_block_start");
    expect(blocks).toMatchObject([{ content_block: { type: "tool_use", id: "a", name: "" } }]);
  });
});
