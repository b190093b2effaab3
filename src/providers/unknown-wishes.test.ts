import { expect, test } from "bun:test";
import type { ChatRequest } from "../contract/chat.ts";
import type { Target } from "./dialect.ts";
import { providerOf } from "./registry.ts";

const MODELS: readonly (readonly [provider: Target["provider"], model: string, form?: "responses"])[] = [
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
  ["openai", "o3-pro", "responses"],
  ["azure", "gpt-5-pro", "responses"],
];

type Form = NonNullable<Target["form"]> | null;
const CASES = MODELS.map(([provider, model, form]): [Target["provider"], string, Form] => [
  provider,
  model,
  form ?? null,
]);

function encode(provider: Target["provider"], upstreamModel: string, fields: object, form: Form) {
  const params = { aws_region_name: "us-east-1", vertex_project: "p", vertex_location: "us-east5" };
  const target: Target = {
    ...{ provider, upstreamModel, params, apiBase: "http://localhost", apiKey: "key", apiVersion: null },
    env: () => undefined,
  };
  const request = { model: "m", messages: [{ role: "user", content: "Hi" }], ...fields } as ChatRequest;
  return providerOf({ provider, ...(form && { form }) })?.chat?.encode(request, target);
}

test.each(CASES)("%s refuses for %s a wish that nobody knows, rather than passing over it", (provider, model, form) => {
  for (const [param, value] of [
    ["response_format", { type: "grammar", grammar: "root ::= [0-9]" }],
    ["reasoning_effort", "utmost"],
    ["reasoning_effort", { effort: "high" }],
  ] as const) {
    expect(() => encode(provider, model, { [param]: value }, form)).toThrow(
      expect.objectContaining({ kind: "invalid_request", param }),
    );
  }
});

test.each(CASES)("%s refuses for %s a demand for a call where there is nothing to call", (provider, model, form) => {
  for (const tool_choice of ["required", { type: "function", function: { name: "f" } }]) {
    expect(() => encode(provider, model, { tool_choice }, form)).toThrow(
      expect.objectContaining({ kind: "invalid_request", param: "tool_choice" }),
    );
  }
  for (const tool_choice of ["auto", "none"]) expect(encode(provider, model, { tool_choice }, form)?.body).toBeString();
});

test.each(CASES)("%s takes for %s every effort that there is", (provider, model, form) => {
  for (const reasoning_effort of ["none", "minimal", "low", "medium", "high", "xhigh", "max"])
    expect(encode(provider, model, { reasoning_effort }, form)?.body).toBeString();
});

test.each(CASES)("%s is told through %s what was declined before", (provider, model, form) => {
  const messages = [
    { role: "user", content: "Hi" },
    { role: "assistant", content: null, refusal: "I would rather not." },
    { role: "user", content: "Why?" },
  ];
  expect(encode(provider, model, { messages }, form)?.body).toContain("I would rather not.");
});
