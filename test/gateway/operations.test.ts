import { afterAll, describe, expect, test } from "bun:test";
import { MASTER_KEY, startApp } from "../app.ts";

const app = await startApp();
afterAll(() => app.close());
const post = (path: string, json: unknown) => app.call(path, { key: MASTER_KEY, json });
const messages = [{ role: "user", content: "hi there" }];

describe("every operation under each of its paths", () => {
  test.each([
    ["/v1/chat/completions", { model: "echo", messages }],
    ["/chat/completions", { model: "echo", messages }],
    ["/engines/echo/chat/completions", { messages }],
    ["/openai/deployments/echo/chat/completions", { messages }],
    ["/v1/completions", { model: "echo-completion", prompt: "hi" }],
    ["/completions?model=echo-completion", { prompt: "hi" }],
    ["/engines/echo-completion/completions", { prompt: "hi" }],
    ["/openai/deployments/echo-completion/completions", { prompt: [1, 2, 3] }],
    ["/v1/embeddings", { model: "echo-embedding", input: "hi" }],
    ["/embeddings", { model: "echo-embedding", input: ["a", "b"] }],
    ["/engines/echo-embedding/embeddings", { input: [1, 2] }],
    ["/openai/deployments/echo-embedding/embeddings", { input: [[1], [2]] }],
    ["/v1/moderations", { model: "echo-moderation", input: "hi" }],
    ["/moderations", { input: ["hi"] }],
    ["/v1/images/generations", { model: "echo-image", prompt: "a hill", size: "64x64" }],
    ["/images/generations", { prompt: "a hill", size: "64x64" }],
    ["/openai/deployments/echo-image/images/generations", { prompt: "a hill", size: "64x64" }],
    ["/v1/audio/speech", { model: "echo-speech", input: "hi", voice: "alloy" }],
    ["/audio/speech", { model: "echo-speech", input: "hi", voice: "alloy" }],
    ["/openai/deployments/echo-speech/audio/speech", { input: "hi", voice: "alloy" }],
  ])("%s answers", async (path, json) => {
    const response = await post(path, json);
    expect([response.status, response.ok ? "" : await response.text()]).toEqual([200, ""]);
    expect(response.headers.get("x-gw-model-id")).toStartWith("builtin-echo");
    expect(response.headers.get("x-gw-version")).toMatch(/^\d/);
    expect(Number(response.headers.get("x-gw-overhead-duration-ms"))).toBeGreaterThanOrEqual(0);
  });

  test("the path's model wins over the query's, and that over the body's", async () => {
    expect((await post("/engines/none/chat/completions", { model: "echo", messages })).status).toBe(404);
    expect((await post("/v1/completions?model=none", { model: "echo", prompt: "hi" })).status).toBe(404);
    expect(await (await post("/engines/echo/chat/completions", { model: "none", messages })).json()).toMatchObject({
      model: "echo",
    });
  });

  test("a model with slashes works in a path, encoded or not", async () => {
    const slashed = await startApp(
      "model_list:\n  - model_name: team/a/chat\n    litellm_params: { model: echo/chat }\n",
    );
    for (const path of [
      "/engines/team/a/chat/chat/completions",
      "/openai/deployments/team%2Fa%2Fchat/chat/completions",
    ]) {
      const response = await slashed.call(path, { key: MASTER_KEY, json: { messages } });
      expect(await response.json()).toMatchObject({ model: "team/a/chat" });
    }
    await slashed.close();
  });

  test("a call without any model is told so", async () => {
    const response = await post("/v1/completions", { prompt: "hi" });
    expect(response.status).toBe(422);
    expect(await response.json()).toEqual({
      detail: [{ loc: ["body", "model"], msg: "Field required", type: "missing" }],
      error: {
        message: "model: Field required",
        type: "invalid_request_error",
        param: "model",
        code: "validation_error",
        name: "UnprocessableEntityError",
      },
    });
  });
});

describe("speech and transcription", () => {
  test("say a text and write it down again, in every format", async () => {
    const spoken = await post("/v1/audio/speech", { model: "echo-speech", input: "hello world", voice: "alloy" });
    expect(spoken.headers.get("content-type")).toBe("audio/wav");
    const sound = await spoken.bytes();
    for (const format of ["json", "text", "srt", "vtt", "verbose_json"]) {
      const form = new FormData();
      form.set("file", new File([sound], "speech.wav", { type: "audio/wav" }));
      form.set("model", "echo-transcription");
      form.set("response_format", format);
      const response = await app.call("/v1/audio/transcriptions", { method: "POST", key: MASTER_KEY, body: form });
      expect(response.status).toBe(200);
      expect(await response.text()).toContain("hello world");
    }
  });

  test("as clients of Azure ask for a transcript, the path names the model and wins over the form", async () => {
    const spoken = await post("/v1/audio/speech", { model: "echo-speech", input: "hello world", voice: "alloy" });
    const sound = await spoken.bytes();
    for (const named of [null, "none"]) {
      const form = new FormData();
      form.set("file", new File([sound], "speech.wav", { type: "audio/wav" }));
      if (named !== null) form.set("model", named);
      const path = "/openai/deployments/echo-transcription/audio/transcriptions?api-version=2024-10-21";
      const response = await app.call(path, { method: "POST", key: MASTER_KEY, body: form });
      expect(await response.json()).toMatchObject({ text: "hello world" });
    }
  });
});

describe("a text completion of a chat model", () => {
  test("is a chat with one message, plain and streamed", async () => {
    const plain = (await (await post("/v1/completions", { model: "echo", prompt: "hi" })).json()) as {
      choices: { text: string }[];
    };
    expect(plain.choices[0]?.text).toContain("hi");
  });
});

describe("a field that says where a call goes", () => {
  test.each(["api_base", "api_key", "base_url", "custom_llm_provider", "aws_role_name"])(
    "is refused: %s",
    async (field) => {
      for (const [path, body] of [
        ["/v1/chat/completions", { model: "echo", messages }],
        ["/v1/embeddings", { model: "echo-embedding", input: "x" }],
        ["/v1/completions", { model: "echo", prompt: "x" }],
        ["/v1/images/generations", { prompt: "x" }],
      ] as const) {
        const response = await post(path, { ...body, [field]: "https://attacker.example" });
        expect(response.status).toBe(403);
        expect(await response.json()).toMatchObject({ error: { name: "PermissionDeniedError", param: field } });
      }
    },
  );

  test.each(["logger_fn", "gw_call_id"])("that is never acted on does no harm: %s", async (field) => {
    expect((await post("/v1/embeddings", { model: "echo-embedding", input: "x", [field]: "x" })).status).toBe(200);
  });
});

describe("a JSON schema that an answer must fit", () => {
  const schema = { type: "object", properties: { city: { type: "string" } }, required: ["city"] };
  const format = { type: "json_schema", json_schema: { name: "x", schema } };

  test("is checked on request, and an answer that does not fit is 500", async () => {
    const fitting = await post("/v1/chat/completions", {
      model: "echo",
      messages,
      response_format: format,
      enable_json_schema_validation: true,
    });
    expect(fitting.status).toBe(200);
    // Plain text is asked of the model, and the schema is only held against it.
    const other = { type: "text", json_schema: { schema } };
    const response = await post("/v1/chat/completions", {
      model: "echo",
      messages,
      response_format: other,
      enable_json_schema_validation: true,
    });
    expect(response.status).toBe(500);
    expect(await response.json()).toMatchObject({ error: { name: "JSONSchemaValidationError" } });
  });
});
