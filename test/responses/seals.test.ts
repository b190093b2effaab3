import { afterAll, describe, expect, test } from "bun:test";
import type OpenAI from "openai";
import { startApp } from "../app.ts";
import { clientOf } from "../assistants/clients.ts";
import { fakeAnthropic } from "../upstreams/anthropic.ts";
import { fakeOpenAi } from "../upstreams/openai.ts";
import { SAID, SealingGoogle } from "../upstreams/sealing-google.ts";

const sealing = new SealingGoogle();
let seen: unknown = null;
const script = {
  reply({ body }: { readonly body: unknown }) {
    seen = body;
    return { text: "Fine." };
  },
};
const servers = [sealing.answer, fakeAnthropic(script), fakeOpenAi(script)].map((fetch) =>
  Bun.serve({ port: 0, hostname: "127.0.0.1", development: false, idleTimeout: 0, fetch }),
);
const [google, claude, gpt] = servers.map(({ url }) => url.origin);
const entry = (model_name: string, model: string, api_base: string) => ({
  model_name,
  litellm_params: { model, api_base, api_key: "k" },
  model_info: { input_cost_per_token: "0.000001", output_cost_per_token: "0.000001" },
});
const app = await startApp(
  JSON.stringify({
    model_list: [
      entry("gemini", "gemini/gemini-3-pro-preview", `${google}/v1beta`),
      entry("claude", "anthropic/claude-sonnet-4-5", `${claude}`),
      entry("gpt", "openai/gpt-4o", `${gpt}/v1`),
      entry("pro", "openai/responses/o3-pro", `${gpt}/v1`),
    ],
  }),
);
afterAll(async () => {
  await Promise.all([app.close(), ...servers.map((server) => server.stop(true))]);
});
const client = clientOf(app, app.first.demoKey ?? "");

type Input = OpenAI.Responses.ResponseInput;
const tools = ["get_weather", "get_time"].map((name) => ({
  ...{ type: "function" as const, name, strict: false, parameters: { type: "object" } },
}));
const asked = { model: "gemini", input: "What is it like there?", tools, reasoning: { effort: "low" as const } };
const next = (output: OpenAI.Responses.Response["output"]): Input => {
  const calls = output.flatMap((item) => (item.type === "function_call" ? [item.call_id] : []));
  const results = calls.map((call_id) => ({ type: "function_call_output" as const, call_id, output: "fine" }));
  return calls.length > 0 ? results : [{ role: "user", content: "And then?" }];
};

describe.each([false, true])("what Gemini has sealed (streamed: %p)", (streamed) => {
  const said = async (name: string) => {
    [sealing.parts] = SAID[name] ?? [[]];
    return streamed ? client.responses.stream(asked).finalResponse() : client.responses.create(asked);
  };

  test.each(Object.entries(SAID))("comes back to it where it was: %s", async (name, [, back]) => {
    const { id, output } = await said(name);
    await client.responses.create({ ...asked, input: next(output), previous_response_id: id });
    expect(sealing.contents[1]).toEqual({ role: "model", parts: [...back] });
    // The same by a caller that keeps everything itself.
    const all = [{ role: "user", content: asked.input }, ...output, ...next(output)] as Input;
    await client.responses.create({ ...asked, store: false, input: all });
    expect(sealing.contents[1]).toEqual({ role: "model", parts: [...back] });
  });

  test.each(["claude", "gpt", "pro"])("is kept from others, which would refuse it: %s", async (model) => {
    for (const name of Object.keys(SAID)) {
      const { id, output } = await said(name);
      const { reasoning: _, ...plain } = asked;
      const answer = await client.responses.create({ ...plain, model, input: next(output), previous_response_id: id });
      expect(answer.output_text).toBe("Fine.");
      expect(JSON.stringify(seen)).not.toMatch(/google|c2VhbC/);
    }
  });
});
