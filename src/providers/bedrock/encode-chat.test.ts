import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { body, call, weather, weatherSpec } from "../../../test/upstreams/converse-samples.ts";
import { always, spoiled, tripped } from "../../../test/upstreams/hostile.ts";
import { GatewayError } from "../../contract/errors.ts";
import { isRecord } from "../../lib/json.ts";
import { bedrock } from "./provider.ts";

const PNG = "iVBORw0KGgo=";

describe("a chat request", () => {
  test("of the plainest kind is its message alone", () => {
    expect(body({})).toEqual({ messages: [{ role: "user", content: [{ text: "Hi" }] }] });
  });

  test("with everything has each thing at its place", () => {
    const encoded = body({
      messages: [
        { role: "system", content: "Be brief." },
        { role: "developer", content: [{ type: "text", text: "Rules", cache_control: { type: "ephemeral" } }] },
        {
          role: "user",
          content: [
            { type: "text", text: "What is this?" },
            { type: "image_url", image_url: { url: `data:image/png;base64,${PNG}` } },
            { type: "image_url", image_url: `data:image/jpg;base64,${PNG}` },
            { type: "file", file: { filename: "q3_report.v2.pdf", file_data: "data:application/pdf;base64,JVBERi0=" } },
            { type: "text", text: "Long", cache_control: { type: "ephemeral", ttl: "1h" } },
          ],
        },
        {
          role: "assistant",
          content: "I look.",
          thinking_blocks: [
            { type: "thinking", thinking: "Hm", signature: "c2ln" },
            { type: "redacted_thinking", data: "cmVk" },
          ],
          tool_calls: [...call("a", '{"city":"Paris"}'), ...call("b")],
        },
        { role: "tool", tool_call_id: "a", content: "Sunny" },
        { role: "tool", tool_call_id: "b", content: [{ type: "text", text: "Rain" }] },
        { role: "user", content: "And?" },
      ],
      max_tokens: 100,
      max_completion_tokens: 200,
      temperature: 0.5,
      top_p: 0.9,
      stop: "END",
      tools: [{ ...weather, cache_control: { type: "ephemeral" } }],
      tool_choice: "required",
      user: "user-1@example.com",
      service_tier: "priority",
      top_k: 40,
      guardrailConfig: { guardrailIdentifier: "g", guardrailVersion: "1" },
      performanceConfig: { latency: "optimized" },
      additionalModelRequestFields: { anthropic_beta: ["x"] },
      inferenceConfig: { temperature: 0.1 },
      model_id: "arn:aws:bedrock:us-east-1:1:provisioned-model/x",
      metadata: { a: 1 },
    });
    expect(encoded).toEqual({
      system: [{ text: "Be brief." }, { text: "Rules" }, { cachePoint: { type: "default" } }],
      messages: [
        {
          role: "user",
          content: [
            { text: "What is this?" },
            { image: { format: "png", source: { bytes: PNG } } },
            { image: { format: "jpeg", source: { bytes: PNG } } },
            { document: { format: "pdf", name: "q3 report v2", source: { bytes: "JVBERi0=" } } },
            { text: "Long" },
            { cachePoint: { type: "default", ttl: "1h" } },
          ],
        },
        {
          role: "assistant",
          content: [
            { reasoningContent: { reasoningText: { text: "Hm", signature: "c2ln" } } },
            { reasoningContent: { redactedContent: "cmVk" } },
            { text: "I look." },
            { toolUse: { toolUseId: "a", name: "get_weather", input: { city: "Paris" } } },
            { toolUse: { toolUseId: "b", name: "get_weather", input: {} } },
          ],
        },
        {
          role: "user",
          content: [
            { toolResult: { toolUseId: "a", content: [{ text: "Sunny" }] } },
            { toolResult: { toolUseId: "b", content: [{ text: "Rain" }] } },
            { text: "And?" },
          ],
        },
      ],
      inferenceConfig: { maxTokens: 200, temperature: 0.1, topP: 0.9, stopSequences: ["END"] },
      toolConfig: { tools: [weatherSpec, { cachePoint: { type: "default" } }], toolChoice: { any: {} } },
      serviceTier: { type: "priority" },
      requestMetadata: { user: "user-1@example.com" },
      guardrailConfig: { guardrailIdentifier: "g", guardrailVersion: "1" },
      performanceConfig: { latency: "optimized" },
      additionalModelRequestFields: { top_k: 40, anthropic_beta: ["x"] },
    });
  });

  test("to Nova has top_k where Nova looks for it", () => {
    expect(body({ top_k: 20 }, "us.amazon.nova-pro-v1:0").additionalModelRequestFields).toEqual({
      inferenceConfig: { topK: 20 },
    });
  });

  test.each([
    ["one of the two settings alone", { temperature: 0.7, top_p: 0.9 }, { temperature: 0.7 }],
    ["no temperature while it thinks", { temperature: 0.7, reasoning_effort: "low" }, undefined],
    ["none while it thinks by its own field", { temperature: 0, thinking: { type: "enabled" } }, undefined],
    ["the highest temperature for a higher one", { temperature: 1.8 }, { temperature: 1 }],
  ])("to Claude samples by what Claude takes: %s", (_, fields, inferenceConfig) => {
    expect(body(fields, "us.anthropic.claude-sonnet-4-5-20250929-v1:0").inferenceConfig).toEqual(inferenceConfig);
  });

  test("to any other model has both of its settings", () => {
    const inferenceConfig = { temperature: 0.7, topP: 0.9 };
    expect(body({ temperature: 0.7, top_p: 0.9 }, "amazon.nova-pro-v1:0")).toMatchObject({ inferenceConfig });
  });

  test("leaves out a user that Bedrock's logs do not take", () => {
    expect(body({ user: "ü" })).not.toHaveProperty("requestMetadata");
  });
});

describe("a hostile caller", () => {
  test("gets a refusal of its request, never another error", () => {
    const request = {
      messages: [
        { role: "system", content: [{ type: "text", text: "a", cache_control: { type: "ephemeral" } }] },
        {
          role: "user",
          content: [
            { type: "image_url", image_url: { url: `data:image/png;base64,${PNG}` } },
            { type: "file", file: { filename: "a.pdf", file_data: "data:application/pdf;base64,JVBERi0=" } },
            { type: "input_audio", input_audio: { data: "AAAA", format: "wav" } },
          ],
        },
        { role: "assistant", content: "b", thinking_blocks: [{ type: "thinking" }], tool_calls: call("a") },
        { role: "tool", tool_call_id: "a", content: [{ type: "text", text: "c" }] },
        { role: "assistant", function_call: { name: "f", arguments: "{}" } },
        { role: "function", name: "f", content: "d" },
      ],
      tools: [weather],
      tool_choice: { type: "function", function: { name: "get_weather" } },
      response_format: { type: "json_schema", json_schema: { schema: { type: "object" } } },
      reasoning_effort: "low",
      thinking: { type: "enabled" },
    };
    fc.assert(
      fc.property(spoiled(request), (fields) => {
        if (!isRecord(fields) || !Array.isArray(fields.messages)) return;
        try {
          body(fields);
        } catch (thrown) {
          expect(thrown).toBeInstanceOf(GatewayError);
          expect(thrown).toMatchObject({ kind: "invalid_request" });
        }
      }),
      always(tripped(request)),
    );
  });
});

describe("the parameters that are honoured", () => {
  test.each([
    [
      "anthropic.claude-3-haiku-20240307-v1:0",
      { temperature: true, reasoning_effort: false, parallel_tool_calls: false },
    ],
    [
      "us.anthropic.claude-sonnet-4-5-20250929-v1:0",
      { temperature: true, reasoning_effort: true, parallel_tool_calls: true },
    ],
    ["global.anthropic.claude-opus-4-7", { temperature: false, reasoning_effort: true, parallel_tool_calls: true }],
    ["amazon.nova-pro-v1:0", { temperature: true, reasoning_effort: false, parallel_tool_calls: false }],
    ["openai.gpt-oss-20b-1:0", { temperature: true, reasoning_effort: true, parallel_tool_calls: false }],
    ["converse/meta.llama3-70b-instruct-v1:0", { tools: true, seed: false, n: false, logprobs: false }],
  ])("by %s", (model, expected) => {
    const supported = bedrock.supportedParams("chat", model);
    for (const [name, is] of Object.entries(expected)) expect([name, supported.includes(name)]).toEqual([name, is]);
  });
});
