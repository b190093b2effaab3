import { expect, test } from "bun:test";
import { parseUpstreamModel } from "../../src/config/upstream-model.ts";
import { inferProvider, splitModelName } from "../../src/contract/model-families.ts";

const NAMES =
  "gpt-4o ft:gpt-4o:a chatgpt-x o1 o3-mini o5 text-embedding-3 whisper-1 tts-1 dall-e-3 omni-moderation-x claude-9 gemini-2 command-r embed-english-v3 rerank-v3 mistral-x codestral-x open-mixtral-x deepseek-chat llama-3 nobody-knows".split(
    " ",
  );

test.each(NAMES)("a bare %s means the same in a configuration and in a call", (name) => {
  const configured = parseUpstreamModel(name, { provider: null, hasApiBase: false });
  expect(inferProvider(name)).toBe(typeof configured === "string" ? null : configured.provider);
});

test.each([
  ["openrouter/openai/gpt-4o", { provider: "openrouter", model: "openai/gpt-4o" }],
  ["gpt-4o", { provider: "openai", model: "gpt-4o" }],
  ["nobody/model", null],
  ["openai/", null],
  ["__proto__/x", null],
])("%s is %p", (name, parts) => {
  expect(splitModelName(name)).toEqual(parts);
});
