import { afterAll, describe, expect, test } from "bun:test";
import { MASTER_KEY, startApp } from "../app.ts";

const app = await startApp(`
model_list:
  - model_name: gpt
    litellm_params: { model: openai/gpt-4o, api_key: sk-canary-canary-canary, api_base: "https://user:canary@inner.example/v1" }
    model_info: { description: "For everything" }
  - model_name: anything/*
    litellm_params: { model: openai/*, api_key: sk-canary-canary-canary }
`);
afterAll(() => app.close());
const get = async (path: string) =>
  (await (await app.call(path)).json()) as { data: Record<string, unknown>[]; meta: object };

describe("the public catalogue", () => {
  test("lists models with what is known of them, and without any key or address", async () => {
    const { data } = await get("/api/models?pageSize=100");
    expect(data.find(({ id }) => id === "gpt")).toMatchObject({
      provider: "openai",
      providerName: "OpenAI",
      type: "chat",
      inferenceModelId: "gpt-4o",
      description: "For everything",
      inputPrice: 2_500_000_000,
      outputPrice: 10_000_000_000,
      capabilities: { tools: true, vision: true, streaming: true },
      createdAt: null,
    });
    expect(data.find(({ id }) => id === "echo-embedding")).toMatchObject({
      description: null,
      capabilities: { streaming: false },
    });
    expect(data.find(({ id }) => id === "echo")).toMatchObject({
      provider: "echo",
      inputPrice: 100_000_000,
      capabilities: { tools: true, parallelTools: true, json: true, vision: false, reasoning: false },
    });
    expect(data.map(({ id }) => id)).not.toContain("anything/*");
    expect(JSON.stringify(data)).not.toContain("canary");
  });

  test.each([
    ["search=GPT", ["gpt"]],
    ["type=embedding", ["echo-embedding"]],
    ["provider=openai", ["gpt"]],
    ["search=%25_", []],
    ["search=echo&type=image", ["echo-image"]],
    ["capability=vision", ["gpt"]],
    ["minContext=100000", ["gpt"]],
    ["type=embedding&maxInputPrice=19999999", []],
    ["type=embedding&maxInputPrice=20000000", ["echo-embedding"]],
    ["type=chat&sort=-inputPrice", ["gpt", "echo"]],
    ["type=chat&sort=inputPrice", ["echo", "gpt"]],
    ["type=chat&sort=inputPrice&order=asc", ["echo", "gpt"]],
    ["type=chat&sort=inputPrice&order=desc", ["gpt", "echo"]],
    ["type=chat", ["gpt", "echo"]],
    ["type=chat&order=desc", ["echo", "gpt"]],
    ["search=echo-i&sort=contextLength", ["echo-image"]],
  ])("is searched and filtered: %s", async (query, ids) => {
    expect((await get(`/api/models?${query}`)).data.map(({ id }) => id)).toEqual(ids);
  });

  test("has models that are free among the cheapest, though nobody has stated a price of nought", async () => {
    const free = await startApp(`
model_list:
  - model_name: gift
    litellm_params: { model: openai/of-our-own, api_key: sk-canary-canary-canary }
    model_info: { free: true }
  - model_name: gpt
    litellm_params: { model: openai/gpt-4o, api_key: sk-canary-canary-canary }
`);
    const ids = async (query: string): Promise<unknown[]> => {
      const { data } = (await (await free.call(`/api/models?type=chat&${query}`)).json()) as {
        data: { id: string }[];
      };
      return data.map(({ id }) => id);
    };
    expect(await ids("maxInputPrice=0")).toEqual(["gift"]);
    expect(await ids("sort=inputPrice")).toEqual(["gift", "echo", "gpt"]);
    expect(await ids("sort=-outputPrice")).toEqual(["gpt", "echo", "gift"]);
    await free.close();
  });

  test("sorts what is not known to the end, whichever way it goes", async () => {
    for (const sort of ["contextLength", "-contextLength"]) {
      const { data } = await get(`/api/models?sort=${sort}`);
      expect(data[0]?.id).toBe("gpt");
      expect(data.at(-1)?.contextLength).toBe(null);
    }
    expect((await app.call("/api/models?sort=secret")).status).toBe(400);
  });

  test("shows one model by its name, and none by a name that only a wildcard takes", async () => {
    expect(await (await app.call("/api/models/gpt")).json()).toMatchObject({ id: "gpt", status: "active" });
    for (const name of ["nothing", "anything/gpt-4o", "anything%2F*"]) {
      const answer = await app.call(`/api/models/${name}`);
      expect(answer.status).toBe(404);
      expect(await answer.json()).toMatchObject({ code: "NOT_FOUND" });
    }
  });

  test("comes in pages", async () => {
    expect(await get("/api/models?page=2&pageSize=3")).toMatchObject({
      meta: { page: 2, pageSize: 3, total: 9, totalPages: 3 },
    });
    expect((await get("/api/models?page=9&pageSize=3")).data).toEqual([]);
    for (const query of ["page=0", "pageSize=101", "page=x"]) {
      const response = await app.call(`/api/models?${query}`);
      expect(response.status).toBe(400);
      expect(await response.json()).toMatchObject({ code: "VALIDATION_ERROR" });
    }
  });

  test("lists the providers", async () => {
    const { data } = await get("/api/providers");
    expect(data).toMatchObject([
      { id: "echo", modelsCount: 8, status: "operational", website: null },
      { id: "openai", name: "OpenAI", modelsCount: 1, types: ["chat"], description: null, logoUrl: null },
    ]);
    expect(data[1]?.website).toMatch(/^https:\/\//);
  });

  test("tells that a provider is down when none of its models can be called", async () => {
    const { data } = await get("/api/models?provider=openai");
    expect(data).toHaveLength(1);
    const admin = (path: string, json: object, method = "POST") =>
      app.call(path, { method, headers: { authorization: `Bearer ${MASTER_KEY}` }, json });
    const deployments = (await (await app.call("/api/admin/deployments?group=gpt", { key: MASTER_KEY })).json()) as {
      data: { id: string }[];
    };
    const path = `/api/admin/deployments/${encodeURIComponent(deployments.data[0]?.id ?? "")}`;
    expect((await admin(path, { enabled: false }, "PATCH")).status).toBe(200);
    expect((await get("/api/providers")).data[1]).toMatchObject({ id: "openai", status: "down" });
    expect((await admin(path, { enabled: true }, "PATCH")).status).toBe(200);
    expect((await get("/api/providers")).data[1]).toMatchObject({ id: "openai", status: "operational" });
  });
});

describe("the public catalogue of who asks more than the providers do", () => {
  test("shows what callers are charged", async () => {
    const dear = await startApp(`
general_settings: { markup_percent: 12.5 }
model_list:
  - model_name: general
    litellm_params: { model: openai/gpt-4o, api_key: sk-x }
  - model_name: own
    litellm_params: { model: openai/gpt-4o, api_key: sk-x }
    model_info: { markup_percent: 0 }
`);
    try {
      const model = async (name: string) => (await dear.call(`/api/models/${name}`)).json();
      expect(await model("general")).toMatchObject({ inputPrice: 2_812_500_000, outputPrice: 11_250_000_000 });
      expect(await model("own")).toMatchObject({ inputPrice: 2_500_000_000, status: "active" });
    } finally {
      await dear.close();
    }
  });
});

describe("the public catalogue of models without a price", async () => {
  const app = await startApp(`
model_list:
  - model_name: unpriced
    litellm_params: { model: openai_like/ours, api_base: "https://llm.example.com/v1" }
    model_info: { mode: moderation }
  - model_name: half
    litellm_params: { model: openai_like/ours, api_base: "https://llm.example.com/v1" }
    model_info: { mode: completion, input_cost_per_token: 0.000001 }
  - model_name: gift
    litellm_params: { model: openai_like/ours, api_base: "https://llm.example.com/v1" }
    model_info: { mode: moderation, free: true }
`);
  afterAll(() => app.close());

  test("tells of each model whether calls of it can be charged", async () => {
    const { data } = (await (await app.call("/api/models?pageSize=100")).json()) as { data: Record<string, unknown>[] };
    const told = Object.fromEntries(data.map(({ id, priceStatus }) => [id, priceStatus]));
    expect(told).toMatchObject({ echo: "known", unpriced: "unknown", half: "unknown", gift: "free" });
  });
});
