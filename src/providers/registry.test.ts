import { expect, test } from "bun:test";
import { PROVIDER_IDS } from "../contract/provider-ids.ts";
import { jsonOf, targetOf } from "./openai/test-target.ts";
import { findProvider, listProviders } from "./registry.ts";

test("every provider is found by its own name, which configurations may use", () => {
  for (const provider of listProviders()) {
    expect(findProvider(provider.id)).toBe(provider);
    expect(PROVIDER_IDS as readonly string[]).toContain(provider.id);
  }
});

test.each([
  "openai",
  "azure",
  "azure_ai",
  "anthropic",
  "gemini",
  "vertex_ai",
  "bedrock",
  "cohere",
  "cohere_chat",
  "ollama",
  "ollama_chat",
  "groq",
  "echo",
])("%s can be called", (id) => {
  expect(findProvider(id)).not.toBeNull();
});

test("a name that is none finds nothing", () => {
  for (const id of ["", "nobody", "constructor", "__proto__"]) expect(findProvider(id)).toBeNull();
});

test("the offline models need no key and are asked for what they are asked", () => {
  const asked = { model: "g", messages: [{ role: "user" as const, content: "x" }], echo_fault: { status: 500 } };
  const request = findProvider("echo")?.chat?.encode(asked, targetOf("echo", { apiKey: null }));
  if (!request) throw new Error("no chat");
  expect(request.url).toBe("echo://offline/v1/chat/completions");
  expect(request.headers).not.toHaveProperty("authorization");
  expect(jsonOf(request).echo_fault).toEqual({ status: 500 });
});
