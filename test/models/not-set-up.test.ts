import { afterAll, describe, expect, test } from "bun:test";
import { MASTER_KEY, startApp } from "../app.ts";

const app = await startApp(`
model_list:
  - model_name: keyless
    litellm_params: { model: deepseek/deepseek-chat }
  - model_name: half
    litellm_params: { model: deepseek/deepseek-chat }
  - model_name: half
    litellm_params: { model: echo/echo }
  - model_name: nowhere
    litellm_params: { model: azure/gpt-4o, api_key: sk-canary-canary }
  - model_name: bring-your-own
    litellm_params: { model: deepseek/deepseek-chat, configurable_clientside_auth_params: [api_key] }
  - model_name: counted
    litellm_params: { model: anthropic/claude-sonnet-4-5 }
`);
afterAll(() => app.close());

const ADVICE = "DeepSeek needs a key: set api_key in the deployment or DEEPSEEK_API_KEY in the environment.";
const body = async (response: Response) => (await response.json()) as { error: { message: string } };
/** Of a team, as callers have one. */
const { key: teamKey } = (await (await app.call("/key/generate", { key: MASTER_KEY, json: {} })).json()) as {
  key: string;
};
const ask = (model: string, more: object = {}, key = teamKey) =>
  app.call("/v1/chat/completions", {
    key,
    json: { model, messages: [{ role: "user", content: "hi" }], num_retries: 0, ...more },
  });

describe("a model whose provider's key is missing", () => {
  test("is not said to work", async () => {
    const { data } = (await (await app.call("/api/models?pageSize=100")).json()) as {
      data: { id: string; status: string }[];
    };
    const told = Object.fromEntries(data.map(({ id, status }) => [id, status]));
    expect(told).toMatchObject({
      keyless: "unavailable",
      half: "degraded",
      nowhere: "unavailable",
      "bring-your-own": "active",
      echo: "active",
    });
  });

  test.each([{}, { stream: true }])(
    "tells callers whom to ask, and the log what is to be set, with %p",
    async (more) => {
      app.logged.length = 0;
      const answer = await ask("keyless", more);
      expect(answer.status).toBe(502);
      const { message } = (await body(answer)).error;
      expect(message).toContain("Please ask the operator");
      expect(message).not.toContain("api_key");
      expect(message).not.toContain("DEEPSEEK");
      expect(app.logged.join("\n")).toContain(ADVICE);
    },
  );

  test("tells the operator's own key what is to be set", async () => {
    expect((await body(await ask("keyless", {}, MASTER_KEY))).error.message).toBe(ADVICE);
  });

  test("tells no more where tokens are counted at the provider, or where nothing would be sent", async () => {
    const counted = await app.call("/utils/token_counter?call_endpoint=true", {
      key: teamKey,
      json: { model: "counted", messages: [{ role: "user", content: "hi" }] },
    });
    const shown = await app.call("/utils/transform_request", {
      key: teamKey,
      json: {
        call_type: "acompletion",
        request_body: { model: "keyless", messages: [{ role: "user", content: "hi" }] },
      },
    });
    for (const answer of [counted, shown])
      expect((await body(answer)).error.message).toContain("Please ask the operator");
  });

  test("tells callers who may bring a key that one is needed", async () => {
    expect((await body(await ask("bring-your-own"))).error.message).toBe(ADVICE);
  });

  test("says to operators what is to be set", async () => {
    const answer = await app.call("/api/admin/deployments?pageSize=100", { key: MASTER_KEY });
    const { data } = (await answer.json()) as { data: { group: string; lacks: string | null }[] };
    const lacks = Object.fromEntries(data.map(({ group, lacks }) => [group, lacks]));
    expect(lacks).toMatchObject({ keyless: ADVICE, echo: null, "bring-your-own": null });
    expect(lacks.nowhere).toStartWith("Azure OpenAI needs an address: ");
  });
});
