import { expect, test } from "bun:test";
import { configOf, loadText } from "./load-text.ts";

const entry = (params: string, info = "{}") =>
  `model_list: [{model_name: m, litellm_params: {${params}}, model_info: ${info}}]\n`;
const deploymentOf = (params: string, info?: string) => configOf(entry(params, info)).deployments[0];

test.each([
  ["model: openai/responses/o3-pro, api_base: 'http://127.0.0.1/v1'", "{}", "openai", "o3-pro"],
  ["model: azure/responses/our-pro, api_base: 'https://a.openai.azure.com'", "{}", "azure", "our-pro"],
  ["model: responses/o3-pro, custom_llm_provider: openai", "{}", "openai", "o3-pro"],
  ["model: openai/mine, api_base: 'http://127.0.0.1/v1'", "{mode: responses}", "openai", "mine"],
  ["model: gpt-5-codex", "{}", "openai", "gpt-5-codex"],
])("`%s` with model_info %s is called through OpenAI's Responses", (params, info, provider, upstreamModel) => {
  expect(deploymentOf(params, info)).toMatchObject({ provider, upstreamModel, form: "responses" });
  expect(loadText(entry(params, info)).warnings).toEqual([]);
});

test.each([
  ["model: openai/gpt-4o", "{}"],
  ["model: openai/o3-pro", "{mode: chat}"],
  ["model: openai/o3-pro, api_base: 'http://127.0.0.1/v1'", "{}"],
])("`%s` with model_info %s is not", (params, info) => {
  expect(deploymentOf(params, info)).not.toHaveProperty("form");
});

test("who has no such models is warned that its mode has no effect", () => {
  const { warnings } = loadText(entry("model: groq/llama", "{mode: responses}"));
  expect(warnings).toMatchObject([{ line: 1, path: "model_list[0].model_info.mode" }]);
  expect(warnings[0]?.message).toContain("`groq` is called as for a chat");
});
