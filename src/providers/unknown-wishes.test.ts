import { expect, test } from "bun:test";
import type { ChatRequest } from "../contract/chat.ts";
import type { Target } from "./dialect.ts";
import { findProvider } from "./registry.ts";

const MODELS: readonly (readonly [provider: Target["provider"], model: string])[] = [
  ["anthropic", "claude-sonnet-4-20250514"],
  ["anthropic", "claude-opus-4-6"],
  ["bedrock", "anthropic.claude-sonnet-4-20250514-v1:0"],
  ["bedrock", "us.amazon.nova-2-lite-v1:0"],
  ["bedrock", "openai.gpt-oss-120b-1:0"],
  ["gemini", "gemini-2.5-flash"],
  ["gemini", "gemini-3-flash-preview"],
  ["vertex_ai", "claude-sonnet-4-5"],
  ["cohere", "command-a-03-2025"],
  ["ollama", "gpt-oss"],
];

function encode(provider: Target["provider"], upstreamModel: string, fields: object) {
  const params = { aws_region_name: "us-east-1", vertex_project: "p", vertex_location: "us-east5" };
  const target: Target = {
    ...{ provider, upstreamModel, params, apiBase: "http://localhost", apiKey: "key", apiVersion: null },
    env: () => undefined,
  };
  const request = { model: "m", messages: [{ role: "user", content: "Hi" }], ...fields } as ChatRequest;
  return findProvider(provider)?.chat?.encode(request, target);
}

test.each(MODELS)("%s refuses for %s a wish that nobody knows, rather than passing over it", (provider, model) => {
  for (const [param, value] of [
    ["response_format", { type: "grammar", grammar: "root ::= [0-9]" }],
    ["reasoning_effort", "utmost"],
    ["reasoning_effort", { effort: "high" }],
  ] as const) {
    expect(() => encode(provider, model, { [param]: value })).toThrow(
      expect.objectContaining({ kind: "invalid_request", param }),
    );
  }
});

test.each(MODELS)("%s refuses for %s a demand for a call where there is nothing to call", (provider, model) => {
  for (const tool_choice of ["required", { type: "function", function: { name: "f" } }]) {
    expect(() => encode(provider, model, { tool_choice })).toThrow(
      expect.objectContaining({ kind: "invalid_request", param: "tool_choice" }),
    );
  }
  for (const tool_choice of ["auto", "none"]) expect(encode(provider, model, { tool_choice })?.body).toBeString();
});

test.each(MODELS)("%s takes for %s every effort that there is", (provider, model) => {
  for (const reasoning_effort of ["none", "minimal", "low", "medium", "high", "xhigh", "max"])
    expect(encode(provider, model, { reasoning_effort })?.body).toBeString();
});
