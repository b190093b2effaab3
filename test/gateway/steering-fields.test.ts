import { afterAll, beforeEach, describe, expect, test } from "bun:test";
import { MASTER_KEY, startApp } from "../app.ts";
import { Moody } from "../upstreams/moody.ts";

const upstream = new Moody("one");
const app = await startApp(
  JSON.stringify({
    model_list: [
      {
        model_name: "m",
        litellm_params: { model: "openai/m", api_key: "k", api_base: upstream.address },
        model_info: { free: true },
      },
    ],
    router_settings: { disable_cooldowns: true, num_retries: 0 },
    litellm_settings: { cache: true },
    guardrails: [{ guardrail_name: "pii", litellm_params: { guardrail: "pii", mode: "pre_call" } }],
  }),
);
afterAll(async () => {
  await app.close();
  await upstream.stop();
});
beforeEach(() => Object.assign(upstream, { calls: 0, seen: {} }));

const BODIES: Readonly<Record<string, object>> = {
  "/v1/chat/completions": { messages: [{ role: "user", content: "Hello!" }] },
  "/v1/completions": { prompt: "Hello!" },
  "/v1/responses": { input: "Hello!" },
  "/v1/messages": { messages: [{ role: "user", content: "Hello!" }], max_tokens: 9 },
  "/v1/embeddings": { input: "Hello!" },
  "/v1/moderations": { input: "Hello!" },
  "/v1/images/generations": { prompt: "A house" },
  "/v1/audio/speech": { input: "Hello!", voice: "alloy" },
};

const call = (path: string, fields: object) =>
  app.call(path, { key: MASTER_KEY, json: { model: "m", ...BODIES[path], ...fields } });

/** What has no effect, by field. Where the interface itself has the field, 422 says the same. */
const WITHOUT_EFFECT: Readonly<Record<string, readonly unknown[]>> = {
  tags: ["a,b", 5, [1], { a: 1 }],
  metadata: ["a", 5, ["a"]],
  litellm_metadata: ["a", ["a"]],
  litellm_session_id: [5, {}],
  drop_params: ["true", 1],
  additional_drop_params: ["seed", 5],
  allowed_openai_params: ["seed", {}],
  enable_json_schema_validation: ["true", 1],
  "no-log": ["yes", 1],
  extra_body: ["a", [1]],
  caching: ["no", 0],
  disable_fallbacks: ["yes", 1, "true"],
  fallbacks: ["m", { m: ["m"] }, 5, [{}], [5], [{ m: "m" }]],
  models: ["m", 5],
  context_window_fallback_dict: ["m", ["m"], { m: 5 }],
  guardrails: [5, {}, [5], [{}], [{ pii: 5 }], [{ pii: { extra_body: 5 } }], [{ pii: { extraBody: {} } }]],
  user: [5, { id: "a" }, ["a"]],
  mock_response: ["Hello!"],
  mock_timeout: [true],
  context_window_fallbacks: [[{ m: ["m"] }], []],
  content_policy_fallbacks: [[{ m: ["m"] }]],
  default_fallbacks: [["m"]],
  max_fallbacks: [1],
  retry_policy: [{ TimeoutErrorRetries: 1 }],
  model_group_retry_policy: [{ m: { TimeoutErrorRetries: 1 } }],
};

describe.each(Object.keys(BODIES))("of a call of %s", (path) => {
  test.each(Object.keys(WITHOUT_EFFECT))(
    "a field %s that would be passed over is refused by its name",
    async (name) => {
      // An answer is kept by then: what is asked otherwise is refused all the same.
      await call(path, {});
      upstream.calls = 0;
      for (const value of WITHOUT_EFFECT[name] ?? []) {
        const response = await call(path, { [name]: value });
        const text = await response.text();
        expect([value, [400, 422].includes(response.status), text.includes(name)]).toEqual([value, true, true]);
      }
      expect(upstream.calls).toBe(0);
    },
  );
});

test("what is in the form that it is wanted in is taken", async () => {
  const fields = {
    tags: ["a"],
    metadata: { tags: ["b"] },
    litellm_metadata: {},
    drop_params: true,
    additional_drop_params: ["seed"],
    disable_fallbacks: false,
    fallbacks: [],
    guardrails: ["pii", { pii: { extra_body: {} } }, { pii: null }],
    mock_response: null,
    mock_timeout: false,
    mock_testing_fallbacks: true,
    max_fallbacks: null,
    fastest_response: true,
    priority: 1,
    "no-log": false,
    extra_body: { min_p: 0.5 },
  };
  expect((await call("/v1/chat/completions", fields)).status).toBe(200);
  expect(Object.keys(upstream.seen).sort()).toEqual(["messages", "min_p", "model"]);
});

test("`litellm_metadata` tags a call and names guardrails, as `metadata` does", async () => {
  const litellm_metadata = { tags: ["of-metadata"], guardrails: ["pii"] };
  const response = await call("/v1/responses", { input: "Mail me: ann@example.com", litellm_metadata });
  expect([response.status, response.headers.get("x-gw-applied-guardrails")]).toEqual([200, "pii"]);
  expect(JSON.stringify(upstream.seen)).not.toContain("ann@example.com");
  await app.service.books.flush();
  const rows = (await (await app.call("/spend/logs", { key: MASTER_KEY })).json()) as { request_tags: string[] }[];
  expect(rows[0]?.request_tags).toEqual(["of-metadata"]);
});

describe("the form of a transcription", () => {
  const transcribe = (fields: Record<string, string>) => {
    const form = new FormData();
    form.set("model", "m");
    for (const [name, value] of Object.entries(fields)) form.set(name, value);
    form.set("file", new File([new Uint8Array(3_000)], "a.wav", { type: "audio/wav" }));
    return app.call("/v1/audio/transcriptions", { key: MASTER_KEY, body: form });
  };

  test("says in JSON what steers the call, as other forms do", async () => {
    const fields = { metadata: '{"tags":["a"]}', tags: '["b"]', timeout: "30", drop_params: "true" };
    expect(await (await transcribe(fields)).text()).toContain("heard 3000 bytes");
    await app.service.books.flush();
    const rows = (await (await app.call("/spend/logs", { key: MASTER_KEY })).json()) as { request_tags: string[] }[];
    expect(rows[0]?.request_tags?.toSorted()).toEqual(["a", "b"]);
  });

  test.each(["metadata", "tags", "timeout", "num_retries", "disable_fallbacks", "drop_params"])(
    "is refused where a %s cannot be read",
    async (name) => {
      const response = await transcribe({ [name]: "soon" });
      expect([response.status, (await response.text()).includes(name), upstream.calls]).toEqual([400, true, 0]);
    },
  );
});

describe("whom a call is made for", () => {
  test.each([{ metadata: { user_id: 7 } }, { litellm_metadata: { user: 7 } }])(
    "may be a number in %j",
    async (fields) => {
      await (await call("/v1/chat/completions", { ...fields, cache: { "no-cache": true } })).text();
      await app.service.books.flush();
      const rows = (await (await app.call("/spend/logs", { key: MASTER_KEY })).json()) as { end_user: string | null }[];
      expect(rows[0]?.end_user).toBe("7");
    },
  );

  test("is text where Anthropic's interface has it", async () => {
    const response = await call("/v1/messages", { metadata: { user_id: 7 } });
    expect([response.status, await response.text()]).toEqual([400, expect.stringContaining("`metadata.user_id`")]);
    expect(upstream.calls).toBe(0);
  });
});
