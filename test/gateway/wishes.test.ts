import { afterAll, beforeEach, describe, expect, test } from "bun:test";
import { startApp } from "../app.ts";
import { Moody, status, WELL } from "../upstreams/moody.ts";

const upstream = new Moody("one");
const entry = (model_name: string) => ({
  model_name,
  litellm_params: { model: "hosted_vllm/m", api_base: upstream.address },
  model_info: { free: true },
});
const app = await startApp(
  JSON.stringify({
    model_list: [entry("m"), entry("spare")],
    general_settings: { header_prefix: "litellm" },
    router_settings: { disable_cooldowns: true, num_retries: 2, fallbacks: [{ m: ["spare"] }] },
  }),
);
afterAll(async () => {
  await app.close();
  await upstream.stop();
});
beforeEach(() => {
  Object.assign(upstream, { mood: WELL, calls: 0, seen: {} });
});

const BODIES = {
  "/v1/chat/completions": { messages: [{ role: "user", content: "Hello!" }] },
  "/v1/completions": { prompt: "Hello!" },
  "/v1/responses": { input: "Hello!" },
  "/v1/messages": { messages: [{ role: "user", content: "Hello!" }], max_tokens: 9 },
};
const PATHS = Object.keys(BODIES) as (keyof typeof BODIES)[];

const call = (path: keyof typeof BODIES, fields: object, headers: Record<string, string> = {}) =>
  app.call(path, { key: app.first.demoKey ?? "", headers, json: { model: "m", ...BODIES[path], ...fields } });

async function refusalOf(response: Response): Promise<readonly [status: number, message: string]> {
  const { error } = (await response.json()) as { error?: { message: string } };
  return [response.status, error?.message ?? ""];
}

describe.each(PATHS)("of a call of %s", (path) => {
  test.each(["timeout", "request_timeout", "stream_timeout"])(
    "a %s that is none is refused by its name",
    async (name) => {
      for (const value of [-1, "abc", "", true, [30], {}, "-1"]) {
        const [code, message] = await refusalOf(await call(path, { [name]: value }));
        expect([value, code]).toEqual([value, 400]);
        expect(message).toContain(`\`${name}\` is in seconds: a number of 0 or more is wanted.`);
      }
      expect(upstream.calls).toBe(0);
    },
  );

  test("a number of tries that is none is refused by its name", async () => {
    for (const name of ["num_retries", "max_retries"]) {
      for (const value of [-1, 1.5, "many", true, [1]]) {
        const [code, message] = await refusalOf(await call(path, { [name]: value }));
        expect([name, value, code]).toEqual([name, value, 400]);
        expect(message).toContain(`\`${name}\` says how often`);
      }
    }
    expect(upstream.calls).toBe(0);
  });

  test.each([
    ["timeout", "in seconds"],
    ["stream-timeout", "in seconds"],
    ["num-retries", "a whole number"],
  ])("a header x-gw-%s that says nothing is refused, under the operator's prefix too", async (name, words) => {
    for (const prefix of ["x-gw-", "x-litellm-"]) {
      for (const value of ["-1", "soon", "true"]) {
        const [code, message] = await refusalOf(await call(path, {}, { [`${prefix}${name}`]: value }));
        expect([value, code]).toEqual([value, 400]);
        expect(message).toContain(`\`x-gw-${name}\``);
        expect(message).toContain(words);
      }
    }
    expect(upstream.calls).toBe(0);
  });
});

test("a request's wishes are read as numbers and as text, and 0 is no limit of its own", async () => {
  for (const value of [30, "30", 0, "0", 0.5, null]) {
    const fields = { timeout: value, stream_timeout: value };
    expect((await call("/v1/chat/completions", fields)).status).toBe(200);
  }
  const headers = { "x-gw-timeout": "30", "x-gw-stream-timeout": "2.5", "x-gw-num-retries": "1" };
  expect((await call("/v1/chat/completions", {}, headers)).status).toBe(200);
  expect((await call("/v1/chat/completions", {}, { "x-gw-timeout": "" })).status).toBe(200);
});

test.each(PATHS)("a number of tries of a call of %s is read as text too, under either name", async (path) => {
  for (const name of ["num_retries", "max_retries"]) {
    for (const value of ["5", 5, null]) {
      expect([name, value, (await call(path, { [name]: value })).status]).toEqual([name, value, 200]);
      expect(name in upstream.seen).toBe(false);
    }
  }
});

test("`request_timeout` of a request is `timeout` by another name, which counts where both are there", async () => {
  for (const value of [30, "30", 0, null]) {
    expect((await call("/v1/chat/completions", { request_timeout: value })).status).toBe(200);
    expect("request_timeout" in upstream.seen).toBe(false);
  }
  upstream.mood = { kind: "hang" };
  expect((await call("/v1/chat/completions", { request_timeout: 0.01 })).status).toBe(408);
  expect((await call("/v1/chat/completions", { request_timeout: 600, timeout: 0.01 })).status).toBe(408);
  expect((await call("/v1/chat/completions", { request_timeout: 0.01 }, { "x-gw-timeout": "600" })).status).toBe(408);
});

test("a time limit past all numbers is refused, and does not end the call at once", async () => {
  const body = `{"model":"m","messages":[{"role":"user","content":"hi"}],"timeout":1e999}`;
  const headers = { "content-type": "application/json" };
  const response = await app.call("/v1/chat/completions", { key: app.first.demoKey ?? "", headers, body });
  expect(response.status).toBe(400);
});

test("`max_retries` of a request is `num_retries` by another name, which counts where both are there", async () => {
  upstream.mood = status(500);
  const tries = async (fields: object, headers: Record<string, string> = {}) => {
    upstream.calls = 0;
    await call("/v1/chat/completions", { disable_fallbacks: true, ...fields }, headers);
    return upstream.calls;
  };
  expect(await tries({ max_retries: 0 })).toBe(1);
  expect(await tries({ num_retries: "0", max_retries: 2 })).toBe(1);
  expect(await tries({ max_retries: 0 }, { "x-gw-num-retries": "2" })).toBe(1);
  expect(await tries({ max_retries: 2, num_retries: 0 })).toBe(1);
  upstream.mood = WELL;
  expect(await tries({ max_retries: 1 })).toBe(1);
  expect("max_retries" in upstream.seen).toBe(false);
});
