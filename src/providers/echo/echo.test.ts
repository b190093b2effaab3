import { describe, expect, test } from "bun:test";
import { tripped } from "../../../test/upstreams/hostile.ts";
import { ECHO_MODELS } from "./models.ts";
import { said, testEcho } from "./test-echo.ts";

const { echo, post, refusal } = testEcho();

describe("echo", () => {
  test("answers under any base path, in any deployment's name", async () => {
    const body = JSON.stringify({ ...said("x"), model: "gpt-4o" });
    const response = await echo(
      new Request("http://h/openai/deployments/d/chat/completions?api-version=1", { method: "POST", body }),
    );
    expect(await response.json()).toMatchObject({ model: "gpt-4o", object: "chat.completion", created: 1_700_000_000 });
  });

  test("gives every answer a request id", async () => {
    expect((await post("chat/completions", said("x"))).headers.get("x-request-id")).toMatch(/^req_/);
    expect((await post("nowhere", {})).headers.get("x-request-id")).toMatch(/^req_/);
  });

  test("lists its models", async () => {
    const response = await echo(new Request("http://h/v1/models"));
    expect(await response.json()).toMatchObject({
      object: "list",
      data: ECHO_MODELS.map((id) => ({ id, object: "model" })),
    });
  });

  test("an unknown path is 404, a wrong method 405", async () => {
    expect(await refusal("nowhere", {})).toMatchObject({
      status: 404,
      code: "unknown_url",
      type: "invalid_request_error",
    });
    expect((await echo(new Request("http://h/v1/chat/completions"))).status).toBe(405);
  });

  test("a body that is not a JSON object is 400", async () => {
    expect(await refusal("chat/completions", [1])).toMatchObject({ status: 400 });
    const broken = await echo(new Request("http://h/v1/embeddings", { method: "POST", body: "{" }));
    expect(broken.status).toBe(400);
    const headers = { "content-type": "multipart/form-data; boundary=x" };
    const form = await echo(
      new Request("http://h/v1/audio/transcriptions", { method: "POST", headers, body: "nonsense" }),
    );
    expect(form.status).toBe(400);
  });

  const schema = { type: "object", properties: { a: { format: "date", minLength: 1 } }, required: ["a"], allOf: [{}] };
  const call = { id: "a", type: "function", function: { name: "f", arguments: "{}" } };
  test.each([
    [
      "chat/completions",
      {
        model: "echo",
        messages: [
          { role: "user", name: "n", content: [{ type: "file", file: { filename: "a" } }] },
          { role: "assistant", tool_calls: [call] },
          { role: "tool", tool_call_id: "a", content: "x" },
        ],
        tools: [{ type: "function", function: { name: "f", parameters: schema } }],
        tool_choice: { type: "function", function: { name: "f" } },
        response_format: { type: "json_schema", json_schema: { schema } },
        stop: ["x"],
      },
    ],
    ["completions", { model: "echo", prompt: ["x"], suffix: "y", stop: ["x"], n: 1 }],
    ["embeddings", { model: "echo", input: ["x"], dimensions: 2, encoding_format: "float" }],
    ["moderations", { model: "echo", input: [{ type: "text", text: "x" }] }],
    ["images/generations", { model: "echo", prompt: "x", size: "16x16", response_format: "url" }],
    ["audio/speech", { model: "echo", input: "x", voice: { id: "alloy" }, speed: 4, response_format: "pcm" }],
    ["chat/completions", { ...said("x"), echo_fault: { times: 1, key: "k", error_type: "x", malformed: "html" } }],
  ])("answers or refuses %s, whatever a place of it holds", async (path, body) => {
    for (const request of tripped(body)) expect((await post(path, request)).status).toBeOneOf([200, 400]);
  });
});
