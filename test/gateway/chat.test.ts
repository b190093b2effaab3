import { afterAll, describe, expect, test } from "bun:test";
import { MASTER_KEY, startApp } from "../app.ts";

const app = await startApp(`
model_list:
  - model_name: locked
    litellm_params: { model: echo/chat }
    model_info: { id: locked-1 }
router_settings:
  model_group_alias: { nickname: echo }
  timeout: 1
`);
afterAll(() => app.close());

const CHAT = "/v1/chat/completions";
const user = (content: string) => [{ role: "user", content }];
const chat = (fields: object = {}) => ({ model: "echo", messages: user("hello there"), ...fields });
const post = (fields: object = {}, key = MASTER_KEY) => app.call(CHAT, { key, json: chat(fields) });

/** The data of each event of a stream. */
const events = async (response: Response): Promise<string[]> =>
  Array.from((await response.text()).matchAll(/^data: (.*)$/gm), (found) => found[1] ?? "");

describe("a chat completion", () => {
  test.each([["/v1/chat/completions"], ["/chat/completions"]])("is answered under %s", async (path) => {
    const response = await app.call(path, { key: MASTER_KEY, json: chat() });
    expect(response.status).toBe(200);
    const body = (await response.json()) as Record<string, unknown>;
    expect(body).toMatchObject({ object: "chat.completion", model: "echo" });
    expect(JSON.stringify(body)).toContain("hello there");
  });

  test("works with the demo key, and says which deployment served it", async () => {
    const response = await post({}, app.first.demoKey ?? "");
    expect(response.status).toBe(200);
    expect(response.headers.get("x-gw-model-id")).toBe("builtin-echo");
    expect(response.headers.get("x-gw-model-group")).toBe("echo");
  });

  test.each(["echo", "nickname", "locked", "locked-1"])("carries the name that was asked for: %s", async (model) => {
    expect(await (await post({ model })).json()).toMatchObject({ model });
    const [first = "{}"] = await events(await post({ model, stream: true }));
    expect(JSON.parse(first)).toMatchObject({ model });
  });

  test("of an unknown model is 404", async () => {
    const response = await post({ model: "no-such-model" });
    expect(response.status).toBe(404);
    expect(await response.json()).toMatchObject({
      error: { code: "model_not_found", name: "NotFoundError", param: "model", platform_code: "NOT_FOUND" },
    });
  });

  test.each(["__proto__", "constructor", "toString"])("of a model named %s is 404 too", async (model) => {
    expect((await post({ model })).status).toBe(404);
  });
});

describe("a streamed chat completion", () => {
  test("sends chunks that add up to the plain answer, and ends with [DONE]", async () => {
    const plain = (await (await post()).json()) as { choices: { message: { content: string } }[] };
    const response = await post({ stream: true });
    expect(response.headers.get("content-type")).toStartWith("text/event-stream");
    const data = await events(response);
    expect(data.pop()).toBe("[DONE]");
    const text = data.map((one) => JSON.parse(one).choices[0]?.delta.content ?? "").join("");
    expect(text).toBe(plain.choices[0]?.message.content ?? "");
    expect(new Set(data.map((one) => JSON.parse(one).id)).size).toBe(1);
  });

  test("that fails before its first chunk is a plain error with its status", async () => {
    const response = await post({ stream: true, echo_fault: { status: 429, retry_after: 7 } });
    expect(response.status).toBe(429);
    expect(response.headers.get("retry-after")).toBe("7");
    expect(await response.json()).toMatchObject({ error: { name: "RateLimitError" } });
  });

  test.each([["cut_after"], ["error_after"]])(
    "that fails in the middle (%s) ends with one error frame and no [DONE]",
    async (fault) => {
      const response = await post({ stream: true, echo_fault: { [fault]: 2 } });
      expect(response.status).toBe(200);
      const data = await events(response);
      expect(data).not.toContain("[DONE]");
      expect(JSON.parse(data.at(-1) ?? "{}")).toMatchObject({
        error: { name: "BadGatewayError", code: "upstream_error" },
      });
      expect(data.filter((one) => one.includes('"error"'))).toHaveLength(1);
      expect(data.length).toBeGreaterThan(1);
    },
  );

  test("stops asking the upstream when the reader leaves", async () => {
    const response = await post({
      stream: true,
      messages: user("word ".repeat(500)),
      echo_fault: { token_delay_ms: 1 },
    });
    const reader = response.body?.getReader();
    await reader?.read();
    await reader?.cancel();
    expect((await reader?.read())?.done).toBe(true);
  });
});

describe("an upstream that fails", () => {
  test.each([
    [400, 400, "invalid_request"],
    [401, 502, "upstream_authentication_failed"],
    [403, 502, "upstream_authentication_failed"],
    [404, 404, "model_not_found"],
    [429, 429, "rate_limit_exceeded"],
    [500, 502, "upstream_error"],
    [503, 503, "upstream_unavailable"],
    [529, 503, "upstream_unavailable"],
  ])("with %i is %i", async (status, expected, code) => {
    const response = await post({ echo_fault: { status, message: "the upstream's words" } });
    expect(response.status).toBe(expected);
    expect(await response.json()).toMatchObject({ error: { code } });
  });

  test.each(["html", "half_json", "empty"])("with %s in place of an answer is 502", async (malformed) => {
    const response = await post({ echo_fault: { malformed } });
    expect(response.status).toBe(502);
    expect(await response.text()).not.toContain("<html");
  });

  test("to answer in time is 408", async () => {
    const response = await post({ echo_fault: { delay_ms: 5_000 } });
    expect(response.status).toBe(408);
    expect(await response.json()).toMatchObject({ error: { name: "Timeout" } });
  });
});
