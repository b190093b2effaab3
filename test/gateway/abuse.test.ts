import { afterAll, describe, expect, test } from "bun:test";
import { readdirSync, readlinkSync } from "node:fs";
import { MASTER_KEY, startApp } from "../app.ts";

const app = await startApp(`
model_list:
  - model_name: 模型
    litellm_params: { model: echo/chat }
    model_info: { id: "é-1" }
  - model_name: streams-by-default
    litellm_params: { model: echo/chat, stream: true }
  - model_name: any/*
    litellm_params: { model: azure/*, api_base: "http://127.0.0.1:1", api_key: sk-operator }
`);
afterAll(() => app.close());

const messages = [{ role: "user", content: "hi" }];
const chat = (fields: object) =>
  app.call("/v1/chat/completions", { key: MASTER_KEY, json: { model: "echo", messages, ...fields } });

describe("a JSON schema that unfolds without end", () => {
  const doubling = (levels: number) => {
    const $defs: Record<string, object> = { [`a${levels}`]: { type: "object" } };
    for (let level = 0; level < levels; level++) {
      const next = { $ref: `#/$defs/a${level + 1}` };
      $defs[`a${level}`] = { allOf: [next, next] };
    }
    return { $ref: "#/$defs/a0", $defs };
  };
  const checked = (schema: object) =>
    chat({
      enable_json_schema_validation: true,
      response_format: { type: "json_schema", json_schema: { name: "s", schema } },
    });

  test.each([16, 24, 60])("is refused before anything is done, %i levels deep", async (levels) => {
    expect((await checked(doubling(levels))).status).toBe(400);
  });

  test.each([[{ $ref: "#" }], [{ not: { $ref: "#" } }], [{ if: { $ref: "#" } }], [{ $ref: "#/nowhere" }]])(
    "or leads nowhere is the caller's mistake, %#",
    async (schema) => {
      const response = await checked(schema);
      expect([response.status, ((await response.json()) as { error: { code: string } }).error.code]).toEqual([
        400,
        "invalid_request",
      ]);
    },
  );

  test("is told apart from one that describes a tree", async () => {
    const tree = {
      $ref: "#/$defs/node",
      $defs: { node: { type: "object", properties: { children: { type: "array", items: { $ref: "#/$defs/node" } } } } },
    };
    expect((await checked(tree)).status).toBe(200);
  });
});

describe("a refused upload", () => {
  const openSpools = (): number =>
    readdirSync("/proc/self/fd").filter((fd) => {
      try {
        return /\/turnpike-[0-9a-f-]{36} \(deleted\)$/.test(readlinkSync(`/proc/self/fd/${fd}`));
      } catch {
        return false;
      }
    }).length;

  test.each([
    ["an unknown model", { model: "none" }],
    ["no model", {}],
    ["a model that does not do it", { model: "echo", api_base: "https://x.example" }],
  ])("with %s leaves no file behind", async (_, fields) => {
    for (let round = 0; round < 5; round++) {
      const form = new FormData();
      for (const [name, value] of Object.entries(fields)) form.set(name, value);
      form.set("file", new File([new Uint8Array(3_000_000)], "a.wav", { type: "audio/wav" }));
      const response = await app.call("/v1/audio/transcriptions", { method: "POST", key: MASTER_KEY, body: form });
      expect(response.status).toBeGreaterThanOrEqual(400);
    }
    expect(openSpools()).toBe(0);
  });
});

describe("fields that come in by another door", () => {
  test.each([
    [{ extra_body: { messages: null } }],
    [{ extra_body: { messages: 5, model: "none", stream: true } }],
    [{ extra_body: { tools: 5 } }],
    [{ additional_drop_params: ["messages", "model", "stream"] }],
    [{ additional_drop_params: [{ toString: "" }], allowed_openai_params: [{ toString: "" }] }],
    [{ model: "streams-by-default" }],
  ])("change nothing that was validated, %#", async (fields) => {
    const response = await chat(fields);
    expect(response.status).toBe(200);
    expect(await response.json()).toMatchObject({ object: "chat.completion" });
  });

  test("do not turn a text completion into something else", async () => {
    const json = { model: "echo", prompt: "x", tools: 5, messages: 7 };
    expect((await app.call("/v1/completions", { key: MASTER_KEY, json })).status).toBe(200);
  });
});

describe("a name", () => {
  test("with letters of any script is answered, and told in a header that can carry it", async () => {
    const response = await chat({ model: "模型" });
    expect(response.status).toBe(200);
    expect(decodeURIComponent(response.headers.get("x-gw-model-group") ?? "")).toBe("模型");
    expect(decodeURIComponent(response.headers.get("x-gw-model-id") ?? "")).toBe("é-1");
    expect(await response.json()).toMatchObject({ model: "模型" });
  });

  test.each(["any/..", "any/.", "any/../x", "any/a/../../b"])(
    "that would lead to another path leads nowhere: %s",
    async (model) => {
      expect((await chat({ model })).status).toBe(404);
    },
  );
});

describe("token numbers", () => {
  test("that are none are the caller's mistake", async () => {
    const json = { model: "echo", prompt: [999_999_999] };
    const app2 = await startApp(
      "model_list:\n  - model_name: bridged\n    litellm_params: { model: ollama/x, api_base: 'http://127.0.0.1:1' }\n",
    );
    const response = await app2.call("/v1/completions", { key: MASTER_KEY, json: { ...json, model: "bridged" } });
    expect(response.status).toBe(400);
    await app2.close();
  });
});
