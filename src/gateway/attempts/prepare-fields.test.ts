import { describe, expect, test } from "bun:test";
import type { Deployment } from "../../contract/deployment.ts";
import type { Provider } from "../../providers/dialect.ts";
import { findProvider } from "../../providers/registry.ts";
import { toChatFields } from "../operations/text-over-chat.ts";
import { prepareFields } from "./prepare-fields.ts";

const provider: Provider = {
  id: "p",
  title: "Provider",
  supportedParams: () => ["temperature", "max_tokens", "stream"],
  classify: () => ({ kind: "upstream", message: "" }),
};
const deployment = (params: Record<string, unknown> = {}): Deployment => ({
  id: "d",
  group: "g",
  provider: "p",
  upstreamModel: "m",
  apiBase: null,
  apiKey: null,
  apiVersion: null,
  params,
  info: {},
});
const prepare = (request: Record<string, unknown>, params: Record<string, unknown> = {}, drop = false) =>
  prepareFields("chat", { model: "g", messages: [], ...request }, deployment(params), provider, drop);

describe("the fields that a provider gets", () => {
  test("have the deployment's defaults under the request's own", () => {
    expect(prepare({ temperature: 1 }, { temperature: 0.2, max_tokens: 5, top_k: 3 })).toMatchObject({
      temperature: 1,
      max_tokens: 5,
      top_k: 3,
    });
  });

  test("have nothing of what steers the deployment or the gateway", () => {
    const params = {
      weight: 2,
      rpm: 10,
      tags: ["a"],
      input_cost_per_token: 0.1,
      configurable_clientside_auth_params: [],
    };
    const request = {
      metadata: { a: 1 },
      guardrails: ["g"],
      caching: true,
      num_retries: 3,
      fallbacks: ["x"],
      logger_fn: "x",
      timeout: 3,
    };
    expect(prepare(request, params)).toEqual({ model: "g", messages: [] });
  });

  test("have no hints that the provider does not heed", () => {
    expect(prepare({ prompt_cache_key: "k", safety_identifier: "s" })).toEqual({ model: "g", messages: [] });
    expect(() => prepare({ verbosity: "low" })).toThrow(expect.objectContaining({ param: "verbosity" }));
  });

  test("have no nulls", () => {
    expect(prepare({ temperature: null, stop: null })).toEqual({ model: "g", messages: [] });
  });

  test("have the provider's own fields, also those of extra_body", () => {
    expect(prepare({ top_k: 5, extra_body: { safe: true } })).toEqual({
      model: "g",
      messages: [],
      top_k: 5,
      safe: true,
    });
  });

  test("do not have a parameter that it does not honour: it is refused by name", () => {
    expect(() => prepare({ seed: 7 })).toThrow("`seed`");
  });

  test("leave such a parameter out with drop_params", () => {
    expect(prepare({ seed: 7, temperature: 1 }, {}, true)).toEqual({ model: "g", messages: [], temperature: 1 });
  });

  test.each([
    ["anthropic", "claude-sonnet-4-5", "chat"],
    ["anthropic", "claude-sonnet-4-5", "completion"],
    ["vertex_ai", "claude-sonnet-4-5", "chat"],
  ] as const)(
    "%s is not asked for %s to stop a %s at white space, unless it is to be dropped",
    (id, upstreamModel, operation) => {
      const claude = findProvider(id);
      if (!claude) throw new Error(id);
      const ask = (stop: unknown, drop = false) =>
        prepareFields(operation, { model: "g", stop }, { ...deployment(), upstreamModel }, claude, drop);
      for (const stop of ["\n", " \t", ["END", "\n\n"]]) {
        expect(() => ask(stop)).toThrow(expect.objectContaining({ kind: "unsupported_params", param: "stop" }));
        expect(ask(stop, true)).toEqual({ model: "g", stop });
      }
      for (const stop of ["END", "", "\nEND", ["END", ""], []]) expect(ask(stop)).toEqual({ model: "g", stop });
    },
  );

  test("keep one that the request insists on, and lose one that it names", () => {
    expect(prepare({ seed: 7, allowed_openai_params: ["seed"] })).toMatchObject({ seed: 7 });
    expect(prepare({ temperature: 1, additional_drop_params: ["temperature"] })).toEqual({ model: "g", messages: [] });
  });

  test.each([
    ["anthropic", "claude-sonnet-4-5"],
    ["bedrock", "us.amazon.nova-2-lite-v1:0"],
    ["gemini", "gemini-2.5-flash"],
    ["vertex_ai", "claude-sonnet-4-5"],
    ["cohere", "command-a-03-2025"],
    ["ollama", "llama3"],
  ] as const)("such a one reaches %s as it is, in its own form, and in a copy of the fields", (id, upstreamModel) => {
    const known = findProvider(id);
    if (!known) throw new Error(id);
    const own = { aws_region_name: "us-east-1", vertex_project: "p", vertex_location: "us-east5" };
    const place = { ...deployment(own), provider: id, upstreamModel, apiBase: "http://localhost", apiKey: "key" };
    const request = { model: "g", messages: [{ role: "user", content: "Hi" }], logit_bias: { "50256": -100 } };
    const bodyOf = (given: object, drop = false) => {
      const fields = { ...prepareFields("chat", { ...request, ...given }, place, known, drop) };
      return known.chat?.encode(fields as never, { ...place, env: () => undefined })?.body;
    };
    expect(() => bodyOf({})).toThrow(expect.objectContaining({ kind: "unsupported_params", param: "logit_bias" }));
    expect(bodyOf({}, true)).not.toContain("logit_bias");
    expect(bodyOf({ allowed_openai_params: ["logit_bias"] })).toContain('"logit_bias":{"50256":-100}');
  });

  test("such a one of a text completion is not lost where it goes as a chat", () => {
    const known = findProvider("anthropic");
    if (!known) throw new Error("anthropic");
    const place = { ...deployment(), provider: "anthropic", upstreamModel: "claude-sonnet-4-5", apiKey: "key" };
    const names = ["logit_bias", "suffix"];
    const request = { model: "g", prompt: "Hi", logit_bias: { "50256": -100 }, suffix: "end", best_of: 1 };
    const fields = prepareFields("completion", { ...request, allowed_openai_params: names }, place, known, true);
    const chat = known.chat?.encode(toChatFields(fields, "Hi") as never, { ...place, env: () => undefined });
    const body = JSON.parse(String(chat?.body)) as object;
    expect(body).toMatchObject({ logit_bias: { "50256": -100 }, suffix: "end" });
    for (const name of ["prompt", "best_of"]) expect(body).not.toHaveProperty(name);
  });

  test("the same goes for what the deployment insists on and names, whatever the request says", () => {
    const params = { allowed_openai_params: ["seed"], additional_drop_params: ["temperature", "messages"] };
    const request = {
      seed: 7,
      temperature: 1,
      allowed_openai_params: ["n"],
      additional_drop_params: ["top_k"],
      top_k: 1,
    };
    // As JSON: what is insisted on is marked beside the fields.
    expect(JSON.parse(JSON.stringify(prepare(request, params)))).toEqual({ model: "g", messages: [], seed: 7 });
  });

  test("have nothing that other gateways are steered by", () => {
    const request = {
      callbacks: ["x"],
      success_callback: ["x"],
      litellm_disabled_callbacks: ["x"],
      proxy_server_request: { headers: { authorization: "sk-1" } },
      secret_fields: { a: "b" },
      mock_testing_fallbacks: true,
      fastest_response: true,
      disable_global_guardrails: true,
      input_cost_per_token: 0,
      prompt_id: "p",
      extra_body: { callbacks: ["x"], output_cost_per_token: 0 },
    };
    expect(prepare(request)).toEqual({ model: "g", messages: [] });
  });

  test("may carry values that ask for nothing", () => {
    expect(() => prepare({ n: 1, tools: [] })).not.toThrow();
  });
});
