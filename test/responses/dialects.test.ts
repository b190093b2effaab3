import { afterAll, describe, expect, test } from "bun:test";
import { startApp } from "../app.ts";
import { clientOf, refusal } from "../assistants/clients.ts";
import { fakeAnthropic } from "../upstreams/anthropic.ts";
import { fakeGemini } from "../upstreams/gemini.ts";
import type { Reply, Seen } from "../upstreams/script.ts";

let reply: (seen: Seen) => Reply = () => ({ text: "hello" });
let seen: Readonly<Record<string, unknown>> = {};
const script = {
  reply(given: Seen): Reply {
    seen = given.body;
    return reply(given);
  },
};
const serve = (fetch: (request: Request) => Promise<Response>) =>
  Bun.serve({ port: 0, hostname: "127.0.0.1", development: false, idleTimeout: 0, fetch });
const anthropic = serve(fakeAnthropic(script));
const gemini = serve(fakeGemini(script));
const entry = (name: string, model: string, server: Bun.Server<undefined>) => ({
  model_name: name,
  litellm_params: { model, api_key: "k", api_base: server.url.origin + (model.startsWith("gemini") ? "/v1beta" : "") },
  model_info: { input_cost_per_token: "0.000001", output_cost_per_token: "0.000001" },
});
const app = await startApp(
  JSON.stringify({
    model_list: [
      entry("claude", "anthropic/claude-sonnet-4-20250514", anthropic),
      entry("gemini", "gemini/gemini-2.5-flash", gemini),
    ],
  }),
);
afterAll(async () => {
  await Promise.all([app.close(), anthropic.stop(true), gemini.stop(true)]);
});
const client = clientOf(app, app.first.demoKey ?? "");

describe.each(["claude", "gemini"])("a response of %s", (model) => {
  test("says, thinks and counts what the model did", async () => {
    reply = () => ({ text: "hello", reasoning: "hm", usage: { input: 20, output: 10, cacheRead: 5 } });
    const whole = await client.responses.create({ model, input: "Hi", reasoning: { effort: "low" } });
    const streamed = await client.responses
      .stream({ model, input: "Hi", reasoning: { effort: "low" } })
      .finalResponse();
    for (const response of [whole, streamed]) {
      expect(response.output_text).toBe("hello");
      expect(response.output[0]).toMatchObject({ type: "reasoning", summary: [{ type: "summary_text", text: "hm" }] });
      expect(response.usage?.input_tokens_details.cached_tokens).toBe(5);
    }
    expect(streamed.usage).toEqual(whole.usage as NonNullable<typeof whole.usage>);
    expect(shapeOf(streamed.output)).toEqual(shapeOf(whole.output));
  });
});

test("what Claude has signed comes back to it with what its tool gave", async () => {
  const tools = [{ type: "function" as const, name: "look", strict: false, parameters: { type: "object" } }];
  reply = ({ toolResults }) =>
    toolResults.length > 0 ? { text: "done" } : { reasoning: "I look", toolCalls: [{ name: "look", arguments: {} }] };
  const asked = { model: "claude", input: "Look!", tools, reasoning: { effort: "low" as const } };
  const kept = await client.responses.stream(asked).finalResponse();
  const call = kept.output.find(({ type }) => type === "function_call") as { call_id: string };
  const output = { type: "function_call_output" as const, call_id: call.call_id, output: "seen" };
  const signed = expect.objectContaining({ type: "thinking", thinking: "I look", signature: expect.any(String) });
  const went = await client.responses.create({ ...asked, input: [output], previous_response_id: kept.id });
  expect(went.output_text).toBe("done");
  expect(assistantBlocks()).toContainEqual(signed);
  // The same by a caller that keeps everything itself.
  const { output: said } = await client.responses.create({ ...asked, store: false });
  const again = said.find(({ type }) => type === "function_call") as { call_id: string };
  await client.responses.create({
    ...asked,
    store: false,
    input: [{ role: "user", content: "Look!" }, ...(said as never[]), { ...output, call_id: again.call_id }],
  });
  expect(assistantBlocks()).toContainEqual(signed);
});

test("what is too long to be kept is answered, and says that it is not", async () => {
  reply = () => ({ text: "long" });
  const made = await client.responses.create({ model: "claude", input: "x".repeat(9 * 1024 * 1024) });
  expect(made).toMatchObject({ output_text: "long", store: false });
  expect((await refusal(client.responses.retrieve(made.id))).status).toBe(404);
});

test("a caller that leaves ends the call, and nothing is kept", async () => {
  reply = () => ({ text: "a b c d e f", usage: { input: 3, output: 6 } });
  const stream = await client.responses.create({ model: "claude", input: "Hi", stream: true });
  let id = "";
  for await (const event of stream) {
    if (event.type === "response.created") id = event.response.id;
    if (event.type === "response.output_text.delta") break;
  }
  expect((await refusal(client.responses.retrieve(id))).status).toBe(404);
});

const assistantBlocks = (): readonly unknown[] => {
  const messages = seen.messages as { role: string; content: unknown }[];
  const said = messages.find(({ role }) => role === "assistant")?.content;
  return Array.isArray(said) ? said : [said];
};

/** Without what is drawn anew for each. */
const shapeOf = (output: readonly object[]): unknown =>
  JSON.parse(
    JSON.stringify(output, (name, value) => (["id", "encrypted_content", "parsed"].includes(name) ? undefined : value)),
  );
