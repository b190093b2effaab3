import { describe, expect, test } from "bun:test";
import { GatewayError } from "../../contract/errors.ts";
import type { Provider, Target } from "../dialect.ts";
import { jsonOf, targetOf } from "../openai/test-target.ts";
import { azure, azureAi } from "./provider.ts";

const BASE = "https://acme.openai.azure.com";

const chat = (target: Target, fields: object = {}, provider: Provider = azure) => {
  const request = { model: "g", messages: [{ role: "user" as const, content: "x" }], ...fields };
  const encoded = provider.chat?.encode(request, target);
  if (!encoded) throw new Error("no chat");
  return encoded;
};
const at = (change: Parameters<typeof targetOf>[1] = {}) =>
  targetOf("azure", { apiBase: BASE, upstreamModel: "my-gpt", ...change });

describe("Azure's address", () => {
  test.each([
    [BASE, null, `${BASE}/openai/deployments/my-gpt/chat/completions?api-version=2024-10-21`],
    [
      `${BASE}/`,
      "2025-01-01-preview",
      `${BASE}/openai/deployments/my-gpt/chat/completions?api-version=2025-01-01-preview`,
    ],
    [
      `${BASE}/openai/deployments/other/chat/completions?api-version=2025-01-01-preview`,
      null,
      `${BASE}/openai/deployments/other/chat/completions?api-version=2025-01-01-preview`,
    ],
    [`${BASE}/openai`, null, `${BASE}/openai/deployments/my-gpt/chat/completions?api-version=2024-10-21`],
    [
      `${BASE}/openai/deployments/other`,
      null,
      `${BASE}/openai/deployments/other/chat/completions?api-version=2024-10-21`,
    ],
    [BASE, "v1", `${BASE}/openai/v1/chat/completions`],
    [BASE, "preview", `${BASE}/openai/v1/chat/completions?api-version=preview`],
    [`${BASE}/openai/v1/`, null, `${BASE}/openai/v1/chat/completions`],
    [`${BASE}/openai/v1`, "preview", `${BASE}/openai/v1/chat/completions?api-version=preview`],
  ])("of %s in version %s is %s", (apiBase, apiVersion, url) => {
    expect(chat(at({ apiBase, apiVersion })).url).toBe(url);
  });

  test("has each operation below the deployment", () => {
    const embedding = azure.embedding?.encode({ model: "g", input: "x" }, at());
    expect(embedding?.url).toBe(`${BASE}/openai/deployments/my-gpt/embeddings?api-version=2024-10-21`);
    const image = azure.image?.encode({ model: "g", prompt: "x" }, at());
    expect(image?.url).toBe(`${BASE}/openai/deployments/my-gpt/images/generations?api-version=2024-10-21`);
  });

  test("cannot be led elsewhere by the name of a deployment", () => {
    const url = new URL(chat(at({ upstreamModel: "../../x?y#z" })).url);
    expect(url.pathname).toBe("/openai/deployments/..%2F..%2Fx%3Fy%23z/chat/completions");
  });

  test("comes from the environment where the deployment has none, and must come from somewhere", () => {
    const variables = { AZURE_API_BASE: BASE, AZURE_API_VERSION: "2024-06-01" };
    expect(chat(at({ apiBase: null, variables })).url).toBe(
      `${BASE}/openai/deployments/my-gpt/chat/completions?api-version=2024-06-01`,
    );
    const shown = {
      AZURE_API_BASE: `${BASE}/openai/deployments/my-gpt/chat/completions?api-version=2025-01-01-preview`,
    };
    expect(chat(at({ apiBase: null, variables: shown })).url).toBe(shown.AZURE_API_BASE);
    expect(() => chat(at({ apiBase: null }))).toThrow("AZURE_API_BASE");
  });
});

describe("Azure's key", () => {
  const token = { params: { azure_ad_token: "own-token" } };
  const variables = { AZURE_API_KEY: "usual-key", AZURE_AD_TOKEN: "usual-token" };
  test.each([
    ["the deployment's key", { ...token, variables }, { "api-key": "sk-deployment" }],
    ["the deployment's token", { ...token, variables, apiKey: null }, { authorization: "Bearer own-token" }],
    ["the environment's key", { variables, apiKey: null }, { "api-key": "usual-key" }],
    [
      "the environment's token",
      { variables: { AZURE_AD_TOKEN: "usual-token" }, apiKey: null },
      { authorization: "Bearer usual-token" },
    ],
  ])("is %s before what comes after it", (_, change, header) => {
    const { "content-type": type, ...rest } = chat(at(change)).headers;
    expect(type).toBe("application/json");
    expect(rest).toEqual(header as Record<string, string>);
  });

  test("is missed with a message that names the variable", () => {
    expect(() => chat(at({ apiKey: null }))).toThrow(
      new GatewayError(
        "upstream_authentication",
        "Azure OpenAI needs a key: set api_key, or tenant_id, client_id and client_secret, in the deployment, or AZURE_API_KEY in the environment.",
      ),
    );
  });
});

describe("a request to Azure", () => {
  test("asks for the usage of a stream, except in versions that refuse the question", () => {
    const asked = { stream: true, stream_options: { include_usage: true } };
    expect(jsonOf(chat(at(), { stream: true }))).toMatchObject(asked);
    expect(jsonOf(chat(at({ apiVersion: "v1" }), { stream: true }))).toMatchObject(asked);
    expect(jsonOf(chat(at({ apiVersion: "2024-06-01" }), { stream: true }))).not.toHaveProperty("stream_options");
  });

  test.each([
    ["o3-mini", {}, "o3-mini"],
    ["o_series/thinker", {}, "thinker"],
    ["gpt5_series/thinker", {}, "thinker"],
    ["thinker", { base_model: "gpt-5-mini" }, "thinker"],
    ["thinker", { base_model: "azure/eu/o3-mini" }, "thinker"],
  ])("%s with %o is known as a model that wants the newer limit", (upstreamModel, info, model) => {
    const body = jsonOf(chat(at({ upstreamModel, info }), { max_tokens: 5 }));
    expect(body).toMatchObject({ model, max_completion_tokens: 5 });
    expect(body).not.toHaveProperty("max_tokens");
  });

  test("takes the parameters of the model that the deployment's name tells of", () => {
    expect(azure.supportedParams("chat", "o_series/thinker")).not.toContain("temperature");
    expect(azure.supportedParams("chat", "gpt-4o")).toContain("temperature");
  });
});

describe("Azure AI", () => {
  const FOUNDRY = "https://acme.services.ai.azure.com";
  const ENDPOINT = "https://llama.eastus2.models.ai.azure.com";
  const ai = (change: Parameters<typeof targetOf>[1]) => chat(targetOf("azure_ai", change), {}, azureAi);

  test.each([
    [FOUNDRY, null, `${FOUNDRY}/models/chat/completions?api-version=2024-05-01-preview`, "api-key"],
    [`${FOUNDRY}/models/`, "2025-04-01", `${FOUNDRY}/models/chat/completions?api-version=2025-04-01`, "api-key"],
    [
      "http://localhost:9/models",
      null,
      "http://localhost:9/models/chat/completions?api-version=2024-05-01-preview",
      "api-key",
    ],
    [`${FOUNDRY}/openai/v1`, null, `${FOUNDRY}/openai/v1/chat/completions`, "api-key"],
    [ENDPOINT, null, `${ENDPOINT}/v1/chat/completions`, "authorization"],
    [`${ENDPOINT}/v1`, null, `${ENDPOINT}/v1/chat/completions`, "authorization"],
  ])("at %s in version %s is called at %s with its key in %s", (apiBase, apiVersion, url, header) => {
    const request = ai({ apiBase, apiVersion });
    expect(request.url).toBe(url);
    expect(request.headers[header]).toEndWith("sk-deployment");
  });

  test("passes fields that only the model knows", () => {
    expect(ai({ apiBase: FOUNDRY }).headers["extra-parameters"]).toBe("pass-through");
  });

  test("reranks beside its other models", () => {
    const request = { model: "g", query: "q", documents: ["a"] };
    expect(azureAi.rerank?.encode(request, targetOf("azure_ai", { apiBase: FOUNDRY })).url).toBe(
      `${FOUNDRY}/v1/rerank`,
    );
  });

  test("says which variables it misses", () => {
    expect(() => ai({ apiBase: null })).toThrow("AZURE_AI_API_BASE");
    expect(() => ai({ apiBase: ENDPOINT, apiKey: null })).toThrow("AZURE_AI_API_KEY");
    expect(() => ai({ apiBase: FOUNDRY, apiKey: null })).toThrow("AZURE_AI_API_KEY");
  });
});
