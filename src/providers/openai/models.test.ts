import { describe, expect, test } from "bun:test";
import { OPENAI_PARAMS } from "../../contract/params.ts";
import { openAiParams } from "./models.ts";
import { openai } from "./provider.ts";
import { jsonOf, targetOf } from "./test-target.ts";

const SAMPLING = ["temperature", "top_p", "logprobs", "top_logprobs", "frequency_penalty", "presence_penalty"];

describe("the parameters of a chat model", () => {
  test.each(["o1", "o3-mini", "o4-mini-2025-04-16", "gpt-5", "gpt-5-mini", "gpt-5.2-pro", "ft:o4-mini:acme::1"])(
    "%s reasons: no sampling, but an effort",
    (model) => {
      const params = openAiParams("chat", model);
      for (const name of SAMPLING) expect(params).not.toContain(name);
      expect(params).toContain("reasoning_effort");
      expect(params).toContain("max_tokens");
    },
  );

  test.each([
    "gpt-4o",
    "gpt-4.1-mini",
    "gpt-3.5-turbo",
    "chatgpt-4o-latest",
    "gpt-5-chat-latest",
    "ft:gpt-4o-mini:acme::1",
  ])("%s samples and knows no effort", (model) => {
    const params = openAiParams("chat", model);
    for (const name of SAMPLING) expect(params).toContain(name);
    expect(params).not.toContain("reasoning_effort");
  });

  test("from 5.1 on a reasoning model samples as well", () => {
    expect(openAiParams("chat", "gpt-5.1")).toEqual(expect.arrayContaining(["temperature", "reasoning_effort"]));
    expect(openAiParams("chat", "gpt-5.1")).not.toContain("frequency_penalty");
  });

  test("a model that is not OpenAI's takes everything", () => {
    expect(openAiParams("chat", "my-own-llama")).toEqual(OPENAI_PARAMS.chat);
  });
});

test.each([
  ["embedding", "text-embedding-ada-002", "dimensions"],
  ["speech", "tts-1-hd", "instructions"],
  ["transcription", "whisper-1", "stream"],
  ["transcription", "gpt-4o-transcribe", "timestamp_granularities"],
  ["image", "dall-e-2", "style"],
  ["image", "gpt-image-1", "response_format"],
  ["image_edit", "gpt-image-1.5", "response_format"],
  ["image_edit", "dall-e-2", "background"],
] as const)("%s with %s has no %s", (operation, model, param) => {
  expect(OPENAI_PARAMS[operation] as readonly string[]).toContain(param);
  expect(openAiParams(operation, model)).not.toContain(param);
});

describe("the limit of an answer", () => {
  const limits = (upstreamModel: string, given: object) => {
    const request = { model: "g", messages: [{ role: "user" as const, content: "x" }], ...given };
    const encoded = openai.chat?.encode(request, targetOf("openai", { upstreamModel }));
    if (!encoded) throw new Error("no chat");
    const { max_tokens, max_completion_tokens } = jsonOf(encoded);
    return [max_tokens, max_completion_tokens];
  };

  test("has its newer name for the models that refuse the older one", () => {
    expect(limits("o3", { max_tokens: 5 })).toEqual([undefined, 5]);
    expect(limits("gpt-5-chat-latest", { max_tokens: 5 })).toEqual([undefined, 5]);
  });

  test("is the caller's own where both names are given", () => {
    expect(limits("o3", { max_tokens: 5, max_completion_tokens: 9 })).toEqual([undefined, 9]);
  });

  test("keeps its name for every other model", () => {
    expect(limits("gpt-4o", { max_tokens: 5 })).toEqual([5, undefined]);
    expect(limits("my-own-llama", { max_tokens: 5 })).toEqual([5, undefined]);
  });
});
