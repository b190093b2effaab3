import { afterAll, expect, test } from "bun:test";
import Anthropic from "@anthropic-ai/sdk";
import { startApp } from "../app.ts";
import { startStrictApp } from "./strict-app.ts";

const strict = await startStrictApp();
const details = { error_code: "thread_not_found", missing: "sk-upstream-0123456789" };
const refusing = Bun.serve({
  port: 0,
  hostname: "127.0.0.1",
  fetch() {
    const error = { type: "not_found_error", message: "thread not found", details };
    return Response.json({ type: "error", error }, { status: 404 });
  },
});
const own = await startApp(
  JSON.stringify({
    model_list: [
      {
        model_name: "claude",
        litellm_params: {
          ...{ model: "anthropic/claude-sonnet-4-5", api_key: details.missing },
          api_base: refusing.url.origin,
        },
      },
    ],
    router_settings: { num_retries: 0 },
  }),
);
afterAll(async () => {
  await Promise.all([strict.close(), own.close(), refusing.stop(true)]);
});

const continued = {
  max_tokens: 30,
  thread: { type: "continue", previous_message_id: "msg_does_not_exist" },
  messages: [{ role: "user", content: "and what did I say before?" }],
};

test.each(["gpt", "responses", "gemini", "echo"])(
  "%s refuses a message thread as Anthropic's SDKs expect",
  async (model) => {
    const app = model === "echo" ? own : strict.app;
    const key = app.first.demoKey ?? "";
    for (const path of ["/v1/messages", "/v1/messages/count_tokens"]) {
      const response = await app.call(path, { key, json: { model, ...continued } });
      expect([response.status, await response.json()]).toMatchObject([
        400,
        { error: { type: "invalid_request_error", details: { error_code: "thread_unsupported_request" } } },
      ]);
    }
  },
);

test("details of Anthropic's own errors reach the caller without the operator's secrets, and the model stays in use", async () => {
  const key = own.first.demoKey ?? "";
  for (let call = 0; call < 5; call++) {
    const response = await own.call("/v1/messages", { key, json: { model: "claude", ...continued } });
    const { error } = (await response.json()) as { error: { details: Record<string, string> } };
    expect(response.status).toBe(400);
    expect(error.details.error_code).toBe("thread_not_found");
    expect(error.details.missing).not.toContain("0123456789");
  }
});

test("the tool runner of Anthropic's SDK completes its loop without threads", async () => {
  strict.reply = ({ toolResults }) =>
    toolResults.length > 0
      ? { text: `It is ${toolResults[0]}.` }
      : { toolCalls: [{ name: "get_weather", arguments: { city: "Rome" } }] };
  const client = new Anthropic({
    ...{ apiKey: strict.key, baseURL: "http://turnpike.test", maxRetries: 0 },
    fetch: async (url, init) => {
      const { pathname, search } = new URL(String(url));
      const headers = Object.fromEntries(new Headers(init?.headers as Bun.HeadersInit));
      return strict.app.call(pathname + search, { method: "POST", headers, body: String(init?.body) });
    },
  });
  for (const model of ["gpt", "responses", "gemini"]) {
    const runner = client.beta.messages.toolRunner({
      ...{ model, max_tokens: 100, messages: [{ role: "user" as const, content: "How is the weather?" }] },
      tools: [
        {
          name: "get_weather",
          description: "Returns the weather.",
          input_schema: { type: "object" as const, properties: { city: { type: "string" } } },
          run: () => "sunny",
          parse: (input: unknown) => input,
        },
      ],
    });
    const message = await runner.runUntilDone();
    expect(message.content).toMatchObject([{ type: "text", text: "It is sunny." }]);
  }
});
