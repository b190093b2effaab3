import { expect, test } from "bun:test";
import { PROVIDER_IDS } from "../contract/provider-ids.ts";
import { parseUpstreamModel } from "./upstream-model.ts";

const parse = (name: string, provider: string | null = null, hasApiBase = false) => {
  const parsed = parseUpstreamModel(name, { provider, hasApiBase });
  return typeof parsed === "string" ? parsed : `${parsed.provider} | ${parsed.model}`;
};

test.each([
  ["openai/gpt-4o", "openai | gpt-4o"],
  ["openrouter/anthropic/claude-3", "openrouter | anthropic/claude-3"],
  ["bedrock/*", "bedrock | *"],
  ["*", "* | *"],
  ["gpt-4o", "openai | gpt-4o"],
  ["ft:gpt-4o:org::id", "openai | ft:gpt-4o:org::id"],
  ["o3-mini", "openai | o3-mini"],
  ["o1", "openai | o1"],
  ["text-embedding-3-small", "openai | text-embedding-3-small"],
  ["whisper-1", "openai | whisper-1"],
  ["tts-1", "openai | tts-1"],
  ["dall-e-3", "openai | dall-e-3"],
  ["claude-opus-4", "anthropic | claude-opus-4"],
  ["gemini-2.5-pro", "gemini | gemini-2.5-pro"],
  ["command-r", "cohere | command-r"],
  ["mistral-large-latest", "mistral | mistral-large-latest"],
  ["deepseek-chat", "deepseek | deepseek-chat"],
  ["anthropic.claude-3-sonnet-20240229-v1:0", "bedrock | anthropic.claude-3-sonnet-20240229-v1:0"],
  ["us.meta.llama3-2-1b-instruct-v1:0", "bedrock | us.meta.llama3-2-1b-instruct-v1:0"],
  ["textembedding-gecko@001", "vertex_ai | textembedding-gecko@001"],
  ["text-embedding-005", "vertex_ai | text-embedding-005"],
])("%s is %s", (name, expected) => {
  expect(parse(name)).toBe(expected);
});

test("a given provider, or an address, decides for a name that does not say it", () => {
  expect(parse("my-model", "hosted_vllm")).toBe("hosted_vllm | my-model");
  expect(parse("meta/llama", "hosted_vllm")).toBe("hosted_vllm | meta/llama");
  expect(parse("hosted_vllm/meta/llama", "hosted_vllm")).toBe("hosted_vllm | meta/llama");
  expect(parse("my-model", null, true)).toBe("openai | my-model");
  expect(parse("*", null, true)).toBe("openai | *");
});

test("an unknown provider is named, with the one that was probably meant", () => {
  expect(parse("anthropc/x")).toBe("unknown provider `anthropc`; did you mean `anthropic`?");
  expect(parse("mistralai-lab/x", null, true)).toBe(
    "unknown provider `mistralai-lab`. For a server with OpenAI's interface, write `openai/` before the whole name",
  );
  expect(parse("opennai/x", null, true)).toContain("did you mean `openai`? For a server");
  expect(parse("o365")).toContain("write `provider/model`");
});

test("the provider ids are sorted, and each stands there once", () => {
  expect([...PROVIDER_IDS]).toEqual([...new Set(PROVIDER_IDS)].sort());
});
