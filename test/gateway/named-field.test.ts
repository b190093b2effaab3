import { afterAll, expect, test } from "bun:test";
import { MASTER_KEY, startApp } from "../app.ts";
import { Moody, status } from "../upstreams/moody.ts";

const upstream = new Moody("one");
const app = await startApp(
  JSON.stringify({
    model_list: [
      {
        model_name: "g",
        litellm_params: { model: "hosted_vllm/m", api_base: upstream.address, top_p: 0.5 },
        model_info: { free: true },
      },
    ],
  }),
);
afterAll(async () => {
  await app.close();
  await upstream.stop();
});

const paramOf = async (code: number, error: object, fields: object = {}): Promise<unknown> => {
  upstream.mood = status(code, { body: { error: { message: "This does not fit.", ...error } } });
  const messages = [{ role: "user", content: "Hello!" }];
  const response = await app.call("/v1/chat/completions", {
    key: MASTER_KEY,
    json: { model: "g", messages, num_retries: 0, ...fields },
  });
  expect(response.status).toBeGreaterThanOrEqual(400);
  return ((await response.json()) as { error: { param: unknown } }).error.param;
};

test.each([
  ["temperature", { temperature: 9 }],
  ["messages[0].content", {}],
  ["tools.0.function.name", { tools: [{ type: "function", function: { name: "a b" } }], stream: true }],
])("a refusal names the field that the upstream names: %s", async (param, fields) => {
  expect(await paramOf(400, { param }, fields)).toBe(param);
});

test.each([
  ["a field that was not sent", "temperature", {}],
  ["a default of the deployment", "top_p", {}],
  ["a field that only the gateway reads", "num_retries", {}],
  ["something that is no name", "messages: see http://10.0.0.1/secret", {}],
  ["a long text", `messages.${"x".repeat(500)}`, {}],
  ["what every object has", "constructor", {}],
  ["no text", 7, {}],
])("and nothing else: %s", async (_, param, fields) => {
  expect(await paramOf(400, { param }, fields)).toBeNull();
});

test("a failure of the upstream's own names no field", async () => {
  expect(await paramOf(500, { param: "messages" })).toBeNull();
  expect(await paramOf(401, { param: "messages" })).toBeNull();
});
